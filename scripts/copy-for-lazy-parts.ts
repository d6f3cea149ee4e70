import type { Plugin } from 'vite'

/** What only some pages load, and the suffix of its copies. */
const LAZY_PARTS = [
  ['/src/landing/browser/test-visit/', '?under-test'],
  ['/src/landing/browser/tags/isolated/', '?isolated'],
] as const
/** The parts of the page's scripts that they use. */
const SHARED = /\/src\/(contract|landing\/browser\/(consent|shared|tags))\//

/**
 * Code for test visits and isolated tags gets copies of the modules that it shares with the visitors' scripts.
 * Otherwise a module shared by two lazy parts would become a separate file that every visitor fetches.
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
