import { expect, test } from 'vitest'
import { nextTimestamp } from './time.ts'

test('a new version is later than the last, even if the clock is behind', () => {
  const ahead = new Date(Date.now() + 60_000).toISOString()
  expect(Date.parse(nextTimestamp(ahead))).toBe(Date.parse(ahead) + 1)
  expect(Date.parse(nextTimestamp('2020-01-01T00:00:00.000Z'))).toBeGreaterThanOrEqual(Date.now() - 1000)
})
