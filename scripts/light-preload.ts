import type { Plugin } from 'vite'

/**
 * The bundler wraps each dynamic import in a helper that weighs more than the page's whole boot script. Nothing here
 * needs more of it than this: a lazy part's style sheets are there before the part is.
 */
export function lightPreload(): Plugin {
  return {
    name: 'light-preload',
    enforce: 'pre',
    load: (id) => (id === '\0vite/preload-helper.js' ? HELPER : null),
  }
}

const HELPER = `export const __vitePreload = (load, styles = []) =>
  Promise.all(styles.map((file) => new Promise((resolve, reject) => {
    const href = '/' + file
    if (document.querySelector('link[href="' + href + '"]')) return resolve()
    document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href, onload: resolve, onerror: reject }))
  }))).then(load)`
