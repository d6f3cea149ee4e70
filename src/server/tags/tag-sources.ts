import type { TagSources } from '../http/content-security-policy.ts'
import type { VendorHosts } from '../vendors/vendor.ts'
import { VENDORS } from '../vendors/vendors.ts'
import { DIRECTIVE_OF, isSocketSource, SOURCE_KEYS, toSocketSource } from './source-keys.ts'

function makeSources(of: (key: keyof TagSources) => readonly string[]): TagSources {
  return Object.fromEntries(SOURCE_KEYS.map((key) => [key, of(key)])) as unknown as TagSources
}

export const NO_SOURCES = makeSources(() => [])

/** A host that a person allowed by its name: the tag may load scripts and pictures from it, talk to it, by socket too, and frame it. */
export function sourcesOf(hosts: readonly string[]): TagSources {
  const list = [...hosts]
  const connect = [...list, ...list.map(toSocketSource)]
  return { ...NO_SOURCES, script: list, connect, image: list, frame: list }
}

export function toTagSources(hosts: VendorHosts): TagSources {
  return makeSources((key) => hosts[DIRECTIVE_OF[key]] ?? [])
}

/** Wildcards that a vendor's own documentation writes, by what they are for. */
const WILDCARDS: Record<keyof TagSources, ReadonlySet<string>> = Object.fromEntries(
  SOURCE_KEYS.map((key) => [
    key,
    new Set(
      VENDORS.flatMap(({ hosts }) => hosts[DIRECTIVE_OF[key]] ?? []).filter((host) => host.startsWith('*.')),
    ),
  ]),
) as unknown as Record<keyof TagSources, ReadonlySet<string>>

/** Sorted, each once. A wildcard that is there covers its hosts, and two hosts become the one that their vendor documents. */
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
