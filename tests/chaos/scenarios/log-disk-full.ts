import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '#tests/support/free-port.ts'
import { needsRoot, type Scenario, until } from '../scenario.ts'

const LINES = 400

export const logDiskFull: Scenario = {
  name: 'the disk under the log file is full',
  promised: 'pages and calls are answered, logging resumes when there is space, and the process ends cleanly',
  obstacle: needsRoot,
  run: async (place) => {
    const disk = join(place.folder, 'log')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk])
    place.atEnd(() => execFileSync('umount', ['-l', disk]))
    const file = join(disk, 'portico.log')
    const ballast = join(disk, 'ballast')
    const port = await freePort()
    const url = `http://localhost:${port}`
    const child = spawn(process.execPath, ['dist/server/serve.js'], {
      env: { PATH: process.env.PATH ?? '', PORT: String(port), DATA_DIR: place.folder, LOG_LEVEL: 'debug' },
      stdio: ['ignore', openSync(file, 'a'), 'inherit'],
    })
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    place.atEnd(() => child.kill('SIGKILL'))
    const statusOf = (path: string) =>
      fetch(`${url}${path}`).then(
        ({ status }) => status,
        () => 0,
      )
    await until('it is ready', async () => (await statusOf('/readyz')) === 200)
    fill(ballast)
    for (let line = 0; line < LINES; line++) {
      if ((await statusOf(`/nothing-${line}`)) !== 404) throw new Error('a call failed')
      if ((await statusOf('/')) !== 200) throw new Error('the page failed')
    }
    const full = statSync(file).size
    rmSync(ballast)
    await until('the log goes on', async () => {
      await statusOf('/nothing')
      return statSync(file).size > full
    })
    fill(ballast)
    await statusOf('/nothing')
    child.kill('SIGTERM')
    const code = await ended
    if (code !== 0) throw new Error(`it ended with ${code}`)
    return `${LINES} calls and pages answered, the log went on, ended with 0`
  },
}

/** Writes until the disk is full. */
function fill(file: string): void {
  try {
    writeFileSync(file, Buffer.alloc(1_000_000))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
