import { expect, test } from 'vitest'
import { parseTimestamp, toTextTimestamp, toWireTimestamp } from './values.ts'

test.each([
  ['2026-11-15T01:11:32.503Z', '2026-11-15T01:11:32.503+00:00', '2026-11-15 01:11:32.503+00'],
  ['2026-11-15T01:11:32.500Z', '2026-11-15T01:11:32.5+00:00', '2026-11-15 01:11:32.5+00'],
  ['2026-11-15T01:11:32.050Z', '2026-11-15T01:11:32.05+00:00', '2026-11-15 01:11:32.05+00'],
  ['2026-11-15T01:10:00.000Z', '2026-11-15T01:10:00+00:00', '2026-11-15 01:10:00+00'],
])('formats %s', (iso, wire, text) => {
  expect(toWireTimestamp(iso)).toBe(wire)
  expect(toTextTimestamp(iso)).toBe(text)
  expect(parseTimestamp(wire)).toBe(iso)
  expect(parseTimestamp(text)).toBe(iso)
})

test.each([
  ['2026-11-15', '2026-11-15T00:00:00.000Z'],
  ['2026-11-15T22:30-03', '2026-11-16T01:30:00.000Z'],
  ['2026-11-15 22:30:01 +0530', '2026-11-15T17:00:01.000Z'],
  ['2026-11-15T22:30:01.123456Z', '2026-11-15T22:30:01.123Z'],
])('reads %s', (text, iso) => expect(parseTimestamp(text)).toBe(iso))

test.each(['', 'now', '2026', '15/11/2026', '2026-11-15T', '1', '2026-11-15T10:00:00+99'])(
  'refuses %s',
  (text) => {
    expect(() => parseTimestamp(text)).toThrow(/invalid input syntax|out of range/)
  },
)
