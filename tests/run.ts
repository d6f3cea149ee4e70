/** `npm test`: every check there is, one after the other, and one closing line that counts them. */
import { spawn } from 'node:child_process'
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
  const tallies = [
    await check('types', 'tsc', ['--noEmit']),
    await check('lint and format', 'biome', ['check', '.']),
    await check('dead code', 'knip', []),
    await runVitest(process.argv.slice(2)),
  ]
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0)
  const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0)
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

async function check(name: string, command: string, args: string[]): Promise<Tally> {
  const ok = (await run(command, args)) === 0
  console.log(`${ok ? '✓' : '✗'} ${name}`)
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/** A run that broke before or between tests counts as one failure more than its report knows. */
async function runVitest(filters: string[]): Promise<Tally> {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const code = await run('vitest', ['run', '--project=!engines', ...reporters, ...filters])
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

function run(command: string, args: string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
    child.once('error', () => resolve(1))
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
