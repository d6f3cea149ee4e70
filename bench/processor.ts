import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { findProgram } from './find-program.ts'

/** With two processors or more, servers get one and whoever asks them another: one core each, and neither disturbs the other. */
const PROCESSORS = { server: '0', client: '1', any: `0-${availableParallelism() - 1}` } as const

export type Role = keyof typeof PROCESSORS

const taskset = availableParallelism() > 1 ? findProgram('taskset') : null

export function pinned(role: Role, command: string[]): string[] {
  return taskset === null ? command : [taskset, '-c', PROCESSORS[role], ...command]
}

export function pinProcess(role: Role, pid: number): void {
  if (taskset !== null) execFileSync(taskset, ['-acp', PROCESSORS[role], String(pid)], { stdio: 'ignore' })
}
