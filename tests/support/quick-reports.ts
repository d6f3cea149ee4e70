import type { Plugin } from 'vite'

const FILE = '/src/server/http/regular-flush.ts'
const LINE = 'const FLUSH_MS = 1_000\n'
const QUICKER = 'const FLUSH_MS = 100\n'

/**
 * Servers that run in a test's own process write what they counted ten times a second instead of once: a test waits for
 * the next write each time that it looks at what was reported. Built servers keep their second; that they write by
 * themselves is proved by `tests/process/page-bytes.test.ts`.
 */
export function quickReports(): Plugin {
  return {
    name: 'quick-reports',
    enforce: 'pre',
    transform: (code, id) => {
      if (!id.endsWith(FILE)) return null
      if (!code.includes(LINE)) throw new Error(`${id} does not say ${LINE.trim()} as it did`)
      return code.replace(LINE, QUICKER)
    },
  }
}
