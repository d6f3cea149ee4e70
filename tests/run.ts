/**
 * `npm test`: every check there is, and one closing line that counts them. Those that read the sources run beside one
 * another, and beside what the tests wait for: the build, and programs that have to be fetched.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Tally {
  passed: number
  failed: number
}

const temporary = mkdtempSync(join(tmpdir(), 'portico-run-'))
const report = join(temporary, 'vitest.json')

try {
  const tallies = await Promise.all([
    check('types', 'tsc', ['--noEmit']),
    check('lint and format', 'biome', ['check', '.']),
    check('dead code', 'knip', []),
    runVitest(process.argv.slice(2)),
  ])
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0)
  const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0)
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

async function check(name: string, command: string, args: string[]): Promise<Tally> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk))
  const ok = (await ended(child, 'close')) === 0
  // All of it at once, since others speak at the same time.
  console.log(`${Buffer.concat(said)}${ok ? '✓' : '✗'} ${name}`)
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/** A run that broke before or between tests counts as one failure more than its report knows. */
async function runVitest(filters: string[]): Promise<Tally> {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const args = ['run', '--project=!engines', ...reporters, ...filters]
  const code = await ended(spawn('vitest', args, { stdio: ['ignore', 'inherit', 'inherit'] }), 'exit')
  const tally = readTally()
  return code !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally
}

function readTally(): Tally {
  try {
    const result = JSON.parse(readFileSync(report, 'utf8')) as {
      numPassedTests: number
      numFailedTests: number
    }
    return { passed: result.numPassedTests, failed: result.numFailedTests }
  } catch {
    return { passed: 0, failed: 1 }
  }
}

function ended(child: ChildProcess, event: 'exit' | 'close'): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(1))
    child.once(event, (code) => resolve(code ?? 1))
  })
}
