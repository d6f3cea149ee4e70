import { expect, test } from 'vitest'
import { groupByDay } from './activity-screen.tsx'

test('groups by days of the site, the first two by name', () => {
  const at = (time: string) => ({ id: time, at: time, by: '', kind: 'system', text: '' }) as const
  const now = Date.parse('2026-11-15T12:00:00Z')
  // 02:59 UTC is still the day before in Brasília.
  const events = [
    '2026-11-15T03:00:00Z',
    '2026-11-15T02:59:00Z',
    '2026-11-14T03:00:00Z',
    '2026-11-01T12:00:00Z',
  ]
  expect(groupByDay(events.map(at), now).map(({ label, events: own }) => [label, own.length])).toEqual([
    ['Hoje', 1],
    ['Ontem', 2],
    ['01/11/2026', 1],
  ])
})
