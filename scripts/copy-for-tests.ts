import type { Plugin } from 'vite'

const TESTING = '/src/landing/browser/testing/'
const COPY = '?under-test'
/** What the page of a test uses of the page's own scripts. */
const SHARED = /\/src\/(contract|landing\/browser\/(consent|shared|tags))\//

/**
 * What only an administrator's test loads has copies of the modules that it shares with the visitors' scripts. A module
 * that two lazy parts import becomes a file of its own, and every visitor would have one more to ask for.
 */
export function copyForTests(): Plugin {
  return {
    name: 'copy-for-tests',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      if (importer === undefined || !(importer.includes(TESTING) || importer.endsWith(COPY))) return null
      const found = await this.resolve(source, importer.replace(COPY, ''), { ...options, skipSelf: true })
      if (found === null || !SHARED.test(found.id) || found.id.includes('?')) return found
      return { ...found, id: found.id + COPY }
    },
  }
}
