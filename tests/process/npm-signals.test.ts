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

/** As a service manager starts it: npm in front, whose process id is the only one that is known. */
function startThroughNpm(script: string, shell: string, env: Record<string, string>): SpawnedServer {
  const child = spawn('npm', ['run', script, `--script-shell=${shell}`], {
    // A group of its own: whatever a failing test leaves behind can be found and ended.
    detached: true,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
  })
  cleanUps.push(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
    } catch {
      // The group is gone, as it should be.
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
      // All of npm's descendants share its output: it is closed when the last of them is gone.
      await npm.ended
      expect(() => process.kill(-(npm.child.pid ?? 0), 0)).toThrow('ESRCH')
      await expect(fetch(`${url}/healthz`)).rejects.toThrow()
    },
  )
})

test('every script that runs Node becomes Node, so that no shell stands between it and a signal', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  const running = Object.entries(scripts).filter(([, command]) => /\bnode\b/.test(command))
  expect(running.length).toBeGreaterThan(5)
  expect(running.filter(([, command]) => !command.startsWith('exec node '))).toEqual([])
})
