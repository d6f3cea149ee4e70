import { describe, expect, test } from 'vitest'
import { CUSTOM_CODE_PLACEHOLDER, generateSnippet } from '#contract/pixel-snippet.ts'
import { generateCode, isHandEdited } from './recognition.ts'

const META = { type: 'meta', pixelId: '482910377165024' } as const

describe('generateCode', () => {
  test('returns the snippet of the type for the ID', () => {
    expect(generateCode(META)).toBe(generateSnippet('meta', '482910377165024'))
    expect(generateCode({ type: 'google_tag_manager', pixelId: 'GTM-K4W8PZ2' })).toContain(
      'ns.html?id=GTM-K4W8PZ2',
    )
  })
  test('returns nothing without an ID', () => {
    expect(generateCode({ type: 'google_analytics', pixelId: ' ' })).toBe('')
    expect(generateCode({ type: 'custom', pixelId: '' })).toBe('')
  })
  test('returns the agreed comment for a custom pixel', () => {
    expect(generateCode({ type: 'custom', pixelId: '123' })).toBe(CUSTOM_CODE_PLACEHOLDER)
  })
})

describe('isHandEdited', () => {
  test.each([
    ['nothing', '', META, false],
    ['the generated code', generateCode(META), META, false],
    [
      'what was generated, with the line ends of a form',
      generateCode(META).replaceAll('\n', '\r\n'),
      META,
      false,
    ],
    ['the comment of a custom pixel', CUSTOM_CODE_PLACEHOLDER, { type: 'custom', pixelId: '' }, false],
    ['a line added by hand', `${generateCode(META)}\n<!-- meu -->`, META, true],
    ['the code of another ID', generateCode({ ...META, pixelId: '1' }), META, true],
    ['code of a custom pixel', '<script>chat()</script>', { type: 'custom', pixelId: '' }, true],
  ] as const)('%s', (_name, code, source, edited) => {
    expect(isHandEdited(code, source)).toBe(edited)
  })
})
