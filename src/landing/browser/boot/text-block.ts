import { boxesOf } from './texts-in-sight.ts'

/** A block of text as it was laid out. */
export interface TextBlock {
  element: HTMLElement
  texts: Text[]
  width: number
  length: number
  lineStarts: LineStart[]
}

/** A word that begins a line other than the first of its block. */
export type LineStart = [text: Text, offset: number]

type Block = Pick<TextBlock, 'element' | 'texts'>

/** In the order of the texts. */
export function measureBlocks(texts: readonly Text[]): TextBlock[] {
  const blocks = new Map<HTMLElement, Text[]>()
  for (const text of texts) {
    const element = blockOf(text)
    const parts = blocks.get(element)
    if (parts === undefined) blocks.set(element, [text])
    else parts.push(text)
  }
  return Array.from(blocks, ([element, parts]) => {
    const block = { element, texts: parts }
    return { ...block, width: widthOf(block), length: lengthOf(block), lineStarts: lineStartsOf(block) }
  })
}

function blockOf(text: Text): HTMLElement {
  let element = text.parentElement as HTMLElement
  while (getComputedStyle(element).display === 'inline') element = element.parentElement as HTMLElement
  return element
}

/** Of its box. */
export const widthOf = ({ element }: Block): number => element.getBoundingClientRect().width

/** Of its lines, laid end to end. */
export const lengthOf = ({ texts }: Block): number =>
  texts.flatMap((text) => boxesOf(text)).reduce((sum, line) => sum + line.width, 0)

export function lineStartsOf({ texts }: Block): LineStart[] {
  const found: LineStart[] = []
  let line = Number.NaN
  for (const text of texts) {
    const boxes = boxesOf(text)
    const top = boxes[0]?.top ?? line
    const bottom = boxes.at(-1)?.top ?? line
    // A line may also end after a hyphen.
    const words = Array.from(text.data.matchAll(/[^\s-]+-*|-+/g), ({ 0: { length }, index }) => [
      index,
      index + length,
    ])
    const note = (word: number) => found.push([text, words[word]?.[0] ?? 0])
    // What lies between two words of one line is on that line, and not looked at.
    const search = (first: number, top: number, last: number, bottom: number) => {
      if (bottom <= top + 1) return
      const half = (first + last) >> 1
      if (half === first) return note(last)
      const middle = boxesOf(text, ...(words[half] ?? []))[0]?.top ?? top
      search(first, top, half, middle)
      search(half, middle, last, bottom)
    }
    if (words.length > 0 && top > line + 1) note(0)
    search(0, top, words.length - 1, bottom)
    if (words.length > 0) line = bottom
  }
  return found
}
