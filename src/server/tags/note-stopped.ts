import type { StoppedRequest } from '#contract/tag-report.ts'
import type { TagSources } from '../http/content-security-policy.ts'
import { vendorOfHost } from '../vendors/vendor-of-host.ts'
import { attributeViolation } from './attribute-violation.ts'
import type { BlockedHost, BlockedHostBuffer } from './blocked-host-buffer.ts'
import type { TagSet } from './compose-tag-set.ts'
import { isAllowed } from './is-allowed.ts'
import type { PreparedTag } from './prepare-tag.ts'
import { readStopped, type Violation } from './read-violation.ts'
import type { TagStore } from './tag-store.ts'

export interface StoppedDeps {
  tags: TagStore
  blocked: BlockedHostBuffer
  siteUrl: string
  ownHosts: ReadonlySet<string>
}

type Hinders = (member: PreparedTag) => boolean

export interface Stopped {
  /** Something was stopped that is known to be this tag's. */
  hinders: Hinders
  /** Something was stopped that may have kept this tag from sending. */
  mayHinder: Hinders
}

/**
 * Keeps what the page heard its policy stop, uncounted: each is counted when the browser's own report of it comes, and
 * once where none does. `sets` begins with the one that the page ran.
 */
export function noteStopped(
  { tags, blocked, siteUrl, ownHosts }: StoppedDeps,
  stopped: readonly StoppedRequest[],
  sets: readonly TagSet[],
  network: string | null,
): Stopped {
  const all = stopped.map((request): Stopped => {
    const violation = readStopped(request, siteUrl, ownHosts)
    if (violation === null) return { hinders: () => false, mayHinder: () => true }
    const owners = attributeViolation(violation, sets)
    if (!isAllowed(violation, policyOf(owners[0], tags.current)))
      for (const host of blockedHostsOf(violation, owners)) blocked.add({ ...host, count: 0 }, network)
    const hinders: Hinders = ({ tag }) => owners.some((owner) => owner.tag.id === tag.id)
    const isUnexplained = owners.length === 0 && vendorOfHost(violation.host) === null
    return { hinders, mayHinder: isUnexplained ? () => true : hinders }
  })
  return {
    hinders: (member) => all.some(({ hinders }) => hinders(member)),
    mayHinder: (member) => all.some(({ mayHinder }) => mayHinder(member)),
  }
}

/** One for each pixel that it is put down to, or one of nobody. */
export function blockedHostsOf(
  { host, use, isSocket }: Violation,
  owners: readonly PreparedTag[],
): Omit<BlockedHost, 'count' | 'networks' | 'last_seen_at'>[] {
  const what = { host, use: isSocket ? 'socket' : use }
  if (owners.length === 0) return [{ ...what, pixel_id: null, code_hash: null }]
  return owners.map(({ tag, codeHash }) => ({ ...what, pixel_id: tag.id, code_hash: codeHash }))
}

/** A room's policy is its tag's own; all others share the page's. */
export function policyOf(
  owner: Pick<PreparedTag, 'tag'> | undefined,
  { members, sources }: TagSet,
): TagSources {
  const member = members.find(({ tag, room }) => room !== null && tag.id === owner?.tag.id)
  return member?.sources ?? sources
}
