/**
 * `npm run mutants [-- --check] [--only=S01,C02] [--jobs=N]`: breaks one rule of the server at a time (`mutants.tsv`),
 * in a copy of the tree, and runs the tests that must fail. `--check` only checks that each text and each test is found
 * once.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Verdict } from './mutant-job.ts'
import { isFileOf, type Mutant, placeMutant, readMutants, readSources } from './mutant-list.ts'

/** A mutant that never ends is stopped; the tests of one take seconds. */
const MAX_MS = 15 * 60_000

const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    only: { type: 'string' },
    jobs: { type: 'string', default: '1' },
  },
})
const chosen = chooseMutants(options.only?.split(','))
process.exitCode = options.check ? checkTexts() : await tryMutants(Number(options.jobs))

function chooseMutants(ids: string[] | undefined): Mutant[] {
  const mutants = readMutants()
  const unknown = ids?.filter((id) => !mutants.some((mutant) => mutant.id === id)) ?? []
  if (unknown.length > 0) throw new Error(`No mutant is called ${unknown.join(', ')}`)
  return mutants.filter(({ id }) => ids === undefined || ids.includes(id))
}

function checkTexts(): number {
  const sources = readSources()
  const files = globSync('{src,scripts,tests}/**/*.test.{ts,tsx}')
  const problems = chosen.flatMap((mutant) => {
    const place = placeMutant(mutant, sources)
    const found = files.filter((file) => isFileOf(mutant.test, file))
    return [
      ...(typeof place === 'string' ? [place] : []),
      ...(found.length === 1 ? [] : [`${found.length} files of tests are called ${mutant.test.file}`]),
    ].map((problem) => `${mutant.id}\t${problem}`)
  })
  for (const problem of problems) console.log(problem)
  console.log(`${chosen.length} mutants, ${problems.length} problems`)
  return problems.length === 0 ? 0 : 1
}

async function tryMutants(jobs: number): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'portico-mutants-'))
  // PostgreSQL runs as another user when this runs as root.
  chmodSync(home, 0o755)
  const running = new Set<ChildProcess>()
  const removeAll = () => {
    for (const job of running) stopJob(job)
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      removeAll()
      process.exit(1)
    })
  const waiting = [...chosen]
  const verdicts: Verdict[] = []
  try {
    await Promise.all(
      Array.from({ length: jobs }, async (_, index) => {
        const folder = join(home, String(index))
        copyTree(folder)
        while (waiting.length > 0) await runJob(folder, waiting, running, verdicts)
      }),
    )
  } finally {
    removeAll()
  }
  const count = (kind: Verdict['kind']) => verdicts.filter((verdict) => verdict.kind === kind).length
  console.log(
    `${count('caught')} caught, ${count('alive')} alive, ${count('not found')} not found, ${count('invalid')} invalid`,
  )
  return count('caught') === chosen.length ? 0 : 1
}

/** What git tracks or would add, and the build, which is repeated where it is outdated. */
function copyTree(folder: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
  for (const file of [...listed.toString().split('\0').filter(Boolean), 'dist'])
    if (existsSync(file)) cpSync(file, join(folder, 'tree', file), { recursive: true })
  symlinkSync(resolve('node_modules'), join(folder, 'tree/node_modules'))
  mkdirSync(join(folder, 'tmp'))
}

/** Gives mutants to one process until none is left, or until one does not return. */
async function runJob(
  folder: string,
  waiting: Mutant[],
  running: Set<ChildProcess>,
  verdicts: Verdict[],
): Promise<void> {
  const cwd = join(folder, 'tree')
  // Everything that it starts is in its process group and writes to its folder, so nothing outlives it.
  const job = fork(join(cwd, 'scripts/mutant-job.ts'), {
    cwd,
    env: {
      ...process.env,
      TMPDIR: join(folder, 'tmp'),
      NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
    },
    detached: true,
  })
  running.add(job)
  const ended = once(job, 'exit')
  let isReady = false
  let current: Mutant | undefined
  let limit: NodeJS.Timeout | undefined
  const tell = (verdict: Verdict) => {
    verdicts.push(verdict)
    console.log([verdict.kind, verdict.id, verdict.seconds.toFixed(1), verdict.reason].join('\t'))
  }
  job.on('message', (verdict: Verdict | null) => {
    isReady = true
    clearTimeout(limit)
    if (verdict !== null) tell(verdict)
    current = waiting.shift()
    if (current !== undefined) limit = setTimeout(() => stopJob(job), MAX_MS)
    job.send(current ?? 'end')
  })
  await ended
  clearTimeout(limit)
  stopJob(job)
  running.delete(job)
  if (!isReady) throw new Error('The tests could not be started')
  if (current !== undefined)
    tell({ id: current.id, kind: 'invalid', reason: 'its run did not end', seconds: MAX_MS / 1000 })
}

function stopJob({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The group is already gone.
  }
}
