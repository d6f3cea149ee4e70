import type { PixelType } from '#contract/pixel.ts'
import type { VendorMark } from '#server/vendors/marks.ts'
import { marksOfPixel } from '#server/vendors/marks.ts'

export interface NamedPixel {
  id: string
  name: string
  type: PixelType
  pixel_id: string | null
}

export interface Double {
  account: string
  /** The name of the other pixel. */
  name: string
}

/** For each pixel that holds an account of a vendor that another one holds too, in its field or in its code, that other. */
export function findDoubles(
  pixels: readonly NamedPixel[],
  marksOf: (id: string) => readonly VendorMark[],
): Map<string, Double> {
  const holders = new Map<string, NamedPixel[]>()
  for (const pixel of pixels) {
    for (const key of accountsOf(pixel, marksOf(pixel.id))) {
      const same = holders.get(key)
      if (same === undefined) holders.set(key, [pixel])
      else same.push(pixel)
    }
  }
  const doubles = new Map<string, Double>()
  for (const [key, same] of holders) {
    for (const pixel of same) {
      const other = same.find((candidate) => candidate.id !== pixel.id)
      if (other === undefined) continue
      doubles.set(pixel.id, { account: key.slice(key.indexOf(' ') + 1), name: other.name })
    }
  }
  return doubles
}

/** `vendor account` for each account that a pixel holds. */
export function accountsOf(
  { type, pixel_id }: Pick<NamedPixel, 'type' | 'pixel_id'>,
  recognised: readonly VendorMark[],
): Set<string> {
  const [own] = marksOfPixel(type, [])
  return new Set([
    ...(own !== undefined && pixel_id !== null ? [`${own.id} ${pixel_id}`] : []),
    ...recognised.flatMap(({ id, account }) => (account === null ? [] : [`${id} ${account}`])),
  ])
}
