import type { Plugin } from 'vite'

const HELPER = '\0vite/preload-helper.js'

/**
 * The bundler wraps each dynamic import in a helper that waits for style sheets, which is a large part of the page's
 * boot script. No lazy part of ours has one, which the build checks: here the helper does nothing. Every importer has
 * its own: a shared one would be a file that page and dashboard both fetch.
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
