const adopted = new Set<string>()

/**
 * What only a script can open comes with its own style, so that the page does not carry it. A constructed style sheet
 * is no inline style: the page's policy, which names styles by hash, allows it.
 */
export function adoptStyle(css: string): void {
  if (adopted.has(css)) return
  adopted.add(css)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  document.adoptedStyleSheets.push(sheet)
}
