/** What a person pasted that stands in the page itself: a proof of whose site this is, or structured data. */
export type PageHeadItem = { kind: 'meta'; name: string; content: string } | { kind: 'json_ld'; json: string }

/** Metas at the end of the head, structured data at the end of the body, where it delays nothing. */
export function withHeadItems(html: string, items: readonly PageHeadItem[]): string {
  const metas = items.map((item) =>
    item.kind === 'meta'
      ? `<meta name="${escapeText(item.name)}" content="${escapeText(item.content)}"/>`
      : '',
  )
  const data = items.map((item) =>
    item.kind === 'json_ld' ? `<script type="application/ld+json">${escapeJson(item.json)}</script>` : '',
  )
  return insertBefore(insertBefore(html, '</head>', metas.join('')), '</body>', data.join(''))
}

function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

/** No text inside can end the element, nor begin a comment in it. */
function escapeJson(json: string): string {
  return json.replaceAll('<', '\\u003c')
}

function insertBefore(html: string, mark: string, text: string): string {
  const at = html.lastIndexOf(mark)
  if (at === -1) throw new Error(`the page has no ${mark}`)
  return html.slice(0, at) + text + html.slice(at)
}
