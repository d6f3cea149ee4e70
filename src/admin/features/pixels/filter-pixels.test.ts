import { expect, test } from 'vitest'
import type { Pixel } from '#contract/pixel.ts'
import { filterPixels, NO_FILTER } from './filter-pixels.ts'

const pixels = [
  { name: 'Meta Principal', pixel_id: '482910377165024', type: 'meta', is_active: true },
  { name: 'Contêiner', pixel_id: 'GTM-K4W8PZ2', type: 'google_tag_manager', is_active: false },
  { name: 'Chat', pixel_id: null, type: 'custom', is_active: true },
] as Pixel[]

test.each([
  [NO_FILTER, ['Meta Principal', 'Contêiner', 'Chat']],
  [{ ...NO_FILTER, search: 'conteiner' }, ['Contêiner']],
  [{ ...NO_FILTER, search: '4829' }, ['Meta Principal']],
  [{ ...NO_FILTER, type: 'custom' as const }, ['Chat']],
  [{ ...NO_FILTER, status: 'active' as const, search: 'c' }, ['Meta Principal', 'Chat']],
  [{ ...NO_FILTER, status: 'inactive' as const, type: 'meta' as const }, []],
])('%o', (filter, names) => {
  expect(filterPixels(pixels, filter).map((pixel) => pixel.name)).toEqual(names)
})
