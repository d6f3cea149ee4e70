import { expect, test } from 'vitest'
import { formatDate, formatMinute, formatTimestamp, UNKNOWN_DATE } from './format.ts'

test('uses Brasília time, wherever the viewer is', () => {
  // 01:30 on the 16th in UTC.
  const at = '2026-11-16T01:30:00.000Z'
  expect(formatDate(at)).toBe('15/11/2026')
  expect(formatMinute(at)).toBe('15/11/2026, 22:30')
  expect(formatTimestamp(at)).toBe('domingo, 15 de novembro de 2026 às 22:30:00')
})

test.each([formatDate, formatMinute, formatTimestamp])('reports an invalid date', (format) => {
  expect(format('x')).toBe(UNKNOWN_DATE)
})
