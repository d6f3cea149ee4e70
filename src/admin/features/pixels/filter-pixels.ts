import { matchesSearch } from '#admin/lib/search-text.ts'
import type { Pixel, PixelType } from '#contract/pixel.ts'
import { HEALTHS, type Health, isProblem } from './pixel-health.ts'

export interface PixelFilter {
  search: string
  type: PixelType | 'all'
  status: 'all' | 'active' | 'inactive'
  /** `problems-first` shows all of them, in another order. */
  health: Health | 'all' | 'problems-first' | 'problems'
}

export const NO_FILTER: PixelFilter = { search: '', type: 'all', status: 'all', health: 'all' }

type HealthOf = (pixel: Pixel) => Health | undefined

export function filterPixels(
  pixels: readonly Pixel[],
  filter: PixelFilter,
  healthOf: HealthOf,
): readonly Pixel[] {
  const found = isOpen(filter) ? pixels : pixels.filter((pixel) => passes(pixel, filter, healthOf))
  return filter.health === 'problems-first' || filter.health === 'problems'
    ? sortByHealth(found, healthOf)
    : found
}

function isOpen({ search, type, status, health }: PixelFilter): boolean {
  return (
    search.trim() === '' &&
    type === 'all' &&
    status === 'all' &&
    (health === 'all' || health === 'problems-first')
  )
}

function passes(pixel: Pixel, { search, type, status, health }: PixelFilter, healthOf: HealthOf): boolean {
  return (
    (type === 'all' || pixel.type === type) &&
    (status === 'all' || pixel.is_active === (status === 'active')) &&
    passesHealth(pixel, health, healthOf) &&
    (matchesSearch(search, [pixel.name, pixel.pixel_id]) || isIdInCode(search, pixel))
  )
}

/** A pixel without an ID of its own has it in its code. Only what may be an ID is looked for there. */
function isIdInCode(search: string, { pixel_id, code }: Pixel): boolean {
  const id = search.trim()
  if (pixel_id || !code || !/^[\w./-]{5,}$/.test(id) || !/\d/.test(id)) return false
  return new RegExp(id.replaceAll(/[.]/g, '\\.'), 'i').test(code)
}

function passesHealth(pixel: Pixel, wanted: PixelFilter['health'], healthOf: HealthOf): boolean {
  if (wanted === 'all' || wanted === 'problems-first') return true
  const health = healthOf(pixel)
  return wanted === 'problems' ? isProblem(health) : health === wanted
}

/** Within one health they stay as they were: the newest first. */
function sortByHealth(pixels: readonly Pixel[], healthOf: HealthOf): Pixel[] {
  const ranked = pixels.map((pixel) => {
    const health = healthOf(pixel)
    return { pixel, rank: health === undefined ? HEALTHS.length : HEALTHS.indexOf(health) }
  })
  return ranked.sort((one, other) => one.rank - other.rank).map(({ pixel }) => pixel)
}
