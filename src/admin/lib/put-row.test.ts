import { expect, test } from 'vitest'
import { putRow } from './queries.ts'

const rows = [
  { id: 'b', name: 'B' },
  { id: 'a', name: 'A' },
]

test('a new row comes first', () => {
  expect(putRow(rows, { id: 'c', name: 'C' }).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
})

test('a known row is replaced where it is', () => {
  expect(putRow(rows, { id: 'a', name: 'novo' })).toEqual([rows[0], { id: 'a', name: 'novo' }])
})
