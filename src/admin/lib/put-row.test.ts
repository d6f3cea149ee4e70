import { expect, test } from 'vitest'
import { putRow } from './queries.ts'

const rows = [
  { id: 'b', name: 'B' },
  { id: 'a', name: 'A' },
]

test('puts a new row first', () => {
  expect(putRow(rows, { id: 'c', name: 'C' }).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
})

test('replaces a known row in place', () => {
  expect(putRow(rows, { id: 'a', name: 'novo' })).toEqual([rows[0], { id: 'a', name: 'novo' }])
})
