import { expect, test } from 'vitest'
import { pixelIdHint } from './pixel-id-hint.ts'

test.each([
  ['meta', '482910377165024', null],
  ['meta', 'G-7XK2M9QTLP', 'números'],
  ['google_analytics', 'G-7XK2M9QTLP', null],
  ['google_analytics', 'UA-1-1', '"G-"'],
  ['google_tag_manager', 'GTM-K4W8PZ2', null],
  ['google_tag_manager', 'G-7XK2M9QTLP', '"GTM-"'],
  ['meta', ' ', null],
  ['custom', 'qualquer', null],
] as const)('%s with %j', (type, id, hint) => {
  if (hint === null) expect(pixelIdHint(type, id)).toBeNull()
  else expect(pixelIdHint(type, id)).toContain(hint)
})
