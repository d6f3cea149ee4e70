import type { Plugin } from 'vite'

/** What only some pages load, and how its copies are told from the visitors' own modules. */
const LAZY_PARTS = [
  ['/src/landing/browser/test-visit/', '?under-test'],
  ['/src/landing/browser/tags/isolated/', '?isolated'],
] as const
/** What they use of the page's own scripts. */
const SHARED = /\/src\/(contract|landing\/browser\/(consent|shared|tags))\//

/**
 * What only an administrator's test or a page with isolated tags loads has copies of the modules that it shares with the
 * visitors' scripts. A module that two lazy parts import becomes a file of its own, and every visitor would have one more
 * to ask for.
 */
export function copyForLazyParts(): Plugin {
  return {
    name: 'copy-for-lazy-parts',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      const copy = copyOf(importer ?? '')
      if (copy === undefined) return null
      const found = await this.resolve(source, importer?.replace(copy, ''), { ...options, skipSelf: true })
      if (found === null || !SHARED.test(found.id) || found.id.includes('?')) return found
      return { ...found, id: found.id + copy }
    },
  }
}

/** A copy's own imports are copies of the same kind. */
function copyOf(importer: string): string | undefined {
  const byName = LAZY_PARTS.find(([, copy]) => importer.endsWith(copy))
  return (byName ?? LAZY_PARTS.find(([folder]) => importer.includes(folder)))?.[1]
}
