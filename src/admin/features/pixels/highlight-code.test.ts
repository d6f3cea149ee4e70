import fc from 'fast-check'
import { expect, test } from 'vitest'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { highlightCode } from './code.tsx'

test('keeps all of the code', () => {
  const join = (code: string) =>
    highlightCode(code)
      .map((token) => token.text)
      .join('')
  fc.assert(fc.property(fc.string(), (code) => join(code) === code))
  for (const type of ['meta', 'google_analytics', 'google_tag_manager'] as const) {
    const code = generateSnippet(type, 'GTM-1')
    expect(join(code)).toBe(code)
  }
})

test('distinguishes comments, strings, tags and keywords', () => {
  const kinds = highlightCode(`<!-- nota -->\n<script src="https://a.example/x.js">\nvar a = 'b'; // fim`)
    .filter((token) => token.kind !== 'text')
    .map((token) => [token.kind, token.text])
  expect(kinds).toEqual([
    ['comment', '<!-- nota -->'],
    ['keyword', '<script'],
    ['string', '"https://a.example/x.js"'],
    ['keyword', 'var'],
    ['string', "'b'"],
    ['comment', '// fim'],
  ])
})

test('leaves very long code in one piece', () => {
  expect(highlightCode('var a;'.repeat(10_000))).toHaveLength(1)
})
