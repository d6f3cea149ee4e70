import { execFileSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { findProgram } from '../../bench/find-program.ts'
import { freePort } from '../support/free-port.ts'

const IMAGE = 'portico-deploy-check'

/** An engine that is installed but cannot be reached answers late or never. */
const INFO_MS = 20_000

const START_MS = 60_000

/** Builds the image with a container engine and starts it as compose.yaml does. Throws on an error. */
export async function tryImage(): Promise<[string, string][]> {
  const engine = ['docker', 'podman'].flatMap((name) => findProgram(name) ?? []).find(works)
  if (engine === undefined) return [['image', 'not tried: no container engine works here']]
  const run = (...command: string[]) => execFileSync(engine, command, { encoding: 'utf8' }).trim()
  run('build', '--tag', IMAGE, '.')
  const port = await freePort()
  const confined = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges', '--pids-limit=200']
  const data = '--tmpfs=/data:uid=65532,gid=65532,mode=0700'
  const container = run('run', '--detach', ...confined, data, `--publish=127.0.0.1:${port}:3000`, IMAGE)
  try {
    await untilServed(`http://127.0.0.1:${port}/readyz`)
    if (!run('logs', container).includes('admin@portico.example'))
      throw new Error('the first start does not print the account')
    run('stop', container)
    const code = run('inspect', '--format={{.State.ExitCode}}', container)
    if (code !== '0') throw new Error(`the container ends with ${code}`)
    return [[`image, built and started by ${engine}`, 'serves, prints the first account, stops with 0']]
  } finally {
    run('rm', '--force', container)
    run('rmi', '--force', IMAGE)
  }
}

function works(engine: string): boolean {
  try {
    execFileSync(engine, ['info'], { stdio: 'ignore', timeout: INFO_MS })
    return true
  } catch {
    return false
  }
}

async function untilServed(url: string): Promise<void> {
  const signal = AbortSignal.timeout(START_MS)
  for (;;) {
    const response = await fetch(url, { signal }).catch(() => null)
    if (response?.ok) return
    signal.throwIfAborted()
    await wait(250)
  }
}
