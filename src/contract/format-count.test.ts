import { expect, test } from 'vitest'
import { formatShare, formatShares } from './format-count.ts'

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

test.each([
  [
    [1, 1, 1],
    ['34%', '33%', '33%'],
  ],
  [
    [1, 1, 2, 2],
    ['17%', '17%', '33%', '33%'],
  ],
  [
    [715, 75, 210],
    ['72%', '7%', '21%'],
  ],
  [
    [604, 392, 4],
    ['60%', '39%', 'menos de 1%'],
  ],
  [
    [997, 2, 1],
    ['mais de 99%', 'menos de 1%', 'menos de 1%'],
  ],
  [
    [10, 0],
    ['100%', '0%'],
  ],
  [
    [29, 71],
    ['29%', '71%'],
  ],
  [
    [0, 0],
    ['', ''],
  ],
])('%j are %j of their sum', (parts, shares) => {
  expect(formatShares(parts)).toEqual(shares)
})

test('rounds some parts of a whole as if the rest were one more', () => {
  expect(formatShares([2, 1], 6)).toEqual(['33%', '17%'])
  expect(formatShares([2], 3)).toEqual(['67%'])
})

test('adds up to 100 for any parts of at least 1%', () => {
  for (let seed = 1; seed < 500; seed++) {
    const parts = Array.from(
      { length: 2 + (seed % 7) },
      (_, index) => 30 + ((seed * (index + 3) * 7919) % 211),
    )
    const sum = formatShares(parts).reduce((all, share) => all + Number.parseInt(share, 10), 0)
    expect(sum, parts.join()).toBe(100)
  }
})
