import { defineConfig } from 'vitest/config'
import { builtThreads } from './tests/support/built-threads.ts'

/** Whole processes and browsers take their time on a small machine; waiting ends with the fact, not with the clock. */
const SLOW = { testTimeout: 120_000, hookTimeout: 120_000 }

/** One runner for everything: what differs is only where a test may reach. */
export default defineConfig({
  plugins: [builtThreads()],
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    unstubEnvs: true,
    // What is waited for comes late on a busy machine; one second would be a guess at its speed.
    expect: { poll: { timeout: 15_000 } },
    // Two more than there are cores on a small machine: many a test waits for a time-out or a report, and not for work.
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts', 'tests/architecture/**/*.test.ts'],
          // Files share what they import, which takes as long as the tests of most: the server keeps no state in its modules.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'component',
          include: ['tests/component/**/*.test.tsx'],
          environment: 'happy-dom',
          setupFiles: ['tests/support/component-setup.ts'],
          testTimeout: 60_000,
        },
      },
      { extends: true, test: { name: 'process', include: ['tests/process/**/*.test.ts'], ...SLOW } },
      {
        extends: true,
        test: { name: 'acceptance', include: ['tests/acceptance/**/*.test.ts'], isolate: false, ...SLOW },
      },
      { extends: true, test: { name: 'e2e', include: ['tests/e2e/**/*.test.ts'], ...SLOW } },
      // Whole tables in other browsers, and visits without each vendor in turn, take minutes: `npm run engines`, not part of `npm test`.
      { extends: true, test: { name: 'engines', include: ['tests/engines/**/*.test.ts'], ...SLOW } },
    ],
  },
})
