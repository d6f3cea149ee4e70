/**
 * Texts that are partly invisible: beside the window, or outside of a box that clips them. What can be scrolled to
 * counts as visible. For `evaluate`.
 */
export function findCutText(): string[] {
  const found: string[] = []
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const parent = text.parentElement
    if (!text.nodeValue?.trim() || !parent?.checkVisibility({ visibilityProperty: true })) continue
    // The hero's drawing, the honeypot, and what is for screen readers or shown on request.
    if (parent.closest('.art, .trap, .skip, .said, [popover]') !== null) continue
    const range = document.createRange()
    range.selectNodeContents(text)
    if (isCut(parent, range.getBoundingClientRect()))
      found.push(`${parent.className || parent.tagName}: ${text.nodeValue}`)
  }
  return found

  function isCut(element: Element, { left, right, top, bottom }: DOMRect): boolean {
    for (let around = element; around !== document.body; around = around.parentElement as Element) {
      const { overflowX, overflowY } = getComputedStyle(around)
      if (overflowX === 'visible' && overflowY === 'visible') continue
      const box = around.getBoundingClientRect()
      const scrolls = (overflow: string) => overflow === 'auto' || overflow === 'scroll'
      if (scrolls(overflowX)) [left, right] = [box.left, box.right]
      else if (overflowX !== 'visible' && (left < box.left - 0.5 || right > box.right + 0.5)) return true
      if (scrolls(overflowY)) [top, bottom] = [box.top, box.bottom]
      else if (overflowY !== 'visible' && (top < box.top - 0.5 || bottom > box.bottom + 0.5)) return true
    }
    return left < -0.5 || right > document.documentElement.clientWidth + 0.5
  }
}

/** Words that are divided between two lines because no line has room for them. For `evaluate`. */
export function findBrokenWords(): string[] {
  const found: string[] = []
  const range = document.createRange()
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (!text.parentElement?.checkVisibility({ visibilityProperty: true })) continue
    // Addresses and words with a hyphen or a slash may end a line anywhere in them.
    for (const { 0: word, index } of text.nodeValue?.matchAll(/(?<!\S)[\p{L}\p{N}.,%]+(?!\S)/gu) ?? []) {
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      const lines = new Set(Array.from(range.getClientRects(), ({ bottom }) => Math.round(bottom)))
      if (lines.size > 1) found.push(word)
    }
  }
  return found
}
