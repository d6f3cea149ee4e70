import { createHash } from 'node:crypto'
import { CONSENT_CATEGORIES, type ConsentCategory } from '#contract/consent.ts'
import type { PixelType } from '#contract/pixel.ts'
import { parsePublicHost } from '#contract/tag-host.ts'
import { type ManifestTag, tagPath } from '#contract/tag-manifest.ts'
import type { TagSources } from '../http/content-security-policy.ts'
import type { CompiledStep, CompiledTag } from './compile-tag.ts'
import { mergeSources, sourcesOf, VENDOR_HOSTS } from './vendor-hosts.ts'

export interface ActivePixel {
  id: string
  type: PixelType
  pixel_id: string | null
  allowed_hosts: readonly string[]
  consent_category: ConsentCategory
  compiled: CompiledTag
}

/** Everything that the page, the policy and the reports need to know of the tags that run now. */
export interface TagSet {
  /** Hash of the manifest, which is also its address; null while no tag runs. */
  version: string | null
  categories: ConsentCategory[]
  sources: TagSources
  /** True while a Tag Manager container is among them. */
  trustsContainer: boolean
  /** Text of each file by its path, the manifest among them. */
  files: ReadonlyMap<string, string>
  /** Which pixel a file belongs to. */
  owners: ReadonlyMap<string, string>
  tags: readonly ManifestTag[]
}

export function composeTagSet(pixels: readonly ActivePixel[], ownHosts: ReadonlySet<string>): TagSet {
  const files = new Map<string, string>()
  const owners = new Map<string, string>()
  const running = pixels.filter((pixel) => pixel.compiled.steps.length > 0)
  const tags = running.map((pixel): ManifestTag => {
    const steps = pixel.compiled.steps.map((step) => {
      if (step.kind !== 'own') return step
      const path = tagPath(hashOf(pixel.id, step.body))
      files.set(path, step.body)
      owners.set(path, pixel.id)
      return { kind: step.kind, src: path, attributes: step.attributes }
    })
    return {
      id: pixel.id,
      type: pixel.type,
      category: pixel.consent_category,
      vendorId: pixel.pixel_id,
      hosts: scriptHosts(pixel),
      steps,
    }
  })
  const manifest = `export const tags=${toScript(tags)}`
  const version = tags.length === 0 ? null : hashOf('manifest', manifest)
  if (version !== null) files.set(tagPath(version), manifest)
  return {
    version,
    categories: CONSENT_CATEGORIES.filter((category) => tags.some((tag) => tag.category === category)),
    sources: mergeSources(running.map((pixel) => sourcesOfPixel(pixel, ownHosts))),
    trustsContainer: running.some((pixel) => pixel.type === 'google_tag_manager'),
    files,
    owners,
    tags,
  }
}

/** What was stored is judged again: a row written by another hand must not open this site to its own tags. */
function sourcesOfPixel(pixel: ActivePixel, ownHosts: ReadonlySet<string>): TagSources {
  const allowed = pixel.allowed_hosts.filter((host) => parsePublicHost(host) === host && !ownHosts.has(host))
  return mergeSources([
    VENDOR_HOSTS[pixel.type],
    sourcesOf(allowed),
    // A known vendor's code names hosts that its type already lists by what they are for.
    pixel.type === 'custom' ? sourcesOf(pixel.compiled.hosts) : sourcesOf(foreignToVendor(pixel)),
  ])
}

function foreignToVendor(pixel: ActivePixel): string[] {
  const known = Object.values(VENDOR_HOSTS[pixel.type]).flat()
  return pixel.compiled.hosts.filter((host) => !known.some((source) => matchesSource(host, source)))
}

/** CSP host matching: `*.vendor.com` means every name below, and not `vendor.com` itself. */
export function matchesSource(host: string, source: string): boolean {
  return source.startsWith('*.') ? host.endsWith(source.slice(1)) : host === source
}

function scriptHosts(pixel: ActivePixel): string[] {
  const named = [...pixel.compiled.hosts, ...pixel.allowed_hosts, ...stepHosts(pixel.compiled.steps)]
  return [...new Set(named)].sort()
}

function stepHosts(steps: readonly CompiledStep[]): string[] {
  return steps.flatMap((step) => (step.kind === 'vendor' ? [new URL(step.src).hostname] : []))
}

function hashOf(salt: string, text: string): string {
  return createHash('sha256').update(salt).update('\0').update(text).digest('base64url').slice(0, 16)
}

/** JSON is JavaScript, but for two line separators of older engines. */
function toScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
