/** The page's texts, from the top down to the lower edge of the window, as far as they are laid out. */
export function textsUpToSight(): Text[] {
  const found: Text[] = []
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const parent = text.parentElement
    // What is not laid out yet must not be laid out for this; a drawing has no lines to break; a form is React's.
    if (parent?.checkVisibility?.({ contentVisibilityAuto: true }) === false) continue
    if (parent?.closest('svg, pre, [data-island]')) continue
    const place = middleOf(text as Text)
    if (place && place.y < innerHeight) found.push(text as Text)
  }
  return found
}

/** Where the first line of a text begins, half-way up; `z` is where its longest line ends. Nothing for what is not shown. */
export function middleOf(text: Text): DOMPoint | undefined {
  const lines = Array.from(rangeOf(text, 0, text.length).getClientRects())
  const first = lines[0]
  if (!first) return undefined
  return new DOMPoint(first.x, (first.top + first.bottom) / 2, Math.max(...lines.map(({ right }) => right)))
}

export function rangeOf(text: Text, start: number, end: number): Range {
  const range = document.createRange()
  range.setStart(text, start)
  range.setEnd(text, end)
  return range
}
