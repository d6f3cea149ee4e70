import { measureBlocks, type TextBlock } from './text-block.ts'

/** Makes a block again what it was, and says how to undo that; null where nothing is to be done. */
type Hold = (was: TextBlock, is: TextBlock) => (() => void) | null

/**
 * Keeps lines and widths as they are through a change of fonts: what is between the two fonts' widths goes between the
 * letters, and a line that would still break elsewhere is broken where it was. This is held until the window has another
 * width, the page is printed or somebody changes a text, as a translator does.
 */
export function holdLayout(texts: readonly Text[], change: () => void): () => void {
  const before = measureBlocks(texts)
  change()
  const undo: (() => void)[] = []
  // Engines round widths differently: a line that just filled its box may break once that is held.
  for (const hold of [holdLength, holdLines, holdWidth, holdLines]) {
    const now = measureBlocks(texts)
    undo.push(...before.map((was, index) => hold(was, now[index] ?? was)).filter((each) => each !== null))
  }
  return releaseWhenStale(before, undo)
}

/** Of a letter's size: more than this would be seen. */
const MOST_SPACING = 0.04

const holdLength: Hold = (was, is) => {
  const { letterSpacing, fontSize } = getComputedStyle(was.element)
  const most = MOST_SPACING * Number.parseFloat(fontSize)
  const missing = Math.min(most, Math.max(-most, (was.length - is.length) / was.letters))
  if (missing === 0) return null
  const { style } = was.element
  style.letterSpacing = `${(Number.parseFloat(letterSpacing) || 0) + missing}px`
  return () => style.removeProperty('letter-spacing')
}

/** Turns soft line breaks into hard ones. */
const holdLines: Hold = (was, is) => {
  const offsets = ({ lineStarts }: TextBlock) => lineStarts.map(([, offset]) => offset).join()
  const { style } = was.element
  if (style.whiteSpace || offsets(was) === offsets(is)) return null
  const originals = was.lineStarts.map(([text]) => [text, text.data] as const)
  // From the end on, so that earlier offsets stay true. What precedes a word is the space that ended the line before it.
  for (const [text, offset] of was.lineStarts.toReversed()) {
    const space = text.data[offset - 1] === ' ' ? 1 : 0
    text.replaceData(offset - space, space, '\n')
  }
  style.whiteSpace = 'pre'
  style.setProperty('white-space-collapse', 'preserve-breaks')
  return () => {
    for (const [text, data] of originals) text.data = data
    style.removeProperty('white-space')
    style.removeProperty('white-space-collapse')
  }
}

const holdWidth: Hold = (was, is) => {
  if (Math.abs(was.width - is.width) < 0.1) return null
  const { style } = was.element
  // 0.02 px less: rounding must not push out of a row what fills it to its end.
  style.width = `${was.width - 0.02}px`
  return () => style.removeProperty('width')
}

function releaseWhenStale(blocks: readonly TextBlock[], undo: (() => void)[]): () => void {
  const release = () => {
    changes.disconnect()
    removeEventListener('resize', releaseWhenResized)
    removeEventListener('beforeprint', release)
    for (const each of undo.splice(0)) each()
  }
  const changes = new MutationObserver(release)
  const width = innerWidth
  // A phone's bars come and go without changing the width.
  const releaseWhenResized = () => innerWidth !== width && release()
  for (const { element } of blocks) {
    changes.observe(element, { characterData: true, childList: true, subtree: true })
  }
  addEventListener('resize', releaseWhenResized)
  addEventListener('beforeprint', release)
  return release
}
