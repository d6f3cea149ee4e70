import { expect, test } from 'vitest'
import { isQuiet } from './requests.ts'

test.each<[string, [duration: number, end: number][], boolean]>([
  ['nothing of it came', [], false],
  ['its script came long ago', [[200, 4_000]], true],
  ['its script came a moment ago', [[200, 8_000]], false],
  [
    'one of several came a moment ago',
    [
      [200, 4_000],
      [200, 9_000],
    ],
    false,
  ],
  ['a slow network, for which six seconds are nothing', [[3_000, 4_000]], false],
  ['a network that is a little slow', [[1_400, 4_000]], true],
])('%s', (_name, seen, expected) => {
  expect(
    isQuiet(
      seen.map(([duration, end]) => ({ duration, end })),
      10_000,
    ),
  ).toBe(expected)
})
