import type { PixelType } from '#contract/pixel.ts'
import { parsePublicHost } from '#contract/public-host.ts'
import type { VendorMark } from '#server/vendors/marks.ts'
import { marksOfPixel } from '#server/vendors/marks.ts'
import type { TagSources } from '../http/content-security-policy.ts'
import type { NamedSources } from './compiled-tag.ts'
import { mergeSources, NO_SOURCES, sourcesOf } from './tag-sources.ts'
import { sourcesOfVendors } from './vendor-sources.ts'

export interface SpendingPixel {
  type: PixelType
  allowed_hosts: readonly string[]
  sources: NamedSources
  vendors: readonly VendorMark[]
}

/** Where each part of a pixel's policy comes from. What was stored is judged again: a row written by another hand must not open this site to its own tags. */
export function partsOfPixel(
  pixel: SpendingPixel,
  ownHosts: ReadonlySet<string>,
): Record<'vendor' | 'code' | 'permitted', TagSources> {
  const isUsable = (host: string) => parsePublicHost(host) === host && !ownHosts.has(host)
  const { script, connect, image, frame } = pixel.sources
  return {
    vendor: sourcesOfVendors(marksOfPixel(pixel.type, pixel.vendors)),
    code: {
      ...NO_SOURCES,
      script: script.filter(isUsable),
      connect: connect.filter(isUsable),
      image: image.filter(isUsable),
      frame: frame.filter(isUsable),
    },
    permitted: sourcesOf(pixel.allowed_hosts.filter(isUsable)),
  }
}

/** All that a pixel adds to the policy by itself: another one switched off takes nothing from it. */
export function sourcesOfPixel(pixel: SpendingPixel, ownHosts: ReadonlySet<string>): TagSources {
  const { vendor, code, permitted } = partsOfPixel(pixel, ownHosts)
  // The same object for all that add nothing, so that ten thousand of them are merged as one.
  if (countHosts(pixel) === 0) return vendor
  return mergeSources([vendor, code, permitted])
}

/** How many hosts a pixel names beyond those of its vendors. */
function countHosts({ sources, allowed_hosts }: Pick<SpendingPixel, 'sources' | 'allowed_hosts'>): number {
  return new Set([...Object.values(sources).flat(), ...allowed_hosts]).size
}
