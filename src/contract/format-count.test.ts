import { expect, test } from 'vitest'
import { formatShare } from './format-count.ts'

test.each([
  [0, 10, '0%'],
  [1, 1_000, 'menos de 1%'],
  [1, 100, '1%'],
  [2, 3, '67%'],
  [995, 1_000, 'mais de 99%'],
  [10, 10, '100%'],
  [0, 0, ''],
])('%d of %d is "%s"', (part, whole, text) => {
  expect(formatShare(part, whole)).toBe(text)
})
