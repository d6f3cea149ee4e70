import type { Plugin } from 'vite'

/** Those that compress the pages of a server that starts, or that were changed. */
const COMPRESS_PAGES = /\/(background-compressor|public-pages|swapped-response)\.ts$/
const INSTEAD = "import { compressPage as compressText } from '#tests/support/compress-page.ts'\n"

/**
 * Servers that run in a test's own process compress their pages as those that were just changed are, not as far as it
 * goes, which is a third of a second of work for each server. What is served says the same; how small it becomes is
 * proved by `page-weight.test.ts`, and that it is served so by `tests/process/page-bytes.test.ts`, on the built server.
 */
export function quickCompression(): Plugin {
  return {
    name: 'quick-compression',
    enforce: 'pre',
    transform: (code, id) => {
      if (!COMPRESS_PAGES.test(id)) return null
      const without = code.replace(/(?<=^import \{[^}]*)\bcompressText, /m, '')
      if (without === code) throw new Error(`${id} does not import compressText as it did`)
      return INSTEAD + without
    },
  }
}
