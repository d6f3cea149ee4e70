import type { PixelType } from '#contract/pixel.ts'
import { parsePublicHost } from '#contract/public-host.ts'
import {
  DIRECTIVE_OF,
  isSocketSource,
  SOURCE_KEYS,
  type TagSources,
  toSocketSource,
} from '#server/http/security/content-security-policy.ts'
import { marksOfPixel, type VendorMark, vendorById } from '#server/vendors/marks.ts'
import type { VendorHosts } from '#server/vendors/vendor.ts'
import { VENDORS } from '#server/vendors/vendors.ts'
import type { NamedSources } from '../compile/compiled-tag.ts'

export interface SpendingPixel {
  type: PixelType
  allowed_hosts: readonly string[]
  sources: NamedSources
  vendors: readonly VendorMark[]
}

/**
 * The origin of each part of a pixel's policy. Stored hosts are checked again: a row written by SQL must not open this
 * site to its tags.
 */
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

/** Everything that a pixel adds to the policy by itself, independent of other pixels. */
export function sourcesOfPixel(pixel: SpendingPixel, ownHosts: ReadonlySet<string>): TagSources {
  const { vendor, code, permitted } = partsOfPixel(pixel, ownHosts)
  // The same object for all pixels that add nothing, so that ten thousand of them are merged as one.
  if (countHosts(pixel) === 0) return vendor
  return mergeSources([vendor, code, permitted])
}

/** Number of hosts beyond those of its vendors. */
function countHosts({ sources, allowed_hosts }: Pick<SpendingPixel, 'sources' | 'allowed_hosts'>): number {
  return new Set([...Object.values(sources).flat(), ...allowed_hosts]).size
}

const known = new Map<string, TagSources>()

/**
 * Hosts that the catalogue lists for these vendors. The same object for the same vendors, so that many pixels are
 * merged as one.
 */
export function sourcesOfVendors(marks: readonly VendorMark[]): TagSources {
  if (marks.length === 0) return NO_SOURCES
  const key = marks.map(keyOf).join(' ')
  const found = known.get(key)
  if (found !== undefined) return found
  const sources = mergeSources(marks.map((mark) => toTagSources(hostsOfMark(mark))))
  if (marks.every(({ id }) => !namesAccount(id))) known.set(key, sources)
  return sources
}

function keyOf({ id, account }: VendorMark): string {
  return namesAccount(id) ? `${id}/${account}` : id
}

function namesAccount(id: string): boolean {
  return Object.values(vendorById(id)?.hosts ?? {}).some((hosts) =>
    hosts.some((host) => host.includes('{id}')),
  )
}

/** The account's ID without its prefix, if it can be part of a host name. */
function labelOf(account: string | null): string | null {
  const label = account?.slice(account.lastIndexOf('-') + 1).toLowerCase() ?? ''
  return /^[a-z0-9]{1,40}$/.test(label) ? label : null
}

function hostsOfMark({ id, account }: VendorMark): VendorHosts {
  const label = labelOf(account)
  const hosts = Object.entries(vendorById(id)?.hosts ?? {})
  return Object.fromEntries(
    hosts.map(([directive, names]) => [
      directive,
      names
        .map((name) => (label === null ? name : name.replace('{id}', label)))
        .filter((name) => !name.includes('{')),
    ]),
  )
}

function makeSources(of: (key: keyof TagSources) => readonly string[]): TagSources {
  return Object.fromEntries(SOURCE_KEYS.map((key) => [key, of(key)])) as unknown as TagSources
}

const NO_SOURCES = makeSources(() => [])

/** A permitted host: scripts, images, requests, sockets and frames. */
function sourcesOf(hosts: readonly string[]): TagSources {
  const list = [...hosts]
  const connect = [...list, ...list.map(toSocketSource)]
  return { ...NO_SOURCES, script: list, connect, image: list, frame: list }
}

function toTagSources(hosts: VendorHosts): TagSources {
  return makeSources((key) => hosts[DIRECTIVE_OF[key]] ?? [])
}

/** Wildcards from vendors' own documentation, by use. */
const WILDCARDS: Record<keyof TagSources, ReadonlySet<string>> = Object.fromEntries(
  SOURCE_KEYS.map((key) => [
    key,
    new Set(
      VENDORS.flatMap(({ hosts }) => hosts[DIRECTIVE_OF[key]] ?? []).filter((host) => host.startsWith('*.')),
    ),
  ]),
) as unknown as Record<keyof TagSources, ReadonlySet<string>>

/** Sorted and unique. A wildcard covers its hosts, and two hosts become the wildcard that their vendor documents. */
export function mergeSources(parts: readonly TagSources[]): TagSources {
  return makeSources((key) => {
    const sources = new Set(parts.flatMap((part) => part[key]))
    for (const [wildcard, covered] of groupByWildcard(sources, WILDCARDS[key])) {
      if (covered.length < 2 && !sources.has(wildcard)) continue
      for (const source of covered) sources.delete(source)
      sources.add(wildcard)
    }
    return [...sources].sort()
  })
}

/** The sources that each documented wildcard covers. */
function groupByWildcard(
  sources: ReadonlySet<string>,
  wildcards: ReadonlySet<string>,
): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const source of sources) {
    if (isSocketSource(source)) continue
    for (let at = source.indexOf('.'); at !== -1; at = source.indexOf('.', at + 1)) {
      const wildcard = `*${source.slice(at)}`
      if (wildcard === source || !wildcards.has(wildcard)) continue
      groups.set(wildcard, [...(groups.get(wildcard) ?? []), source])
      break
    }
  }
  return groups
}
