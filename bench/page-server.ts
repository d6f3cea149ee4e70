import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { pinned, type Role } from './processor.ts'

/** A server of the page that can be stopped. */
export interface PageServer {
  name: string
  url: string
  pid: number
  stop(): Promise<void>
}

interface StartOptions {
  name: string
  url: string
  command: string[]
  cwd?: string
  env?: Record<string, string>
  /** Which processor it gets. */
  role?: Role
}

const START_TIMEOUT_MS = 60_000

/** Starts a server, by default on the servers' processor, and waits until it answers. */
export async function startPageServer(options: StartOptions): Promise<PageServer> {
  const { name, url, command, cwd, env, role = 'server' } = options
  const [program = '', ...args] = pinned(role, command)
  const child = spawn(program, args, {
    stdio: 'ignore',
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
  })
  child.on('error', () => {})
  endWithUs(child)
  try {
    await untilAnswering(url, child)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  return { name, url, pid: child.pid ?? 0, stop: () => stop(child) }
}

const children = new Set<ChildProcess>()

/** Ends the process with this one, also if that is told to end. */
export function endWithUs(child: ChildProcess): void {
  if (children.size === 0) {
    process.once('SIGTERM', () => process.exit(143))
    process.once('exit', () => {
      for (const each of children) each.kill('SIGKILL')
    })
  }
  children.add(child)
}

async function untilAnswering(url: string, child: ChildProcess): Promise<void> {
  const giveUpAt = Date.now() + START_TIMEOUT_MS
  while (Date.now() < giveUpAt && child.exitCode === null) {
    const answered = await fetch(url).then(
      (response) => response.ok,
      () => false,
    )
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} did not answer`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const gone = once(child, 'exit')
  const late = setTimeout(() => child.kill('SIGKILL'), 3_000)
  await gone
  clearTimeout(late)
}
