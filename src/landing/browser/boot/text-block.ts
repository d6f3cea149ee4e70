import { boxesOf } from './texts-in-sight.ts'

/** A block of text as it is laid out. */
export interface TextBlock {
  element: HTMLElement
  /** Of its box. */
  width: number
  /** Of its lines, laid end to end. */
  length: number
  letters: number
  /** Words that begin a line other than the first: text and offset. */
  lineStarts: [Text, number][]
}

/** In the order of the texts, which is the same each time. */
export function measureBlocks(texts: readonly Text[]): TextBlock[] {
  const blocks = new Map<HTMLElement, Text[]>()
  for (const text of texts) {
    const element = blockOf(text)
    const parts = blocks.get(element)
    if (parts === undefined) blocks.set(element, [text])
    else parts.push(text)
  }
  return Array.from(blocks, ([element, parts]) => {
    const lines = parts.flatMap((text) => boxesOf(text))
    return {
      element,
      width: element.getBoundingClientRect().width,
      length: lines.reduce((sum, line) => sum + line.width, 0),
      letters: parts.reduce((sum, text) => sum + text.length, 0),
      lineStarts: findLineStarts(parts),
    }
  })
}

function blockOf(text: Text): HTMLElement {
  let element = text.parentElement as HTMLElement
  while (getComputedStyle(element).display === 'inline') element = element.parentElement as HTMLElement
  return element
}

function findLineStarts(texts: readonly Text[]): [Text, number][] {
  const found: [Text, number][] = []
  let line = Number.NaN
  for (const text of texts) {
    // A line may also end after a hyphen.
    for (const { 0: word, index } of text.data.matchAll(/[^\s-]+-*|-+/g)) {
      const top = boxesOf(text, index, index + word.length)[0]?.top ?? line
      if (top > line + 1) found.push([text, index])
      line = top
    }
  }
  return found
}
