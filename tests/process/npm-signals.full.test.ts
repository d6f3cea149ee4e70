import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { makeStorage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { type SpawnedServer, untilReady, watchProcess } from '../support/spawn-server.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** As a service manager starts it: through npm, whose process id is the only one known. */
function startThroughNpm(script: string, shell: string, env: Record<string, string>): SpawnedServer {
  const child = spawn('npm', ['run', script, `--script-shell=${shell}`], {
    // Its own process group, so that leftovers of a failed test can be ended.
    detached: true,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
  })
  cleanUps.push(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
    } catch {
      // The group is gone, as expected.
    }
  })
  return watchProcess(child)
}

describe.each(['start', 'dev'])('npm run %s', (script) => {
  test.each(['dash', 'bash'])(
    'through %s, SIGTERM to npm ends the server and frees its port',
    async (shell) => {
      const storage = await makeStorage('sqlite')
      cleanUps.push(storage.remove)
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      const env = { PORT: String(port), DATA_DIR: storage.dataDir, LOG_LEVEL: 'warn' }
      const npm = startThroughNpm(script, shell, env)
      await untilReady(npm, url)
      npm.child.kill('SIGTERM')
      // All descendants of npm share its output: it closes when the last one is gone.
      await npm.ended
      expect(() => process.kill(-(npm.child.pid ?? 0), 0)).toThrow('ESRCH')
      await expect(fetch(`${url}/healthz`)).rejects.toThrow()
    },
  )
})

test('every script replaces its shell with Node, so that signals reach it', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  const running = Object.entries(scripts).filter(([, command]) => /\bnode\b/.test(command))
  expect(running.length).toBeGreaterThan(5)
  expect(running.filter(([, command]) => !command.startsWith('exec node '))).toEqual([])
})
