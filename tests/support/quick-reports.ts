import { replaceInSource } from './replace-in-source.ts'

/**
 * Servers that run in a test's own process write what they counted ten times a second instead of once: a test waits for
 * the next write each time that it looks at what was reported. Built servers keep their second; that they write by
 * themselves is proved by `tests/process/page-bytes.test.ts`.
 */
export const quickReports = () =>
  replaceInSource({
    name: 'quick-reports',
    file: '/src/server/http/regular-flush.ts',
    text: 'const FLUSH_MS = 1_000\n',
    by: 'const FLUSH_MS = 100\n',
  })
