import { existsSync, readFileSync } from 'node:fs'

/** Resident memory of the process, from the kernel. */
export function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000
}

/** Processor time of the process on all threads. The kernel counts hundredths of a second. */
export function processorMilliseconds(pid: number): number {
  const [user = 0, system = 0] = readTimes(pid)
  return user + system
}

/** The same including its child processes, also those that have ended: connections of PostgreSQL come and go. */
export function treeProcessorMilliseconds(pid: number): number {
  const file = `/proc/${pid}/task/${pid}/children`
  const children = existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : []
  const own = readTimes(pid).reduce((sum, ms) => sum + ms, 0)
  return children.reduce((sum, child) => sum + treeProcessorMilliseconds(child), own)
}

/** Of the process, and of its children that have ended: user and system each. */
function readTimes(pid: number): number[] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return fields.slice(11, 15).map((ticks) => Number(ticks) * 10)
}
