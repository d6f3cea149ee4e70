import { TYPEFACE, TYPEFACE_CLASS } from '#landing/styles/typeface.ts'
import { whenIdle } from '../shared/when-idle.ts'
import { holdLayout } from './hold-layout.ts'
import { middleOf, textsUpToSight } from './texts-in-sight.ts'

/** Chromium calls less than three pixels no shift. */
const TOLERANCE = 3
/** As long as `font-display: fallback` lets a font come late. */
const LATE_MS = 3_000
/** A page that is never idle waits this long for an idle moment, and no longer. */
const BUSY_MS = 300

/**
 * On a first visit the typeface comes after the first frame, which was drawn in a font that has nearly its widths. It
 * is applied at once, with every line and every box held as that font had laid them out. Should something still move or
 * stick out, it is left for the next visit.
 */
export async function applyTypeface(): Promise<void> {
  const { classList } = document.documentElement
  if (classList.contains(TYPEFACE_CLASS) || !(await isLoaded())) return
  await new Promise<void>((resolve) => whenIdle(resolve, BUSY_MS))
  const places = textsUpToSight().map((text) => [text, middleOf(text)] as const)
  // Nothing is drawn before the end of this: a visitor sees the one or the other.
  const release = holdLayout(
    places.map(([text]) => text),
    () => classList.add(TYPEFACE_CLASS),
  )
  if (places.every(([text, place]) => isThere(text, place))) return
  classList.remove(TYPEFACE_CLASS)
  release()
}

/** False for one that cannot be had, or is so late that nobody should wait for it. */
function isLoaded(): Promise<boolean> {
  const loaded = document.fonts.load(TYPEFACE).then(
    () => true,
    () => false,
  )
  const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), LATE_MS))
  return Promise.race([loaded, late])
}

function isThere(text: Text, place: DOMPoint | undefined): boolean {
  const now = middleOf(text)
  if (!place || !now) return place === now
  const distance = Math.max(Math.abs(now.x - place.x), Math.abs(now.y - place.y))
  // What lies above the window counts by what it would push into it.
  return (place.y < 0 || distance < TOLERANCE) && (now.z <= innerWidth || place.z > innerWidth)
}
