import { expect, test } from 'vitest'
import { matchesSearch } from './table.tsx'

test.each([
  ['', true],
  ['  ', true],
  ['conteiner', true],
  ['CAMPANHAS contêiner', true],
  ['gtm-k4', true],
  ['campanhas meta', false],
])('searching %j: %s', (search, found) => {
  expect(matchesSearch(search, ['Contêiner de campanhas', 'GTM-K4W8PZ2'])).toBe(found)
})

test('accepts a pixel without an ID', () => {
  expect(matchesSearch('chat', ['Chat', null])).toBe(true)
})
