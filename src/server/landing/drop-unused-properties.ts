/**
 * A style sheet without the custom properties that nothing reads, neither it nor `others`, which come later: the tokens
 * are shared, the page's bytes are not.
 */
export function dropUnusedProperties(css: string, others = ''): string {
  const used = new Set(Array.from((css + others).matchAll(/var\((--[\w-]+)/g), ([, name]) => name))
  const trimmed = css.replace(/(?<![\w-])(--[\w-]+):[^;{}]*(?:;|(?=[{}])|$)/g, (declaration, name) =>
    used.has(name) ? declaration : '',
  )
  return trimmed === css ? css : dropUnusedProperties(trimmed, others)
}
