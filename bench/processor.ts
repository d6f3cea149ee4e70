import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { findProgram } from './find-program.ts'

/** With two or more processors, servers get one and clients another, so that neither disturbs the other. */
const PROCESSORS = { server: '0', client: '1', any: `0-${availableParallelism() - 1}` } as const

export type Role = keyof typeof PROCESSORS

const taskset = availableParallelism() > 1 ? findProgram('taskset') : null

export function pinned(role: Role, command: string[]): string[] {
  return taskset === null ? command : [taskset, '-c', PROCESSORS[role], ...command]
}

export function pinProcess(role: Role, pid: number): void {
  if (taskset !== null) execFileSync(taskset, ['-acp', PROCESSORS[role], String(pid)], { stdio: 'ignore' })
}

/** Above this share of the processors, what others do changes what is measured. */
export const BUSY_SHARE = 0.1

/** A few milliseconds that are stolen at once show in every p99. */
export const STOLEN_SHARE = 0.02

const SAMPLE_MS = 2_000

/** Share of the processors that is in use while this process waits. */
export async function processorsInUse(): Promise<number> {
  const before = readTicks()
  await setTimeout(SAMPLE_MS)
  const after = readTicks()
  return (after.used - before.used) / (after.all - before.all)
}

/** Share of the processors that the host of this virtual machine gave to others since then. An idle machine loses none. */
export function stolenSince(before: Ticks): number {
  const after = readTicks()
  return (after.stolen - before.stolen) / (after.all - before.all)
}

interface Ticks {
  used: number
  stolen: number
  all: number
}

/** Since the machine started, over all processors. Waiting for a disk uses no processor. */
export function readTicks(): Ticks {
  const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const ticks = first.split(/\s+/).slice(1, 9).map(Number)
  const all = ticks.reduce((sum, count) => sum + count, 0)
  const [, , , idle = 0, waiting = 0, , , stolen = 0] = ticks
  return { used: all - idle - waiting - stolen, stolen, all }
}
