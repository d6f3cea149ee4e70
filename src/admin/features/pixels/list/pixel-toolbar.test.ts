import { expect, test } from 'vitest'
import type { ListedPixel } from '../api.ts'
import { filterPixels, NO_FILTER } from './pixel-toolbar.tsx'

const pixels = [
  { id: 'a', name: 'Meta Principal', pixel_id: '482910377165024', type: 'meta', is_active: true },
  { id: 'b', name: 'Contêiner', pixel_id: 'GTM-K4W8PZ2', type: 'google_tag_manager', is_active: false },
  { id: 'c', name: 'Chat', pixel_id: null, type: 'custom', is_active: true },
] as ListedPixel[]

const healthOfThese = ({ name, is_active }: ListedPixel) =>
  !is_active ? ('off' as const) : name === 'Chat' ? ('broken' as const) : ('unconfirmed' as const)

test.each([
  [NO_FILTER, ['Meta Principal', 'Contêiner', 'Chat']],
  [{ ...NO_FILTER, search: 'conteiner' }, ['Contêiner']],
  [{ ...NO_FILTER, search: '4829' }, ['Meta Principal']],
  [{ ...NO_FILTER, search: 'load' }, []],
  [{ ...NO_FILTER, type: 'custom' as const }, ['Chat']],
  [{ ...NO_FILTER, status: 'active' as const, search: 'c' }, ['Meta Principal', 'Chat']],
  [{ ...NO_FILTER, status: 'inactive' as const, type: 'meta' as const }, []],
  [{ ...NO_FILTER, health: 'problems-first' as const }, ['Chat', 'Meta Principal', 'Contêiner']],
  [{ ...NO_FILTER, health: 'problems-first' as const, search: 'e' }, ['Meta Principal', 'Contêiner']],
  [{ ...NO_FILTER, health: 'problems' as const }, ['Chat']],
  [{ ...NO_FILTER, health: 'unconfirmed' as const }, ['Meta Principal']],
  [{ ...NO_FILTER, health: 'working' as const }, []],
  [{ ...NO_FILTER, health: 'off' as const }, ['Contêiner']],
])('%o', (filter, names) => {
  const known = { healthOf: healthOfThese, byCode: new Set<string>() }
  expect(filterPixels(pixels, filter, known).map((pixel) => pixel.name)).toEqual(names)
})

test('what is found in its code passes, if it passes the other filters too', () => {
  const known = { healthOf: healthOfThese, byCode: new Set(['b', 'c']) }
  const filter = { ...NO_FILTER, search: 'c4abcdef12', status: 'active' as const }
  expect(filterPixels(pixels, filter, known).map((pixel) => pixel.name)).toEqual(['Chat'])
})

test('without a filter of health nobody is asked about it, and the list is the same one', () => {
  const asked = () => {
    throw new Error('asked')
  }
  expect(filterPixels(pixels, NO_FILTER, { healthOf: asked, byCode: new Set() })).toBe(pixels)
})
