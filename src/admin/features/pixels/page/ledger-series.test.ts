import { expect, test } from 'vitest'
import { longLabel, roundUp, shortLabel, sumRows } from './ledger-series.ts'

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
])('an axis for %i ends at %i, in four whole steps', (most, end) => {
  expect(roundUp(most)).toBe(end)
  expect(end % 4).toBe(0)
})

test('hours and days are the site’s, wherever one looks from', () => {
  const row = { from: '2026-11-15T03:00:00.000Z', blocked: 0, failed: 0, reached: 0 }
  expect([shortLabel(row, 'hour'), shortLabel(row, 'day')]).toEqual(['00h', '15/11'])
  expect(longLabel(row, 'hour')).toBe('domingo, 15/11, 00h')
})

test('a sum in which something was not counted says so', () => {
  const row = { from: '', blocked: 1, failed: 2, reached: 3 }
  const whole = { ...row, offered: 10, not_consented: 4 }
  expect(sumRows([whole, whole])).toEqual({
    offered: 20,
    not_consented: 8,
    blocked: 2,
    failed: 4,
    reached: 6,
  })
  expect(sumRows([whole, row])).toMatchObject({ offered: null, not_consented: null, reached: 6 })
})
