import { measureBlocks, type TextBlock } from './text-block.ts'

/** Makes a block again what it was; how to undo what its style does not hold is added to `undo`. */
type Hold = (was: TextBlock, is: TextBlock, undo: (() => void)[]) => void

/**
 * Keeps lines and widths as they are through a change of fonts: what is between the two fonts' widths goes between the
 * letters, and a line that would still break elsewhere is broken where it was. This is held until the window has another
 * width, the page is printed or somebody changes a text, as a translator does.
 */
export function holdLayout(texts: readonly Text[], change: () => void): () => void {
  const before = measureBlocks(texts)
  change()
  const undo = before.map(({ element: { style } }) => {
    const { cssText } = style
    return () => {
      style.cssText = cssText
    }
  })
  // A width that is held may break the lines of its neighbours.
  for (const hold of [holdLength, holdLines, holdWidth, holdLines]) {
    const now = measureBlocks(texts)
    for (const [index, was] of before.entries()) hold(was, now[index] ?? was, undo)
  }
  return releaseWhenStale(before, undo)
}

/** Of a letter's size: more than this would be seen. */
const MOST_SPACING = 0.04

const holdLength: Hold = (was, is) => {
  const { letterSpacing, fontSize } = getComputedStyle(was.element)
  const most = MOST_SPACING * Number.parseFloat(fontSize)
  const missing = Math.min(most, Math.max(-most, (was.length - is.length) / was.letters))
  if (missing === 0) return
  was.element.style.letterSpacing = `${(Number.parseFloat(letterSpacing) || 0) + missing}px`
}

const holdLines: Hold = (was, is, undo) => {
  const offsets = ({ lineStarts }: TextBlock) => lineStarts.map(([, offset]) => offset).join()
  if (offsets(was) !== offsets(is)) breakLines(was, undo)
}

/** Turns soft line breaks into hard ones. */
function breakLines({ element: { style }, lineStarts }: TextBlock, undo: (() => void)[]): void {
  if (style.whiteSpace) return
  // From the end on, so that earlier offsets stay true. What precedes a word is the space that ended the line before it.
  for (const [text, offset] of lineStarts.toReversed()) {
    const { data } = text
    const space = data[offset - 1] === ' ' ? 1 : 0
    text.replaceData(offset - space, space, '\n')
    // The first to be undone is the last that was done.
    undo.unshift(() => {
      text.data = data
    })
  }
  style.whiteSpace = 'pre'
  style.setProperty('white-space-collapse', 'preserve-breaks')
}

const holdWidth: Hold = (was, is, undo) => {
  if (Math.abs(was.width - is.width) < 0.1) return
  // 0.02 px less: rounding must not push out of a row what fills it to its end.
  was.element.style.width = `${was.width - 0.02}px`
  breakLines(was, undo)
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
