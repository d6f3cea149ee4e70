import type { Pixel } from '#contract/pixel.ts'
import { type ColumnFacts, PIXEL_COLUMNS, pixelColumns } from '#contract/pixel-columns.ts'

/** A value for every readable column, so that a new column needs no change in unrelated tests. */
export function blankPixel(): Pixel {
  return Object.fromEntries(
    pixelColumns(({ read }) => read !== false).map((name) => [name, blankValue(PIXEL_COLUMNS[name])]),
  ) as Pixel
}

function blankValue({ type, nullable, document, words }: ColumnFacts): unknown {
  if (nullable) return null
  if (type === 'boolean') return false
  if (type === 'json') return document === 'array' ? [] : {}
  return Object.keys(words ?? {})[0] ?? ''
}
