import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

const BUNDLE = JSON.stringify(pathToFileURL('dist/server/serve.js').href)

/**
 * Threads run the built files, as they do on a server: where they run the sources, each of them first loads the compiler
 * that strips their types, and there are two or three to every app that a test starts.
 */
export function builtThreads(): Plugin {
  return {
    name: 'built-threads',
    enforce: 'pre',
    transform: (code, id) =>
      // A thread's file lies beside the file that starts it.
      id.includes('/src/server/') && code.includes('new Worker(')
        ? code.replaceAll('import.meta.url', BUNDLE)
        : null,
  }
}
