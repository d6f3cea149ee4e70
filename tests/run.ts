/**
 * `npm test` and `npm run test:full`: the two tiers, each with a last line that counts its tests (`N passed, N
 * failed`). Source checks run in parallel, beside the build and programs that must be fetched.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Tally } from './support/tally-reporter.ts'
import type { Tier } from './support/tier.ts'

const temporary = mkdtempSync(join(tmpdir(), 'portico-run-'))
const [name, ...filters] = process.argv.slice(2)

try {
  const tallies = name === 'full' ? await runFull() : await runFast()
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0)
  const failures = tallies.flatMap((tally) => tally.failures)
  console.log(
    [
      '',
      ...failures.map((name) => `✗ ${name}`),
      `Took ${(performance.now() / 60_000).toFixed(1)} minutes`,
      `${passed} passed, ${failures.length} failed`,
    ].join('\n'),
  )
  process.exitCode = failures.length === 0 ? 0 : 1
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

function runFast(): Promise<Tally[]> {
  return Promise.all([
    check('types', 'tsc', ['--noEmit']),
    check('lint and format', 'biome', ['check', '.']),
    check('dead code', 'knip', []),
    runVitest('fast', filters),
  ])
}

/** What the fast tier left out: files of the full tier, and the tests that it ran on SQLite only. */
async function runFull(): Promise<Tally[]> {
  return [
    await runVitest('full', filters),
    await runVitest('postgres', ['--testNamePattern=\\bon postgres', ...filters]),
  ]
}

async function check(name: string, command: string, args: string[]): Promise<Tally> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk))
  const ok = (await ended(child, 'close')) === 0
  // Printed at once, because others print at the same time.
  console.log(`${Buffer.concat(said)}${ok ? '✓' : '✗'} ${name}`)
  return ok ? { passed: 1, failures: [] } : { passed: 0, failures: [name] }
}

/** A run that broke before, between or after its tests counts as one failure. */
async function runVitest(tier: Tier, options: string[]): Promise<Tally> {
  const file = join(temporary, `${tier}.json`)
  // A filter may match files of one run only.
  const lenient = filters.length === 0 ? [] : ['--passWithNoTests']
  const child = spawn('vitest', ['run', ...lenient, ...options], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TEST_TIER: tier, TALLY_FILE: file },
  })
  const code = await ended(child, 'exit')
  const tally = readTally(file)
  if (code === 0 || tally.failures.length > 0) return tally
  return { ...tally, failures: [`the ${tier} run ended with ${code} though no test failed`] }
}

function readTally(file: string): Tally {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failures: ['the run ended without a tally'] }
  }
}

function ended(child: ChildProcess, event: 'exit' | 'close'): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(1))
    child.once(event, (code) => resolve(code ?? 1))
  })
}
