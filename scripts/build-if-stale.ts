import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { isBuildFresh } from './build-stamp.ts'

/** In a separate process: a test runner's NODE_ENV would cause a development build. */
export async function buildIfStale(): Promise<void> {
  if (isBuildFresh()) return
  const build = spawn(process.execPath, ['scripts/build.ts'], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: 'inherit',
  })
  const [code] = await once(build, 'exit')
  if (code !== 0) throw new Error(`the build ended with ${code}`)
}
