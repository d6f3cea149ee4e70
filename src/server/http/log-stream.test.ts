import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LogStream } from './log-stream.ts'

/** Logs so many lines to its standard output, says on its standard error that it got that far, and ends with 0. */
function startLogging(stdout: number | 'pipe', lines: number, pauseMs = 0) {
  const script = `
    const { createLogger } = await import('./src/server/http/logger.ts')
    const log = createLogger('info')
    for (let line = 1; line <= ${lines}; line++) {
      log.info('line ' + line + ' ' + 'x'.repeat(1000))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await new Promise((resolve) => setTimeout(resolve, ${pauseMs}))
    process.stderr.write('done')
    process.exit(0)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', stdout, 'pipe'],
  })
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  return new Promise<{ code: number | NodeJS.Signals | null; errors: string }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code: code ?? signal, errors }))
  })
}

test('a full disk under standard output ends the process neither while it runs nor as it stops', async () => {
  expect(await startLogging(openSync('/dev/full', 'w'), 100)).toEqual({ code: 0, errors: 'done' })
})

test('a reader that has stopped reading holds up neither the process nor its end', async () => {
  const { code, errors } = await startLogging('pipe', 1_000, 1_500)
  expect(errors).toBe('done')
  expect(code).toBe('SIGKILL')
})

test('what was logged last is there after the end, whole and in order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-test-'))
  const file = openSync(join(folder, 'log'), 'w')
  expect(await startLogging(file, 300)).toEqual({ code: 0, errors: 'done' })
  const lines = readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).msg.split(' ')[1])).toEqual(
    Array.from({ length: 300 }, (_, index) => String(index + 1)),
  )
  closeSync(file)
  rmSync(folder, { recursive: true })
})

test('what waits for room is bounded: past that, lines are dropped', () => {
  const file = openSync('/dev/full', 'w')
  const stream = new LogStream(file)
  for (let count = 0; count < 1_000; count++) stream.write('x'.repeat(2_000))
  expect(stream.dropped).toBeGreaterThan(400)
  expect(stream.dropped).toBeLessThan(1_000)
})
