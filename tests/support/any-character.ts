import fc from 'fast-check'

const SURROGATES_BEGIN = 0xd800
const SURROGATES = 0x800

/** Any character; the library's own unit builds a table of them all, which takes two seconds. */
export const anyCharacter = fc
  .nat(0x10ffff - SURROGATES)
  .map((n) => String.fromCodePoint(n < SURROGATES_BEGIN ? n : n + SURROGATES), numberOf)

function numberOf(value: unknown): number {
  const point = typeof value === 'string' ? value.codePointAt(0) : undefined
  if (point === undefined || value !== String.fromCodePoint(point)) throw new Error('not a character')
  return point < SURROGATES_BEGIN ? point : point - SURROGATES
}
