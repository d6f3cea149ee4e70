/** For operators: start time and memory of a built tree. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Contender, startPortico } from './data-service-contenders.ts'
import { residentMegabytes } from './process-usage.ts'

/** Measure, value, target. */
export async function benchOperation(): Promise<string[][]> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  try {
    const started = performance.now()
    const portico = await startPortico(directory)
    await portico.stop()
    const first = performance.now() - started
    const again = await measureStart(directory)
    const running = await startPortico(directory, { seed: false })
    try {
      return [
        ['first start, sign-in and fifty pixels', `${first.toFixed(0)} ms`, ''],
        ['start of a built tree until it answers', `${again.toFixed(0)} ms`, '≤ 1000 ms'],
        ['memory when idle', `${(await idleMemory(running)).toFixed(0)} MB`, '≤ 125 MB'],
      ]
    } finally {
      await running.stop()
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function measureStart(directory: string): Promise<number> {
  const began = performance.now()
  const portico = await startPortico(directory, { seed: false, signedIn: false })
  const elapsed = performance.now() - began
  await portico.stop()
  return elapsed
}

async function idleMemory(portico: Contender): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  return residentMegabytes(portico.pid)
}
