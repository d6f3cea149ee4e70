import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

const BUNDLE = JSON.stringify(pathToFileURL('dist/server/serve.js').href)

/**
 * Threads run the built files, as on a server: with sources, each would first load the type stripper, and every app of
 * a test has two or three.
 */
export function builtThreads(): Plugin {
  return {
    name: 'built-threads',
    enforce: 'pre',
    transform: (code, id) =>
      // A thread's file is beside the file that starts it.
      id.includes('/src/server/') && code.includes('new Worker(')
        ? code.replaceAll('import.meta.url', BUNDLE)
        : null,
  }
}
