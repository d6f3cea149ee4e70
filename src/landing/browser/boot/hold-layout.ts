import {
  type LineStart,
  lengthOf,
  lineStartsOf,
  measureBlocks,
  type TextBlock,
  widthOf,
} from './text-block.ts'

/** How to undo what the style of a block does not hold is added to it. */
type Undo = (() => void)[]

/**
 * Keeps lines and widths as they are through a change of fonts: what is between the two fonts' widths goes between the
 * letters, and a line that would still break elsewhere is broken where it was. This is held until the window has another
 * width, the page is printed or somebody changes a text, as a translator does.
 */
export function holdLayout(texts: readonly Text[], change: () => void): () => void {
  const blocks = measureBlocks(texts)
  change()
  const undo: Undo = blocks.map(({ element: { style } }) => {
    const { cssText } = style
    return () => {
      style.cssText = cssText
    }
  })
  /** Reads all and then writes: in between nothing is laid out anew. */
  const hold = <Measure>(
    read: (block: TextBlock) => Measure,
    write: (was: TextBlock, is: Measure) => void,
  ) => {
    const now = blocks.map((was) => [was, read(was)] as const)
    for (const [was, is] of now) write(was, is)
  }
  const holdLines = () =>
    hold(lineStartsOf, (was, is) => {
      if (offsetsOf(was.lineStarts) !== offsetsOf(is)) breakLines(was, undo)
    })
  hold(spacingThatHolds, ({ element: { style } }, spacing) => {
    style.letterSpacing = spacing
  })
  holdLines()
  hold(widthOf, (was, is) => {
    if (Math.abs(was.width - is) < 0.1) return
    // 0.02 px less: rounding must not push out of a row what fills it to its end.
    was.element.style.width = `${was.width - 0.02}px`
    breakLines(was, undo)
  })
  // A width that is held may break the lines of its neighbours.
  holdLines()
  return releaseWhenStale(blocks, undo)
}

const offsetsOf = (starts: readonly LineStart[]) => starts.map(([, offset]) => offset).join()

/** Of a letter's size: more than this would be seen. */
const MOST_SPACING = 0.04

function spacingThatHolds(was: TextBlock): string {
  const { letterSpacing, fontSize } = getComputedStyle(was.element)
  const most = MOST_SPACING * Number.parseFloat(fontSize)
  const letters = was.texts.reduce((sum, { length }) => sum + length, 0)
  const missing = Math.min(most, Math.max(-most, (was.length - lengthOf(was)) / letters))
  return missing === 0 ? '' : `${(Number.parseFloat(letterSpacing) || 0) + missing}px`
}

/** Turns soft line breaks into hard ones. */
function breakLines({ element: { style }, lineStarts }: TextBlock, undo: Undo): void {
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

function releaseWhenStale(blocks: readonly TextBlock[], undo: Undo): () => void {
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
