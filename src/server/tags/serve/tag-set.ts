import { CONSENT_CATEGORIES, type ConsentCategory } from '#contract/consent.ts'
import { framePath } from '#contract/isolated-frame.ts'
import { type ManifestTag, tagPath } from '#contract/tag-manifest.ts'
import type { TagSources } from '#server/http/security/content-security-policy.ts'
import type { HeadItem } from '../compile/compiled-tag.ts'
import { HEAD_LIMIT_BYTES, type MeasureHead } from '../hosts/budget.ts'
import { mergeSources } from '../hosts/sources.ts'
import type { Room } from './isolated-frame.ts'
import { hashOf, type PreparedTag } from './prepare-tag.ts'

/** Everything that the page, the policy and the reports need to know of the tags that run now. */
export interface TagSet {
  /** Hash of the manifest, which is also its address; null while no tag runs. */
  version: string | null
  categories: ConsentCategory[]
  sources: TagSources
  /** True while a Tag Manager container is among them. */
  trustsContainer: boolean
  /** A pixel sends the address of a subscription, as a hash: the page asks in other words. */
  sendsEmail: boolean
  /** True while a tag runs in a frame of its own. */
  hasRooms: boolean
  /** What stands in the page's own HTML; a tag that is only that needs neither consent nor room in the policy. */
  head: readonly HeadItem[]
  /** Text of each file by its path, the manifest among them. */
  files: ReadonlyMap<string, string>
  /** Documents of isolated tags by their path. */
  rooms: ReadonlyMap<string, Room>
  /** Which pixel a file or a room belongs to. */
  owners: ReadonlyMap<string, string>
  tags: readonly ManifestTag[]
  members: readonly PreparedTag[]
  /** Those, and what the server alone tells its vendor of. */
  recipients: readonly PreparedTag[]
  /** Pixels for which the policy has no room. */
  leftOut: ReadonlySet<string>
}

/** Made anew with each change, of ten thousand tags too: nothing here may cost more than a look at each of them. */
export function composeTagSet(prepared: readonly PreparedTag[], measureHead: MeasureHead): TagSet {
  const runnable = prepared.filter(({ tag }) => tag.steps.length > 0)
  const { running, policy } = fitPolicy(runnable, measureHead)
  const files = new Map<string, string>()
  const rooms = new Map<string, Room>()
  const owners = new Map<string, string>()
  const tags: ManifestTag[] = []
  const scripts: string[] = []
  const kinds = new Set<ConsentCategory>()
  for (const { tag, room, files: own, script } of running) {
    tags.push(tag)
    scripts.push(script)
    kinds.add(tag.category)
    if (room !== null) {
      rooms.set(framePath(room.hash), room)
      owners.set(framePath(room.hash), tag.id)
    }
    for (const [path, text] of own) {
      files.set(path, text)
      owners.set(path, tag.id)
    }
  }
  const toldKinds = CONSENT_CATEGORIES.filter((category) =>
    prepared.some(({ isTold, tag }) => isTold && tag.category === category),
  )
  const manifest =
    `export const tags=[${scripts.join()}]` +
    (toldKinds.length === 0 ? '' : `;export const told=${JSON.stringify(toldKinds)}`)
  const version = running.length + toldKinds.length === 0 ? null : hashOf('manifest', manifest)
  if (version !== null) files.set(tagPath(version), manifest)
  const runs = new Set(running)
  return {
    version,
    categories: CONSENT_CATEGORIES.filter((category) => toldKinds.includes(category) || kinds.has(category)),
    ...policy,
    sendsEmail: prepared.some(({ sendsEmail }) => sendsEmail),
    head: prepared.flatMap(({ compiled }) => compiled.head),
    files,
    rooms,
    owners,
    tags,
    members: running,
    recipients: prepared.filter((tag) => runs.has(tag) || tag.isTold),
    leftOut: new Set(runnable.filter((candidate) => !runs.has(candidate)).map(({ tag }) => tag.id)),
  }
}

export const EMPTY_TAG_SET = composeTagSet([], () => 0)

function policyOf(tags: readonly PreparedTag[]): Parameters<MeasureHead>[0] {
  // Those that add nothing share one object.
  const sources = new Set<TagSources>()
  let hasRooms = false
  for (const { room, sources: own } of tags) {
    if (room === null) sources.add(own)
    else hasRooms = true
  }
  return {
    sources: mergeSources([...sources]),
    hasRooms,
    trustsContainer: tags.some(({ tag }) => tag.type === 'google_tag_manager'),
  }
}

/**
 * A save that has no room is refused; what another version or another hand left is served as far as it fits, and those
 * that add most hosts stay out: whatever happens, there is a page, and most tags on it.
 */
function fitPolicy(all: readonly PreparedTag[], measureHead: MeasureHead): FittingTags {
  const tags = all.filter(({ room }) => room === null || room.headBytes < HEAD_LIMIT_BYTES)
  const policyOfAll = policyOf(tags)
  if (measureHead(policyOfAll) < HEAD_LIMIT_BYTES) return { running: tags, policy: policyOfAll }
  const spent = ({ room, addedHosts }: PreparedTag) => (room === null ? addedHosts : 0)
  const modestFirst = [...tags].sort((a, b) => spent(a) - spent(b))
  let fitting = 0
  let tooMany = modestFirst.length
  while (tooMany - fitting > 1) {
    const middle = (fitting + tooMany) >> 1
    if (measureHead(policyOf(modestFirst.slice(0, middle))) < HEAD_LIMIT_BYTES) fitting = middle
    else tooMany = middle
  }
  const kept = new Set(modestFirst.slice(0, fitting))
  const running = tags.filter((tag) => kept.has(tag))
  return { running, policy: policyOf(running) }
}

interface FittingTags {
  running: readonly PreparedTag[]
  policy: Parameters<MeasureHead>[0]
}
