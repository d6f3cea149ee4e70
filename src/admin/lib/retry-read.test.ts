import { expect, test } from 'vitest'
import { RequestError } from './api.ts'
import { retryDelay, shouldRetryRead } from './queries.ts'

test.each([
  [502, 0, true],
  [504, 2, true],
  [504, 3, false],
  // Repeated by the data client already: once more here would multiply the waits.
  [503, 0, false],
  [0, 0, false],
  [500, 0, false],
  [401, 0, false],
])('status %i after %i failures: retry %s', (status, failures, retry) => {
  expect(shouldRetryRead(failures, new RequestError({ status }))).toBe(retry)
})

test('what is no answer of a service is not repeated', () => {
  expect(shouldRetryRead(0, new TypeError('bug'))).toBe(false)
})

test('the waits double', () => {
  expect([0, 1, 2].map(retryDelay)).toEqual([500, 1000, 2000])
})
