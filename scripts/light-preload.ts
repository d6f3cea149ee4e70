import type { Plugin } from 'vite'

const HELPER = '\0vite/preload-helper.js'

/**
 * The bundler wraps each dynamic import in a helper that waits for the part's style sheets, and that weighs a good part
 * of the page's boot script. No lazy part of ours has one: here the helper does nothing, and the build sees to it.
 * Every importer has one of its own: a single one would be a file that page and dashboard share, one more to ask for.
 */
export function lightPreload(): Plugin {
  return {
    name: 'light-preload',
    enforce: 'pre',
    resolveId: (id, importer) => (id === HELPER ? `${HELPER}?${importer}` : null),
    load: (id) => (id.startsWith(`${HELPER}?`) ? 'export const __vitePreload = (load) => load()' : null),
    generateBundle(_options, bundle) {
      for (const part of Object.values(bundle)) {
        if (part.type === 'chunk' && !part.isEntry && (part.viteMetadata?.importedCss.size ?? 0) > 0) {
          this.error(`${part.fileName} is loaded later and brings a style sheet that nobody would wait for`)
        }
      }
    },
  }
}
