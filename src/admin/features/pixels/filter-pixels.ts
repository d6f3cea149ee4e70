import { matchesSearch } from '#admin/lib/search-text.ts'
import type { Pixel, PixelType } from '#contract/pixel.ts'

export interface PixelFilter {
  search: string
  type: PixelType | 'all'
  status: 'all' | 'active' | 'inactive'
}

export const NO_FILTER: PixelFilter = { search: '', type: 'all', status: 'all' }

export function filterPixels(pixels: readonly Pixel[], filter: PixelFilter): readonly Pixel[] {
  if (filter.search.trim() === '' && filter.type === 'all' && filter.status === 'all') return pixels
  return pixels.filter(
    ({ name, pixel_id, type, is_active }) =>
      (filter.type === 'all' || type === filter.type) &&
      (filter.status === 'all' || is_active === (filter.status === 'active')) &&
      matchesSearch(filter.search, [name, pixel_id]),
  )
}
