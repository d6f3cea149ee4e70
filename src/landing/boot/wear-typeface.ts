import { TYPEFACE, TYPEFACE_CLASS } from '../typeface.ts'
import { whenIdle } from './when-idle.ts'

/** Chromium calls less than three pixels no shift. */
const TOLERANCE = 3

/**
 * On a first visit the typeface comes after the first frame. It is worn if nothing in sight moves by it: the fallback
 * has nearly its widths, but in some window a line may still break elsewhere. Then it waits for the next visit.
 */
export async function wearTypeface(): Promise<void> {
  const { classList } = document.documentElement
  if (classList.contains(TYPEFACE_CLASS)) return
  await document.fonts.load(TYPEFACE)
  await new Promise<void>(whenIdle)
  const before = textsInSight()
  classList.add(TYPEFACE_CLASS)
  // Nothing is drawn between the two: a visitor sees the one or the other.
  if (before.some(([text, place]) => hasMoved(place, placeOf(text)))) classList.remove(TYPEFACE_CLASS)
}

function textsInSight(): [Node, DOMRect][] {
  const places: [Node, DOMRect][] = []
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    // What is not laid out yet must not be laid out for this, and a drawing has no lines to break.
    const parent = text.parentElement
    if (parent?.checkVisibility?.({ contentVisibilityAuto: true }) === false || parent?.closest('svg'))
      continue
    const place = placeOf(text)
    if (place && place.bottom > 0 && place.top < innerHeight) places.push([text, place])
  }
  return places
}

/** Where the first line of a text begins; nothing for what is not shown. */
function placeOf(text: Node): DOMRect | undefined {
  const range = document.createRange()
  range.selectNode(text)
  return range.getClientRects()[0]
}

function hasMoved(from: DOMRect, to: DOMRect | undefined): boolean {
  return !to || Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y)) >= TOLERANCE
}
