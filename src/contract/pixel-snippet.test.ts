import fc from 'fast-check'
import { parseFragment } from 'parse5'
import { expect, test } from 'vitest'
import { PIXEL_TYPES } from './pixel.ts'
import { CUSTOM_CODE_PLACEHOLDER, generateSnippet } from './pixel-snippet.ts'

test.each([
  [
    'meta',
    [
      "fbq('init', '482910377165024')",
      "fbq('track', 'PageView')",
      'connect.facebook.net/en_US/fbevents.js',
      'facebook.com/tr?id=482910377165024&ev=PageView&noscript=1',
    ],
  ],
  [
    'google_analytics',
    [
      'googletagmanager.com/gtag/js?id=482910377165024',
      "gtag('js', new Date())",
      "gtag('config', '482910377165024')",
    ],
  ],
  [
    'google_tag_manager',
    [
      "'gtm.start'",
      'googletagmanager.com/gtm.js?id=',
      "'dataLayer','482910377165024'",
      '<noscript><iframe src="https://www.googletagmanager.com/ns.html?id=482910377165024"',
    ],
  ],
] as const)('%s gives the vendor’s own snippet', (type, parts) => {
  const code = generateSnippet(type, ' 482910377165024 ')
  for (const part of parts) expect(code).toContain(part)
})

test('a custom pixel gives the agreed comment, whatever the ID', () => {
  expect(CUSTOM_CODE_PLACEHOLDER).toContain('Código personalizado aqui')
  expect(generateSnippet('custom', '')).toBe(CUSTOM_CODE_PLACEHOLDER)
  expect(parseFragment(CUSTOM_CODE_PLACEHOLDER).childNodes.map((node) => node.nodeName)).toEqual(['#comment'])
})

test('no ID can break out of its code', () => {
  const shape = (type: (typeof PIXEL_TYPES)[number], id: string) =>
    parseFragment(generateSnippet(type, id)).childNodes.map((node) => node.nodeName)
  fc.assert(
    fc.property(fc.constantFrom(...PIXEL_TYPES), fc.string(), (type, id) => {
      const names = shape(type, id)
      expect([[], shape(type, 'G-1')]).toContainEqual(names)
    }),
  )
  expect(generateSnippet('meta', "1');alert(1);//")).toBe('')
})
