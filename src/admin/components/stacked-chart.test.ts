import { expect, test } from 'vitest'
import { roundUp } from './stacked-chart.tsx'

test.each([
  [0, 4],
  [3, 4],
  [5, 8],
  [9, 12],
  [17, 20],
  [99, 100],
  [101, 120],
  [161, 200],
  [1_590, 1_600],
  [100_001, 120_000],
])('the axis for %i ends at %i, in four whole steps', (most, end) => {
  expect(roundUp(most)).toBe(end)
  expect(end % 4).toBe(0)
})
