/** Text and style of our page without its scripts, for other servers. */
export interface PageText {
  title: string
  css: string
  body: string
}

export function readPageText(html: string): PageText {
  const find = (pattern: RegExp) => pattern.exec(html)?.[1] ?? ''
  return {
    title: find(/<title>([^<]*)<\/title>/),
    css: find(/<style>([\s\S]*?)<\/style>/),
    body: find(/<body[^>]*>([\s\S]*)<\/body>/).replace(/<script[\s\S]*?<\/script>/g, ''),
  }
}
