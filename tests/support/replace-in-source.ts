import type { Plugin } from 'vite'

interface Replacement {
  name: string
  /** How the path of the one file ends. */
  file: string
  text: string
  by: string
}

/** A source that servers in a test's own process run with another text in it; that it still says the first one is checked. */
export function replaceInSource({ name, file, text, by }: Replacement): Plugin {
  return {
    name,
    enforce: 'pre',
    transform: (code, id) => {
      if (!id.endsWith(file)) return null
      if (!code.includes(text)) throw new Error(`${id} does not say ${text} as it did`)
      return code.replace(text, by)
    },
  }
}
