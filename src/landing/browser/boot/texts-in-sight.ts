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
  const lines = boxesOf(text)
  const first = lines[0]
  if (!first) return undefined
  return new DOMPoint(first.x, (first.top + first.bottom) / 2, Math.max(...lines.map(({ right }) => right)))
}

/** The boxes of a part of a text, one for each line. WebKit begins with an empty one where a line was broken by hand. */
export function boxesOf(text: Text, start = 0, end = text.length): DOMRect[] {
  const range = document.createRange()
  range.setStart(text, start)
  range.setEnd(text, end)
  return Array.from(range.getClientRects()).filter(({ width }) => width > 0)
}
