import { execFileSync, spawn } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { DatabaseUnavailableError } from '#server/db/errors.ts'
import { LOG_FORMAT, openLog } from './logger.ts'

/** Logs this many lines to standard output, reports on standard error, and exits with 0. */
function startLogging(stdout: number | 'pipe', lines: number) {
  const script = `
    const { createLogger } = await import('./src/server/http/logging/logger.ts')
    const log = createLogger('info')
    for (let line = 1; line <= ${lines}; line++) {
      log.info('line ' + line + ' ' + 'x'.repeat(1000))
      await new Promise((resolve) => setImmediate(resolve))
    }
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

/**
 * A pipe like those of a shell or container engine; Node gives its children sockets. Opened for reading and writing, so
 * that opening does not block.
 */
function makePipe(): { fd: number; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'portico-test-'))
  execFileSync('mkfifo', [join(folder, 'pipe')])
  const fd = openSync(join(folder, 'pipe'), 'r+')
  const remove = () => {
    closeSync(fd)
    rmSync(folder, { recursive: true })
  }
  return { fd, remove }
}

test.each(['a socket', 'a pipe'])(
  'a stopped reader of %s blocks neither the process nor its exit',
  async (kind) => {
    const pipe = makePipe()
    onTestFinished(pipe.remove)
    const stdout = kind === 'a pipe' ? pipe.fd : 'pipe'
    expect(await startLogging(stdout, 1_000)).toEqual({ code: 0, errors: 'done' })
  },
)

test('a late reader gets the kept lines, complete and in order', async () => {
  const pipe = makePipe()
  onTestFinished(pipe.remove)
  const stream = openLog(pipe.fd)
  // More than a pipe holds.
  const lines = Array.from({ length: 300 }, (_, line) => `${line} ${'x'.repeat(1_000)}\n`)
  for (const line of lines) stream.write(line)
  const expected = lines.join('')
  let got = ''
  const chunk = Buffer.alloc(65_536)
  const reader = openSync(`/proc/self/fd/${pipe.fd}`, constants.O_RDONLY | constants.O_NONBLOCK)
  await vi.waitFor(
    () => {
      for (let read = tryToRead(reader, chunk); read > 0; read = tryToRead(reader, chunk))
        got += chunk.toString('latin1', 0, read)
      expect(got).toHaveLength(expected.length)
    },
    { timeout: 30_000 },
  )
  expect(got).toBe(expected)
})

function tryToRead(fd: number, into: Buffer): number {
  try {
    return readSync(fd, into)
  } catch {
    return 0
  }
}

test('the last lines are there after the exit, complete and in order', async () => {
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

test('limits buffered lines, drops the rest and logs how many', async () => {
  const pipe = makePipe()
  onTestFinished(pipe.remove)
  const stream = openLog(pipe.fd)
  const sent = 2_000
  for (let line = 0; line < sent; line++) stream.write(`{"msg":"${'x'.repeat(1_000)}"}\n`)
  const reader = openSync(`/proc/self/fd/${pipe.fd}`, constants.O_RDONLY | constants.O_NONBLOCK)
  const chunk = Buffer.alloc(65_536)
  let got = ''
  await vi.waitFor(
    () => {
      for (let read = tryToRead(reader, chunk); read > 0; read = tryToRead(reader, chunk))
        got += chunk.toString('latin1', 0, read)
      expect(got).toContain('log lines were dropped')
    },
    { timeout: 30_000 },
  )
  const lines = got
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const [told, ...others] = lines.filter(({ msg }) => msg === 'log lines were dropped')
  expect(others).toEqual([])
  expect(told).toMatchObject({ level: 40, count: sent - (lines.length - 1) })
  expect(told.count).toBeGreaterThan(900)
})

test('leaves out failures of an outage that has its line already', () => {
  const lines: string[] = []
  const log = pino(LOG_FORMAT, { write: (line) => void lines.push(JSON.parse(line).msg) })
  const refused = new Error('refused')
  log.child({ request: 1 }).warn({ err: new DatabaseUnavailableError(refused, { isLogged: true }) }, 'again')
  log.warn({ err: new DatabaseUnavailableError(refused) }, 'a locked file')
  log.warn({ err: refused }, 'another failure')
  log.info('plain')
  log.info(null, 'nothing')
  expect(lines).toEqual(['a locked file', 'another failure', 'plain', 'nothing'])
})
