/**
 * Runs the tests of one mutant after another in its copy of the tree, for `npm run mutants`. Vitest stays up in between
 * with its database and build: starting it takes longer than most tests.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { createVitest, type TestModule, type TestSpecification } from 'vitest/node'
import { isFileOf, type Mutant, type Place, placeMutant, readSources } from './mutant-list.ts'

export interface Verdict {
  id: string
  /** Invalid: not tried, because its text, one of its tests, or the tests without a mutant are broken. */
  kind: 'caught' | 'alive' | 'not found' | 'invalid'
  /** The test that failed, or what is broken. */
  reason: string
  seconds: number
}

const NOT_RUN = 'no test was run'

const vitest = await createVitest('test', {
  watch: false,
  bail: 1,
  maxWorkers: 1,
  silent: true,
  reporters: [{}],
})
await vitest.standalone()
const specifications = await vitest.globTestSpecifications()
/** Tests that ran without a mutant, and their failure. */
const controlled = new Map<string, string | null>()

process.on('message', async (mutant: Mutant | 'end') => {
  if (mutant === 'end') {
    await vitest.close()
    process.disconnect()
    return
  }
  const start = performance.now()
  const [kind, reason] = await judge(mutant)
  const verdict: Verdict = { id: mutant.id, kind, reason, seconds: (performance.now() - start) / 1000 }
  process.send?.(verdict)
})
process.send?.(null)

async function judge(mutant: Mutant): Promise<[Verdict['kind'], string]> {
  const place = placeMutant(mutant, readSources())
  if (typeof place === 'string') return ['not found', place]
  const { project, file, title } = mutant.test
  const found = specifications.filter(
    (test) => test.project.name === project && isFileOf(mutant.test, test.moduleId),
  )
  const [test] = found
  if (test === undefined || found.length > 1)
    return ['not found', `${found.length} files of tests are called ${project}:${file}`]
  vitest.setGlobalTestNamePattern(title.replaceAll(/[^\p{L}\p{N} ]/gu, '.'))
  const key = `${test.moduleId} ${title}`
  if (!controlled.has(key)) controlled.set(key, await findFailure(test))
  const usual = controlled.get(key)
  if (usual === NOT_RUN) return ['not found', `no test of ${project}:${file} is called ${title}`]
  if (usual != null) return ['invalid', `fails without any mutant: ${usual}`]
  const failure = await whileMutated(place, () => findFailure(test))
  return failure === null ? ['alive', ''] : ['caught', failure]
}

async function whileMutated<T>({ file, mutated }: Place, work: () => Promise<T>): Promise<T> {
  const original = readFileSync(file, 'utf8')
  const put = (text: string) => {
    writeFileSync(file, text)
    vitest.invalidateFile(resolve(file))
  }
  put(mutated)
  try {
    return await work()
  } finally {
    put(original)
  }
}

/** The name of the first failing test; null if all pass. */
async function findFailure(test: TestSpecification): Promise<string | null> {
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications([test])
  // The result contains modules of earlier runs too.
  const ran = testModules.find(
    ({ moduleId, project }) => moduleId === test.moduleId && project === test.project,
  )
  if (ran === undefined) throw new Error(`${test.moduleId} was not run`)
  const [failure] = listFailures(ran)
  if (failure !== undefined) return failure
  if (unhandledErrors.length > 0) return `unhandled error: ${messageOf(unhandledErrors[0])}`
  return [...ran.children.allTests('passed')].length === 0 ? NOT_RUN : null
}

function listFailures(module: TestModule): string[] {
  const name = basename(module.moduleId)
  const tests = [...module.children.allTests('failed')].map(
    (test) => `${name} > ${test.fullName}: ${messageOf(test.result().errors?.[0])}`,
  )
  const errors = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors())
  return [...tests, ...errors.map((error) => `${name}: ${messageOf(error)}`)]
}

function messageOf(error: unknown): string {
  const message = error instanceof Object && 'message' in error ? String(error.message) : String(error)
  return message.split('\n')[0] ?? ''
}
