import { globSync, readFileSync } from 'node:fs'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { guide } from './scripts/guide.ts'
import { builtThreads } from './tests/support/built-threads.ts'
import { tallyReporter } from './tests/support/tally-reporter.ts'
import { type Tier, tier } from './tests/support/tier.ts'

/** Waits end with a condition, not a time: a step of a second takes twenty on a busy machine. */
const PATIENT = { testTimeout: 300_000, hookTimeout: 300_000 }

/** Files share imports, which take as long as most tests: the server keeps no state in its modules. */
const SHARED = { isolate: false, ...PATIENT }

/** A separate window per file; imports are shared, because React alone takes as long as many tests. */
const IN_WINDOW = { environment: 'happy-dom', setupFiles: ['tests/support/component-setup.ts'] }

const WITH_PROPERTIES = { setupFiles: ['tests/support/property-setup.ts'], ...SHARED }

/** Whether a file has tests of the tier: its name says so, and for the PostgreSQL run the constant that it uses. */
const IS_OF_TIER: Record<Tier, (file: string) => boolean> = {
  all: () => true,
  fast: (file) => !file.includes('.full.'),
  full: (file) => file.includes('.full.'),
  postgres: (file) => !file.includes('.full.') && readFileSync(file, 'utf8').includes('TIER_ENGINES'),
}

/** The file for the tally of `npm test`, which counts several runs. */
const { TALLY_FILE } = process.env

/** One runner for everything: projects differ in what a test may reach. */
export default defineConfig({
  plugins: [builtThreads(), guide()],
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    reporters: ['default', ...(TALLY_FILE === undefined ? [] : [tallyReporter(TALLY_FILE)])],
    unstubEnvs: true,
    // On a busy machine conditions become true late; a few seconds would be a guess at its speed.
    expect: { poll: { timeout: 30_000 } },
    // Twice the cores of a small machine: half of a test's time is spent waiting for a timeout, a report or a browser.
    maxWorkers: 4,
    projects: [
      project('unit', ['src', 'scripts', 'tests/architecture'], WITH_PROPERTIES),
      project('component', ['tests/component'], { ...IN_WINDOW, ...SHARED }),
      project('process', ['tests/process'], SHARED),
      project('acceptance', ['tests/acceptance'], WITH_PROPERTIES),
      project('e2e', ['tests/e2e'], SHARED),
      // Files that replace a module: whoever shared what they import would get it too.
      project('component apart', ['tests/component'], { ...IN_WINDOW, ...PATIENT }),
      project('e2e apart', ['tests/e2e'], PATIENT),
      project('engines', ['tests/engines'], PATIENT),
    ].flat(),
  },
})

/** The tests of some folders, or none where the tier has none there: an empty list would mean every file. */
function project(
  name: string,
  folders: string[],
  options: TestProjectInlineConfiguration['test'],
): TestProjectInlineConfiguration[] {
  const include = globSync(folders.map((folder) => `${folder}/**/*.test.{ts,tsx}`))
    .filter((file) => file.includes('.apart.') === name.endsWith(' apart'))
    .filter(IS_OF_TIER[tier])
  return include.length === 0 ? [] : [{ extends: true, test: { name, include, ...options } }]
}
