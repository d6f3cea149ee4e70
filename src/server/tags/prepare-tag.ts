import { createHash } from 'node:crypto'
import type { ConsentCategory } from '#contract/consent.ts'
import type { ConversionLabels } from '#contract/conversions.ts'
import { jarKey } from '#contract/isolated-frame.ts'
import type { PixelDelivery, PixelRunsIn, PixelType } from '#contract/pixel.ts'
import { type ManifestTag, tagPath } from '#contract/tag-manifest.ts'
import type { VendorMark } from '#server/vendors/marks.ts'
import { marksOfPixel, vendorById } from '#server/vendors/marks.ts'
import type { TagSources } from '../http/content-security-policy.ts'
import type { CompiledTag } from './compiled-tag.ts'
import { conversionCalls, listensItself } from './describe-conversions.ts'
import { leftoversOfVendors } from './leftovers-of-vendors.ts'
import type { RenderRoom, Room } from './rooms/create-room-renderer.ts'
import { isSocketSource, SOURCE_KEYS } from './source-keys.ts'
import { type SpendingPixel, sourcesOfPixel } from './sources-of-pixel.ts'

export interface ActivePixel {
  id: string
  type: PixelType
  pixel_id: string | null
  allowed_hosts: readonly string[]
  consent_category: ConsentCategory
  conversion_labels: ConversionLabels
  compiled: CompiledTag
  delivery?: PixelDelivery
  send_hashed_email?: boolean
  runs_in?: PixelRunsIn
}

/** One pixel's share of the tag set: made once for as long as nothing about it changes. */
export interface PreparedTag {
  compiled: CompiledTag
  tag: ManifestTag
  /** What the page is told of it: of one in a room, only where that is. */
  pageTag: ManifestTag
  /** null for one that runs in the page. */
  room: Room | null
  /** The server tells its vendor of events. */
  isTold: boolean
  /** With the hash of a subscription's address, which visitors must have been told of. */
  sendsEmail: boolean
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
  /** Hash of what the browser runs and what the policy gives it: evidence of another one says nothing about this. */
  revision: string
  /** Hash of its steps alone: what the policy stopped of this code it goes on stopping, whatever else was permitted. */
  codeHash: string
}

export function prepareTag(
  pixel: ActivePixel,
  ownHosts: ReadonlySet<string>,
  renderRoom: RenderRoom = noRooms,
): PreparedTag {
  // Nothing of a vendor that the server alone tells is on the page.
  const isAbsent = pixel.delivery === 'server'
  const compiled = isAbsent ? { ...pixel.compiled, steps: [], head: [] } : pixel.compiled
  const isIsolated = pixel.runs_in === 'isolated' && compiled.steps.length > 0
  const files = new Map<string, string>()
  const steps = compiled.steps.map((step) => {
    if (step.kind !== 'own') return step
    const path = tagPath(hashOf(pixel.id, step.body))
    if (!isIsolated) files.set(path, step.body)
    return { kind: step.kind, src: path, attributes: step.attributes }
  })
  const spending: SpendingPixel = {
    type: pixel.type,
    allowed_hosts: pixel.allowed_hosts,
    sources: compiled.sources,
    vendors: compiled.vendors,
  }
  const marks = marksOfPixel(pixel.type, compiled.vendors)
  const sources = sourcesOfPixel(spending, ownHosts)
  const tag: ManifestTag = {
    id: pixel.id,
    type: pixel.type,
    category: pixel.consent_category,
    vendorId: pixel.pixel_id,
    hosts: entriesOf(sources),
    steps,
    ...(isAbsent ? {} : { ...hitOf(pixel, marks), ...conversionsOf(pixel, marks) }),
    ...leftoversOfVendors(marks),
  }
  const room = isIsolated ? renderRoom({ ...tag, steps: compiled.steps }, sources) : null
  const pageTag = room === null ? tag : inRoom(tag, room)
  const script = toScript(pageTag)
  const isTold = (pixel.delivery ?? 'browser') !== 'browser'
  return {
    compiled,
    tag,
    pageTag,
    room,
    isTold,
    sendsEmail: isTold && pixel.type === 'meta' && pixel.send_hashed_email === true,
    script,
    files,
    marks,
    spending,
    sources,
    addedHosts: SOURCE_KEYS.reduce((sum, key) => sum + sources[key].length, 0),
    revision: hashOf(script, JSON.stringify(sources)),
    codeHash: hashOf('code', JSON.stringify(steps)),
  }
}

function noRooms(): never {
  throw new Error('an isolated tag was prepared by somebody who serves no rooms')
}

/** Its hosts are not the page's, and all that it leaves in the browser is its jar. */
function inRoom({ id, type, category, vendorId }: ManifestTag, { hash }: Room): ManifestTag {
  const leaves = { local: [jarKey(id)], session: [jarKey(id)] }
  return { id, type, category, vendorId, hosts: [], steps: [], leaves, room: hash }
}

/** How the page tells this tag's page view from other requests. */
function hitOf({ pixel_id }: ActivePixel, marks: readonly VendorMark[]): Pick<ManifestTag, 'hit'> {
  // An Ads account in a Google Analytics pixel sends where Ads does.
  const mark = marks.find(({ account }) => account !== null && account === pixel_id) ?? marks[0]
  const pageView = mark === undefined ? undefined : vendorById(mark.id)?.pageView
  if (mark === undefined || pageView === undefined) return {}
  const account = pixel_id ?? mark.account
  // A Google tag stands for other accounts, whose IDs its requests carry; Google Ads writes its own without the letters.
  const isShown = pageView.showsId && !account?.startsWith('GT-')
  return {
    hit: {
      hosts: [...pageView.hosts],
      id: isShown && /^[\w-]+$/.test(account ?? '') ? (account?.replace(/^AW-/, '') ?? null) : null,
      ...(pageView.byScript && { byScript: true }),
    },
  }
}

/** Code that listens to the page's own event tells its vendor itself: it must not be told twice. */
function conversionsOf(
  { pixel_id, conversion_labels, compiled }: ActivePixel,
  marks: readonly VendorMark[],
): Pick<ManifestTag, 'conversions'> {
  if (listensItself(compiled)) return {}
  const conversions = conversionCalls(marks, pixel_id, conversion_labels)
  return Object.keys(conversions).length === 0 ? {} : { conversions }
}

/** Each host once, whatever it is used for. Sockets are in no timeline. */
function entriesOf(sources: TagSources): string[] {
  const all = SOURCE_KEYS.flatMap((key) => sources[key]).filter((source) => !isSocketSource(source))
  return [...new Set(all)].sort()
}

export function hashOf(salt: string, text: string): string {
  return createHash('sha256').update(salt).update('\0').update(text).digest('base64url').slice(0, 16)
}

/** JSON is JavaScript, but for two line separators of older engines. */
function toScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
