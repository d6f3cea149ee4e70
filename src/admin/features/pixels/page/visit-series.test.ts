import { expect, test } from 'vitest'
import { copiesOf, longLabel, shortLabel, sumRows, sumSet } from './visit-series.ts'

test('uses hours and days of the site, wherever the viewer is', () => {
  const row = { from: '2026-11-15T03:00:00.000Z', blocked: 0, failed: 0, reached: 0 }
  expect([shortLabel(row, 'hour'), shortLabel(row, 'day')]).toEqual(['00h', '15/11'])
  expect(longLabel(row, 'hour')).toBe('domingo, 15/11, 00h')
})

test('marks a sum in which something was not counted', () => {
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

test('sums server events over the time in which the server sent; without any there is no sum, not zero', () => {
  const visits = { from: '', blocked: 1, failed: 0, reached: 2 }
  const none = { accepted: 0, unconfirmed: 0, refused: 0, waiting: 0, expired: 0, withheld: 0 }
  const copies = { ...visits, ...none, events: 5, accepted: 3, refused: 1, waiting: 1 }
  const set = copiesOf('meta', [visits, copies])
  expect(set.series.map(({ key }) => key)).toEqual(['withheld', 'expired', 'refused', 'waiting', 'accepted'])
  expect(sumSet([visits, copies], set)).toEqual({
    parts: { withheld: 0, expired: 0, refused: 1, waiting: 1, accepted: 3 },
    total: 5,
  })
  expect(sumSet([visits], set)).toMatchObject({ total: null, parts: { accepted: null } })
  expect(copiesOf('google_analytics', [copies]).series.map(({ key }) => key)).toContain('accepted')
  expect(copiesOf('google_analytics', [visits]).series.map(({ key }) => key)).not.toContain('accepted')
})
