import { expect, test } from 'vitest'
import { nextSiteDay, startOfSiteDate } from '#contract/site.ts'
import { readVisitResultsBetween } from './visit-results.ts'

const NOW = Date.parse('2026-11-15T23:10:00.000Z')
const iso = (edges: readonly number[]) => edges.map((edge) => new Date(edge).toISOString())

test('widens times to whole hours', () => {
  const { edges } = readVisitResultsBetween(
    { from: '2026-11-15T10:20:00Z', to: '2026-11-15T12:00:01Z', step: 'hour' },
    NOW,
  )
  expect(iso(edges)).toEqual([10, 11, 12, 13].map((hour) => `2026-11-15T${hour}:00:00.000Z`))
})

test('uses days of Brasília, including the last date', () => {
  const { edges } = readVisitResultsBetween({ from: '2026-11-14', to: '2026-11-15', step: 'day' }, NOW)
  expect(iso(edges)).toEqual([
    '2026-11-14T03:00:00.000Z',
    '2026-11-15T03:00:00.000Z',
    '2026-11-16T03:00:00.000Z',
  ])
  // 22:30 of the 14th at the site.
  const [first] = readVisitResultsBetween(
    { from: '2026-11-15T01:30:00Z', to: '2026-11-15T02:00:00Z', step: 'day' },
    NOW,
  ).edges
  expect(iso([first ?? 0])).toEqual(['2026-11-14T03:00:00.000Z'])
})

test('gives a day its real hours where clocks change', () => {
  const days = [startOfSiteDate('2018-11-03')]
  for (let day = 0; day < 3; day++) days.push(nextSiteDay(days.at(-1) ?? 0))
  // Daylight saving time began on the 4th at midnight: that day had no first hour.
  expect(iso(days)).toEqual([
    '2018-11-03T03:00:00.000Z',
    '2018-11-04T03:00:00.000Z',
    '2018-11-05T02:00:00.000Z',
    '2018-11-06T02:00:00.000Z',
  ])
})

test('defaults to the last day by hours and the last thirty by days', () => {
  expect(iso(readVisitResultsBetween({ step: 'hour' }, NOW).edges)).toHaveLength(25)
  const { step, edges } = readVisitResultsBetween({}, NOW)
  expect(step).toBe('day')
  expect(iso(edges).at(-1)).toBe('2026-11-16T03:00:00.000Z')
  expect(edges).toHaveLength(31)
})

test.each<[string, Record<string, unknown>, RegExp]>([
  ['another step', { step: 'week' }, /por hora/],
  ['two steps', { step: ['hour', 'day'] }, /por hora/],
  ['no date', { from: 'ontem' }, /data inicial \("from"\)/],
  ['a date that is none', { from: '2026-02-30' }, /data inicial/],
  ['a moment without a zone', { to: '2026-11-15T10:00:00' }, /data final \("to"\)/],
  ['two dates', { from: ['2026-11-01', '2026-11-02'] }, /data inicial/],
  ['an end before the beginning', { from: '2026-11-15', to: '2026-11-01' }, /antes da final/],
  ['too many hours', { from: '2026-10-01', to: '2026-11-01', step: 'hour' }, /até 14 dias/],
  ['too many days', { from: '2025-01-01', to: '2026-11-01' }, /até 400 dias/],
  ['a year before the site', { from: '0001-01-01', to: '0001-01-02' }, /2020/],
  ['the end of time', { from: '2026-11-01', to: '9999-12-31' }, /2020/],
  ['a century', { from: '2026-11-01', to: '2099-12-31' }, /até 400 dias/],
])('refuses %s with a message', (_what, query, message) => {
  expect(() => readVisitResultsBetween(query, NOW)).toThrow(message)
})
