import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '#contract/durations.ts'
import { LAST_ATTEMPT, newsletterBackOff } from './webhook.ts'

const delayAfter = (attempts: number, random: () => number) => newsletterBackOff(random).after(attempts, null)

test('doubles from one second and never waits longer than one hour', () => {
  expect([1, 2, 3, 4, 12].map((attempts) => delayAfter(attempts, () => 0))).toEqual([
    1_000, 2_000, 4_000, 8_000, 2_048_000,
  ])
  for (const attempts of [1, 5, 13, 100, 2_000]) {
    const shortest = delayAfter(attempts, () => 0)
    const longest = delayAfter(attempts, () => 1)
    expect(shortest).toBeGreaterThanOrEqual(1_000)
    expect(longest).toBeLessThanOrEqual(HOUR_MS)
    expect(longest).toBeGreaterThan(shortest)
  }
})

test('gives up after seven days of delays', () => {
  const waited = (attempts: number) =>
    Array.from({ length: attempts - 1 }, (_, index) => delayAfter(index + 1, () => 0.5)).reduce(
      (sum, delay) => sum + delay,
      0,
    )
  expect(waited(LAST_ATTEMPT)).toBeGreaterThanOrEqual(7 * DAY_MS)
  expect(waited(LAST_ATTEMPT - 1)).toBeLessThan(7 * DAY_MS)
})
