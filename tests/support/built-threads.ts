import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

/** Those that start a thread from the file that lies beside them. */
const STARTERS = /\/(backup-schedule|sqlite-thread|strength-thread|tag-compiler)\.ts$/
const BUNDLE = JSON.stringify(pathToFileURL('dist/server/serve.js').href)

/**
 * Threads run the built files, as they do on a server: where they run the sources, each of them first loads the compiler
 * that strips their types, and there are two or three to every app that a test starts.
 */
export function builtThreads(): Plugin {
  return {
    name: 'built-threads',
    enforce: 'pre',
    transform: (code, id) => (STARTERS.test(id) ? code.replaceAll('import.meta.url', BUNDLE) : null),
  }
}
