/** A style sheet without the custom properties that nothing in it reads: the tokens are shared, the page's bytes are not. */
export function dropUnusedProperties(css: string): string {
  const used = new Set(Array.from(css.matchAll(/var\((--[\w-]+)/g), ([, name]) => name))
  const trimmed = css.replace(/(--[\w-]+):[^;{}]*(;|(?=\}))/g, (declaration, name) =>
    used.has(name) ? declaration : '',
  )
  return trimmed === css ? css : dropUnusedProperties(trimmed)
}
