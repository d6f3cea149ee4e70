import { expect, test } from 'vitest'
import { isUnavailable } from './errors.ts'

test.each([
  ['57P01', true],
  ['53300', true],
  ['08006', true],
  ['25006', true],
  ['23505', false],
  ['42703', false],
])('SQLSTATE %s means unavailable: %s', (code, expected) => {
  expect(isUnavailable(Object.assign(new Error('x'), { code }))).toBe(expected)
})

test.each([
  ['full', 13, true],
  ['busy, as a snapshot', 517, true],
  ['read-only, as moved', 1032, true],
  ['a constraint', 2067, false],
  ['damaged', 11, false],
  ['damaged, in an index', 779, false],
  ['not a database', 26, false],
])('SQLite %s (%i) means unavailable: %s', (_what, errcode, expected) => {
  expect(isUnavailable(Object.assign(new Error('x'), { errcode }))).toBe(expected)
})
