import type { PixelType } from '#contract/pixel.ts'
import { parsePublicHost } from '#contract/tag-host.ts'
import type { TagSources } from '../http/content-security-policy.ts'
import type { NamedSources } from './compiled-tag.ts'
import { mergeSources, sourcesOf, VENDOR_HOSTS } from './vendor-hosts.ts'

export interface SpendingPixel {
  type: PixelType
  allowed_hosts: readonly string[]
  sources: NamedSources
}

/** What was stored is judged again: a row written by another hand must not open this site to its own tags. */
export function sourcesOfPixel(pixel: SpendingPixel, ownHosts: ReadonlySet<string>): TagSources {
  const isUsable = (host: string) => parsePublicHost(host) === host && !ownHosts.has(host)
  const { script, connect, image, frame } = pixel.sources
  return mergeSources([
    VENDOR_HOSTS[pixel.type],
    sourcesOf(pixel.allowed_hosts.filter(isUsable)),
    {
      script: script.filter(isUsable),
      connect: connect.filter(isUsable),
      image: image.filter(isUsable),
      frame: frame.filter(isUsable),
      form: [],
    },
  ])
}
