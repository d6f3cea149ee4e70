import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

/** PostgreSQL refuses to run as root, so root starts it as nobody. */
const NOBODY = 65_534

export interface PrivatePostgres {
  socketDirectory: string
  /** Stops the server, runs the work, and starts it again on the same data. Immediate is like a crash. */
  whileDown(work: () => Promise<void>, mode?: 'fast' | 'immediate'): Promise<void>
  /** Freezes the server and its children during the work. */
  whileFrozen(work: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

/** A private server on a socket in a temporary directory: nothing listens on the network, nothing stays behind. */
export async function startPostgres(
  binaries: string,
  ownSettings: readonly string[] = [],
  folder = tmpdir(),
): Promise<PrivatePostgres> {
  const directory = mkdtempSync(join(folder, 'portico-pg-'))
  try {
    return await startIn(directory, binaries, ownSettings)
  } catch (error) {
    rmSync(directory, { recursive: true, force: true })
    throw error
  }
}

async function startIn(
  directory: string,
  binaries: string,
  ownSettings: readonly string[],
): Promise<PrivatePostgres> {
  const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if ('uid' in identity) chownSync(directory, NOBODY, NOBODY)
  const data = join(directory, 'data')
  execFileSync(
    join(binaries, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', '--locale=C.UTF-8', '--encoding=UTF8'],
    { ...identity, cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${directory}`,
    'fsync=off',
    'max_connections=200',
    ...ownSettings,
  ]
  const launch = async (): Promise<ChildProcess> => {
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
    const child = spawn(join(binaries, 'postgres'), args, { ...identity, cwd: directory, stdio: 'ignore' })
    await waitUntilReady(directory, child)
    return child
  }
  let server = await launch()
  return {
    socketDirectory: directory,
    whileDown: async (work, mode = 'fast') => {
      await stopProcess(server, mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
      await work()
      server = await launch()
    },
    whileFrozen: async (work) => {
      const family = [server.pid ?? 0, ...childrenOf(server.pid ?? 0)]
      for (const pid of family) process.kill(pid, 'SIGSTOP')
      await work()
      for (const pid of family.reverse()) process.kill(pid, 'SIGCONT')
    },
    stop: async () => {
      await stopProcess(server)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function waitUntilReady(directory: string, server: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 2_400; attempt++) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`)
    const client = new pg.Client({ host: directory, user: 'postgres', database: 'postgres' })
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  throw new Error('PostgreSQL did not answer in time')
}

function stopProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill(signal)
  })
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)
}
