import { defineConfig } from 'vitest/config'
import { builtThreads } from './tests/support/built-threads.ts'
import { quickCompression } from './tests/support/quick-compression.ts'
import { quickHashes } from './tests/support/quick-hashes.ts'
import { quickReports } from './tests/support/quick-reports.ts'

/** Waiting ends with the fact, not with the clock: a step that takes a second takes twenty on a busy machine. */
const PATIENT = { testTimeout: 120_000, hookTimeout: 120_000 }

/** Those that replace a module: whoever shares what they import would get it too. */
const APART = '*.apart.test.{ts,tsx}'

/** Files share what they import, which takes as long as the tests of most: the server keeps no state in its modules. */
const SHARED = { isolate: false, exclude: [`**/${APART}`], ...PATIENT }

const IN_NODE = [
  'src/**/*.test.{ts,tsx}',
  'scripts/**/*.test.ts',
  'tests/{architecture,process,acceptance,e2e}/**/*.test.ts',
]

/** A window of its own for each file; what it imports is shared as well, for React alone takes as long as the tests of many. */
const IN_WINDOW = { environment: 'happy-dom', setupFiles: ['tests/support/component-setup.ts'] }

/** One runner for everything: what differs is only where a test may reach. */
export default defineConfig({
  plugins: [builtThreads(), quickCompression(), quickHashes(), quickReports()],
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    unstubEnvs: true,
    // What is waited for comes late on a busy machine; a few seconds would be a guess at its speed.
    expect: { poll: { timeout: 30_000 } },
    // Twice the cores of a small machine: every second moment of a test is spent waiting, for a time-out, a report or a browser.
    maxWorkers: 4,
    projects: [
      // One project, so that its processes stay from the first file to the last, with what they have imported.
      { extends: true, test: { name: 'node', include: IN_NODE, ...SHARED } },
      { extends: true, test: { name: 'node apart', include: [`tests/e2e/${APART}`], ...PATIENT } },
      {
        extends: true,
        test: { name: 'component', include: ['tests/component/**/*.test.tsx'], ...IN_WINDOW, ...SHARED },
      },
      {
        extends: true,
        test: { name: 'component apart', include: [`tests/component/${APART}`], ...IN_WINDOW, ...PATIENT },
      },
      // Whole tables in other browsers, and visits without each vendor in turn, take minutes: `npm run engines`, not part of `npm test`.
      { extends: true, test: { name: 'engines', include: ['tests/engines/**/*.test.ts'], ...PATIENT } },
    ],
  },
})
