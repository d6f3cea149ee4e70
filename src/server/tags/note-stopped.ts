import type { StoppedRequest } from '#contract/tag-report.ts'
import type { TagSources } from '../http/content-security-policy.ts'
import { vendorOfHost } from '../vendors/vendor-of-host.ts'
import { attributeViolation } from './attribute-violation.ts'
import type { BlockedHostBuffer } from './blocked-host-buffer.ts'
import type { TagSet } from './compose-tag-set.ts'
import { isAllowed } from './is-allowed.ts'
import type { PreparedTag } from './prepare-tag.ts'
import { readStopped } from './read-violation.ts'
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
 * once where none does.
 */
export function noteStopped(
  { tags, blocked, siteUrl, ownHosts }: StoppedDeps,
  stopped: readonly StoppedRequest[],
): Stopped {
  const all = stopped.map((request): Stopped => {
    const violation = readStopped(request, siteUrl, ownHosts)
    if (violation === null) return { hinders: () => false, mayHinder: () => true }
    const owner = attributeViolation(violation, tags.recent)
    if (!isAllowed(violation, policyOf(owner, tags.current))) blocked.see(violation.host, owner)
    const vendor = vendorOfHost(violation.host)
    const hinders: Hinders = ({ tag, marks }) =>
      owner === null ? marks.some(({ id }) => id === vendor?.id) : tag.id === owner
    return { hinders, mayHinder: owner === null && vendor === null ? () => true : hinders }
  })
  return {
    hinders: (member) => all.some(({ hinders }) => hinders(member)),
    mayHinder: (member) => all.some(({ mayHinder }) => mayHinder(member)),
  }
}

/** A room's policy is its tag's own; all others share the page's. */
function policyOf(owner: string | null, { members, sources }: TagSet): TagSources {
  const member = members.find(({ tag, room }) => room !== null && tag.id === owner)
  return member?.sources ?? sources
}
