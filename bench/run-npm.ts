import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const INSTALL_TIMEOUT_MS = 300_000

export async function runNpm(cwd: string, args: string[]): Promise<void> {
  await promisify(execFile)('npm', args, {
    cwd,
    timeout: INSTALL_TIMEOUT_MS,
    maxBuffer: 1e8,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      ASTRO_TELEMETRY_DISABLED: '1',
    },
  })
}
