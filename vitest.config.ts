import { defineConfig } from 'vitest/config'
import { builtThreads } from './tests/support/built-threads.ts'

/** Waiting ends with the fact, not with the clock: a step that takes a second takes twenty on a busy machine. */
const PATIENT = { testTimeout: 120_000, hookTimeout: 120_000 }

/** Those that replace a module: whoever shares what they import would get it too. */
const APART = '*.apart.test.{ts,tsx}'

/** Files share what they import, which takes as long as the tests of most: the server keeps no state in its modules. */
const SHARED = { isolate: false, exclude: [`**/${APART}`], ...PATIENT }

/** A window of its own for each file; what it imports is shared as well, for React alone takes as long as the tests of many. */
const IN_WINDOW = { environment: 'happy-dom', setupFiles: ['tests/support/component-setup.ts'] }

/** One runner for everything: what differs is only where a test may reach. */
export default defineConfig({
  plugins: [builtThreads()],
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    unstubEnvs: true,
    // What is waited for comes late on a busy machine; a few seconds would be a guess at its speed.
    expect: { poll: { timeout: 30_000 } },
    // Twice the cores of a small machine: every second moment of a test is spent waiting, for a time-out, a report or a browser.
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts', 'tests/architecture/**/*.test.ts'],
          ...SHARED,
        },
      },
      {
        extends: true,
        test: { name: 'component', include: ['tests/component/**/*.test.tsx'], ...IN_WINDOW, ...SHARED },
      },
      {
        extends: true,
        test: { name: 'component apart', include: [`tests/component/${APART}`], ...IN_WINDOW, ...PATIENT },
      },
      { extends: true, test: { name: 'process', include: ['tests/process/**/*.test.ts'], ...SHARED } },
      { extends: true, test: { name: 'acceptance', include: ['tests/acceptance/**/*.test.ts'], ...SHARED } },
      { extends: true, test: { name: 'e2e', include: ['tests/e2e/**/*.test.ts'], ...SHARED } },
      { extends: true, test: { name: 'e2e apart', include: [`tests/e2e/${APART}`], ...PATIENT } },
      // Whole tables in other browsers, and visits without each vendor in turn, take minutes: `npm run engines`, not part of `npm test`.
      { extends: true, test: { name: 'engines', include: ['tests/engines/**/*.test.ts'], ...PATIENT } },
    ],
  },
})
