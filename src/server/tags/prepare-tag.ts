import { createHash } from 'node:crypto'
import type { ConsentCategory } from '#contract/consent.ts'
import type { PixelType } from '#contract/pixel.ts'
import { type ManifestTag, tagPath } from '#contract/tag-manifest.ts'
import type { TagSources } from '../http/content-security-policy.ts'
import type { CompiledStep, CompiledTag, VendorMark } from './compiled-tag.ts'
import { type SpendingPixel, sourcesOfPixel } from './sources-of-pixel.ts'
import { SOURCE_KEYS } from './tag-sources.ts'
import { marksOfPixel } from './vendor-sources.ts'

export interface ActivePixel {
  id: string
  type: PixelType
  pixel_id: string | null
  allowed_hosts: readonly string[]
  consent_category: ConsentCategory
  compiled: CompiledTag
}

/** One pixel's share of the tag set: made once for as long as nothing about it changes. */
export interface PreparedTag {
  compiled: CompiledTag
  tag: ManifestTag
  /** The tag as it stands in the manifest. */
  script: string
  /** Text of each file by its path. */
  files: ReadonlyMap<string, string>
  /** Every vendor whose hosts it has. */
  marks: readonly VendorMark[]
  /** What its part of the policy is made of. */
  spending: SpendingPixel
  sources: TagSources
  /** How many entries it adds to the policy. */
  addedHosts: number
}

export function prepareTag(pixel: ActivePixel, ownHosts: ReadonlySet<string>): PreparedTag {
  const { compiled } = pixel
  const files = new Map<string, string>()
  const steps = compiled.steps.map((step) => {
    if (step.kind !== 'own') return step
    const path = tagPath(hashOf(pixel.id, step.body))
    files.set(path, step.body)
    return { kind: step.kind, src: path, attributes: step.attributes }
  })
  const tag: ManifestTag = {
    id: pixel.id,
    type: pixel.type,
    category: pixel.consent_category,
    vendorId: pixel.pixel_id,
    hosts: scriptHosts(pixel),
    steps,
  }
  const spending: SpendingPixel = {
    type: pixel.type,
    allowed_hosts: pixel.allowed_hosts,
    sources: compiled.sources,
    vendors: compiled.vendors,
  }
  const sources = sourcesOfPixel(spending, ownHosts)
  return {
    compiled,
    tag,
    script: toScript(tag),
    files,
    marks: marksOfPixel(pixel.type, compiled.vendors),
    spending,
    sources,
    addedHosts: countSources(sources),
  }
}

function countSources(sources: TagSources): number {
  return SOURCE_KEYS.reduce((sum, key) => sum + sources[key].length, 0)
}

function scriptHosts({ compiled, allowed_hosts }: ActivePixel): string[] {
  return [...new Set([...compiled.scripts, ...allowed_hosts, ...stepHosts(compiled.steps)])].sort()
}

function stepHosts(steps: readonly CompiledStep[]): string[] {
  return steps.flatMap((step) => (step.kind === 'vendor' ? [new URL(step.src).hostname] : []))
}

export function hashOf(salt: string, text: string): string {
  return createHash('sha256').update(salt).update('\0').update(text).digest('base64url').slice(0, 16)
}

/** JSON is JavaScript, but for two line separators of older engines. */
function toScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
