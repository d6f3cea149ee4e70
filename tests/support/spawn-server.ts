import { type ChildProcess, spawn } from 'node:child_process'

export interface SpawnedServer {
  child: ChildProcess
  /** Everything that it printed, both streams together. */
  output(): string
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>
}

/**
 * The built server as a separate process, with only the path of this process's environment. `within` is a command that
 * runs it and becomes it.
 */
export function spawnServer(env: Record<string, string>, within: readonly string[] = []): SpawnedServer {
  return spawnProgram([...within, process.execPath, 'dist/server/serve.js'], env)
}

export function spawnNode(args: string[], env: Record<string, string>, cwd = process.cwd()): SpawnedServer {
  return spawnProgram([process.execPath, ...args], env, cwd)
}

export function spawnProgram(
  [program = '', ...args]: string[],
  env: Record<string, string>,
  cwd = process.cwd(),
): SpawnedServer {
  return watchProcess(spawn(program, args, { cwd, env: { PATH: process.env.PATH ?? '', ...env } }))
}

export function watchProcess(child: ChildProcess): SpawnedServer {
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  child.stderr?.on('data', (chunk) => {
    output += chunk
  })
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1))
  })
  return { child, output: () => output, ended }
}

/** Waits until the server stores and accepts calls; fails with its output when it exits. */
export async function untilReady(server: SpawnedServer, url: string): Promise<void> {
  let over = false
  server.ended.then(() => {
    over = true
  })
  while (!over) {
    try {
      if ((await fetch(`${url}/readyz`)).ok && (await fetch(`${url}/auth/v1/health`)).ok) return
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`the server ended before it was ready:\n${server.output()}`)
}
