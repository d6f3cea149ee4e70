import { CONSENT_CATEGORIES, type ConsentCategory } from '#contract/consent.ts'
import { textVersionFor } from '#contract/consent-choice.ts'
import { framePath } from '#contract/isolated-frame.ts'
import { type ManifestTag, tagPath } from '#contract/tag-manifest.ts'
import type { TagSources } from '#server/http/security/content-security-policy.ts'
import type { HeadItem } from '../compile/compiled-tag.ts'
import { chooseFitting, type MeasureHead } from '../hosts/budget.ts'
import type { IsolatedFrame } from './isolated-frame.ts'
import { hashOf, type PreparedTag } from './prepare-tag.ts'

/** Everything that the page, the policy and the reports need of the active tags. */
export interface TagSet {
  /** Hash of the manifest and its address; null while no tag runs. */
  version: string | null
  categories: ConsentCategory[]
  sources: TagSources
  /** True while a Tag Manager container is active. */
  trustsContainer: boolean
  /** Of the wording that the page shows: it names those to whom pixels send hashed addresses. */
  textVersion: number
  /** True while a tag runs in an isolated frame. */
  hasFrames: boolean
  /** Items in the page's HTML; a tag with only these needs neither consent nor space in the policy. */
  head: readonly HeadItem[]
  /** Content of each file by path, including the manifest. */
  files: ReadonlyMap<string, string>
  /** Documents of isolated tags by path. */
  frames: ReadonlyMap<string, IsolatedFrame>
  /** The pixel of each file or frame. */
  owners: ReadonlyMap<string, string>
  tags: readonly ManifestTag[]
  members: readonly PreparedTag[]
  /** The same by pixel. */
  memberOf: ReadonlyMap<string, PreparedTag>
  /** Those, and tags that only the server sends. */
  recipients: readonly Recipient[]
  /** Pixels that do not fit into the policy. */
  leftOut: ReadonlySet<string>
}

/** A tag of the set, and where its vendor gets data from. */
export interface Recipient {
  prepared: PreparedTag
  sentBy: readonly Way[]
}

type Way = 'browser' | 'server'

/** Descriptions of a tag are kept by these objects. */
const BOTH: readonly Way[] = ['browser', 'server']
const BROWSER: readonly Way[] = ['browser']
const SERVER: readonly Way[] = ['server']

/** Runs with each change, also for ten thousand tags: it may do no more than look at each. */
export function composeTagSet(prepared: readonly PreparedTag[], measureHead: MeasureHead): TagSet {
  const runnable = prepared.filter(({ tag }) => tag.steps.length > 0)
  const { running, policy } = chooseFitting(runnable, measureHead)
  const files = new Map<string, string>()
  const frames = new Map<string, IsolatedFrame>()
  const owners = new Map<string, string>()
  const tags: ManifestTag[] = []
  const scripts: string[] = []
  const kinds = new Set<ConsentCategory>()
  for (const { tag, frame, files: own, script } of running) {
    tags.push(tag)
    scripts.push(script)
    kinds.add(tag.category)
    if (frame !== null) {
      frames.set(framePath(frame.hash), frame)
      owners.set(framePath(frame.hash), tag.id)
    }
    for (const [path, text] of own) {
      files.set(path, text)
      owners.set(path, tag.id)
    }
  }
  const serverCategories = CONSENT_CATEGORIES.filter((category) =>
    prepared.some(({ isSentByServer, tag }) => isSentByServer && tag.category === category),
  )
  const manifest =
    `export const tags=[${scripts.join()}]` +
    (serverCategories.length === 0 ? '' : `;export const told=${JSON.stringify(serverCategories)}`)
  const version = running.length + serverCategories.length === 0 ? null : hashOf('manifest', manifest)
  if (version !== null) files.set(tagPath(version), manifest)
  const runs = new Set(running)
  const recipients: Recipient[] = []
  for (const tag of prepared) {
    if (runs.has(tag)) recipients.push({ prepared: tag, sentBy: tag.isSentByServer ? BOTH : BROWSER })
    else if (tag.isSentByServer) recipients.push({ prepared: tag, sentBy: SERVER })
  }
  return {
    version,
    categories: CONSENT_CATEGORIES.filter(
      (category) => serverCategories.includes(category) || kinds.has(category),
    ),
    ...policy,
    textVersion: textVersionFor(prepared.flatMap(({ emailRecipient }) => emailRecipient ?? [])),
    head: prepared.flatMap(({ compiled }) => compiled.head),
    files,
    frames,
    owners,
    tags,
    members: running,
    memberOf: new Map(running.map((member) => [member.tag.id, member])),
    recipients,
    leftOut: new Set(runnable.filter((candidate) => !runs.has(candidate)).map(({ tag }) => tag.id)),
  }
}

export const EMPTY_TAG_SET = composeTagSet([], () => 0)
