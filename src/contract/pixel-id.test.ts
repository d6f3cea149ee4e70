import { describe, expect, test } from 'vitest'
import type { PixelType } from './pixel.ts'
import { findPixelIdFault, normalizePixelId, pixelIdHint } from './pixel-id.ts'
import { generateSnippet } from './pixel-snippet.ts'

describe('extracts an ID from the text around it', () => {
  test.each([
    ['482910377165024', '482910377165024'],
    [' 482910377165024\t', '482910377165024'],
    ["'482910377165024',", '482910377165024'],
    ['“G-7XK2M9QTLP”', 'G-7XK2M9QTLP'],
    ['4829 1037 7165 024', '482910377165024'],
    ['\u200bGTM-K4W8PZ2\u00a0', 'GTM-K4W8PZ2'],
    ["fbq('init', '482910377165024');", '482910377165024'],
    [generateSnippet('meta', '482910377165024').replaceAll('\n', ''), '482910377165024'],
    [generateSnippet('google_analytics', 'G-7XK2M9QTLP'), 'G-7XK2M9QTLP'],
    [generateSnippet('google_tag_manager', 'GTM-K4W8PZ2'), 'GTM-K4W8PZ2'],
    ['abc', 'abc'],
    ['', ''],
  ])('%j', (text, id) => {
    expect(normalizePixelId(text)).toBe(id)
  })
})

test.each<[PixelType, string | null, string | null, PixelType | null]>([
  ['meta', '482910377165024', null, null],
  ['meta', '42', null, null],
  ['meta', 'abc', 'O ID abc não é de um pixel da Meta. O Pixel ID da Meta tem só números.', null],
  [
    'meta',
    'G-7XK2M9QTLP',
    'O ID G-7XK2M9QTLP não é de um pixel da Meta: é do Google Analytics.',
    'google_analytics',
  ],
  [
    'meta',
    'GTM-K4W8PZ2',
    'O ID GTM-K4W8PZ2 não é de um pixel da Meta: é do Google Tag Manager.',
    'google_tag_manager',
  ],
  ['google_analytics', 'G-7XK2M9QTLP', null, null],
  ['google_analytics', 'AW-1029384756', null, null],
  [
    'google_analytics',
    '482910377165024',
    'O ID 482910377165024 não é do Google Analytics: é de um pixel da Meta.',
    'meta',
  ],
  [
    'google_analytics',
    '4829',
    'O ID 4829 não é do Google Analytics. O Measurement ID do GA4 começa com "G-".',
    null,
  ],
  [
    'google_analytics',
    'UA-12345-1',
    'UA-12345-1 é do Universal Analytics, que o Google encerrou. Crie uma propriedade do GA4 e use o ID que começa com "G-".',
    null,
  ],
  ['google_tag_manager', 'GTM-K4W8PZ2', null, null],
  [
    'google_tag_manager',
    'G-7XK2M9QTLP',
    'O ID G-7XK2M9QTLP não é do Google Tag Manager: é do Google Analytics.',
    'google_analytics',
  ],
  ['meta', ' ', null, null],
  ['custom', 'qualquer', null, null],
  ['custom', null, null, null],
])('%s with %j', (type, id, message, other) => {
  expect(findPixelIdFault(type, id)).toEqual(message === null ? null : { message, type: other })
})

test('hints only at an unusual length', () => {
  expect(pixelIdHint('meta', '42')).toContain('15 ou 16')
  expect([pixelIdHint('meta', '482910377165024'), pixelIdHint('meta', 'abc')]).toEqual([null, null])
})
