import type { PixelType } from '#contract/pixel.ts'
import type { TagSources } from '../http/content-security-policy.ts'

const NO_SOURCES: TagSources = { script: [], connect: [], image: [], frame: [], form: [] }

const GOOGLE_MEASUREMENT = [
  '*.google-analytics.com',
  '*.analytics.google.com',
  '*.googletagmanager.com',
  'www.google.com',
]

/** What each vendor's own documentation asks for. A custom tag has only what its code names and what was allowed. */
export const VENDOR_HOSTS: Record<PixelType, TagSources> = {
  meta: {
    script: ['connect.facebook.net'],
    connect: ['www.facebook.com', 'connect.facebook.net'],
    image: ['www.facebook.com'],
    frame: ['www.facebook.com'],
    form: ['www.facebook.com'],
  },
  google_analytics: {
    script: ['*.googletagmanager.com'],
    // Signals reports through Doubleclick, and sites that leave it out lose data silently.
    connect: [...GOOGLE_MEASUREMENT, '*.g.doubleclick.net'],
    image: ['*.google-analytics.com', '*.googletagmanager.com', '*.g.doubleclick.net', 'www.google.com'],
    frame: ['td.doubleclick.net'],
    form: [],
  },
  google_tag_manager: {
    script: ['www.googletagmanager.com'],
    connect: [...GOOGLE_MEASUREMENT, '*.g.doubleclick.net', 'pagead2.googlesyndication.com'],
    image: ['www.googletagmanager.com', '*.google-analytics.com', '*.g.doubleclick.net', 'www.google.com'],
    frame: ['www.googletagmanager.com', 'td.doubleclick.net'],
    form: [],
  },
  custom: NO_SOURCES,
}

/** A host that a person allowed by its name: the tag may load scripts and pictures from it, talk to it and frame it. */
export function sourcesOf(hosts: readonly string[]): TagSources {
  const list = [...hosts]
  return { script: list, connect: list, image: list, frame: list, form: [] }
}

/** CSP host matching: `*.vendor.com` means every name below, and not `vendor.com` itself. */
export function matchesSource(host: string, source: string): boolean {
  return source.startsWith('*.') ? host.endsWith(source.slice(1)) : host === source
}

/** Wildcards that a vendor's own documentation writes, by what they are for. */
const DOCUMENTED = Object.values(VENDOR_HOSTS)

/** Sorted, each once. A wildcard that is there covers its hosts, and two hosts become the one that their vendor documents. */
export function mergeSources(parts: readonly TagSources[]): TagSources {
  const merge = (key: keyof TagSources) => {
    const sources = new Set(parts.flatMap((part) => part[key]))
    for (const wildcard of new Set(DOCUMENTED.flatMap((vendor) => vendor[key]))) {
      if (!wildcard.startsWith('*.')) continue
      const covered = [...sources].filter((source) => source !== wildcard && matchesSource(source, wildcard))
      if (covered.length < 2 && !sources.has(wildcard)) continue
      for (const source of covered) sources.delete(source)
      sources.add(wildcard)
    }
    return [...sources].sort()
  }
  return {
    script: merge('script'),
    connect: merge('connect'),
    image: merge('image'),
    frame: merge('frame'),
    form: merge('form'),
  }
}
