/**
 * What an operator sees: how fast a built tree starts and how much memory it holds, and whether the page notices when
 * the services are busy.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addPixels } from './add-pixels.ts'
import { type Contender, signIn, startPortico } from './data-service-contenders.ts'
import { residentMegabytes } from './process-usage.ts'

const LIST_AGAIN_AND_AGAIN = `
const { url, headers } = JSON.parse(process.argv[1])
for (;;) await (await fetch(url, { headers })).arrayBuffer()`
const LONG_LIST = 10_000
const SECONDS = 5
const VISITS_PER_SECOND = 100
const LOGINS_PER_SECOND = 10

/** Measure, value, aim. */
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
        ['start of a built tree until it answers', `${again.toFixed(0)} ms`, '< 2000 ms'],
        ['memory when idle', `${(await idleMemory(running)).toFixed(0)} MB`, '< 140 MB'],
        ...(await besideBusyServices(running)),
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

async function besideBusyServices(portico: Contender): Promise<string[][]> {
  const page = new URL('/', portico.request.url).href
  await addPixels(portico, LONG_LIST)
  const alone = await slowestVisits(page, async () => {})
  const list = await slowestVisits(page, async (isOver) => {
    // From a process of its own: reading ten megabytes here would delay the clock that is being watched.
    const request = JSON.stringify(portico.request)
    const reader = spawn(process.execPath, ['--input-type=module', '-e', LIST_AGAIN_AND_AGAIN, request])
    while (!isOver()) await new Promise((resolve) => setTimeout(resolve, 50))
    reader.kill()
  })
  const logins = await slowestVisits(page, async (isOver) => {
    const running: Promise<unknown>[] = []
    while (!isOver()) {
      running.push(signIn(portico))
      await new Promise((resolve) => setTimeout(resolve, 1000 / LOGINS_PER_SECOND))
    }
    await Promise.all(running)
  })
  const row = (what: string, { p99, max }: Visits, aim: string) => [
    what,
    `p99 ${p99.toFixed(1)}, max ${max.toFixed(1)} ms`,
    aim,
  ]
  return [
    row('page, nothing else going on', alone, ''),
    row(`page while ${LONG_LIST} pixels are listed again and again`, list, '< 50 ms'),
    row(`page while ${LOGINS_PER_SECOND} people a second sign in`, logins, '< 50 ms'),
  ]
}

interface Visits {
  p99: number
  max: number
}

/** Steady visits to the page while something else is going on. */
async function slowestVisits(
  page: string,
  meanwhile: (isOver: () => boolean) => Promise<void>,
): Promise<Visits> {
  const end = performance.now() + SECONDS * 1000
  const isOver = () => performance.now() >= end
  const other = meanwhile(isOver)
  const times: number[] = []
  while (!isOver()) {
    const asked = performance.now()
    await (await fetch(page)).arrayBuffer()
    times.push(performance.now() - asked)
    await new Promise((resolve) => setTimeout(resolve, 1000 / VISITS_PER_SECOND))
  }
  await other
  times.sort((a, b) => a - b)
  return { p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN, max: times.at(-1) ?? Number.NaN }
}
