import { expect, test } from 'vitest'
import { RequestError } from './api.ts'
import { retryDelay, shouldRetryRead } from './queries.ts'

test.each([
  [502, 0, true],
  [504, 2, true],
  [504, 3, false],
  // Retried by the data client already: another retry here would multiply the delays.
  [503, 0, false],
  [0, 0, false],
  [500, 0, false],
  [401, 0, false],
])('status %i after %i failures: retry %s', (status, failures, retry) => {
  expect(shouldRetryRead(failures, new RequestError({ status }))).toBe(retry)
})

test('does not retry other errors', () => {
  expect(shouldRetryRead(0, new TypeError('bug'))).toBe(false)
})

test('doubles the delays', () => {
  expect([0, 1, 2].map(retryDelay)).toEqual([500, 1000, 2000])
})
