import type { StoppedRequest } from '#contract/tag-report.ts'
import { vendorOfHost } from '../vendors/vendor-of-host.ts'
import { attributeViolation } from './attribute-violation.ts'
import type { BlockedHostBuffer } from './blocked-host-buffer.ts'
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

/**
 * Keeps what the page heard its policy stop, uncounted: each is counted when the browser's own report of it comes, and
 * once where none does. Returns whether it may have kept a tag from sending.
 */
export function noteStopped(
  { tags, blocked, siteUrl, ownHosts }: StoppedDeps,
  stopped: readonly StoppedRequest[],
): Hinders {
  const hindered = stopped.map((request): Hinders => {
    const violation = readStopped(request, siteUrl, ownHosts)
    if (violation === null) return () => true
    const owner = attributeViolation(violation, tags.recent)
    if (!isAllowed(violation, tags.current.sources)) blocked.see(violation.host, owner)
    if (owner !== null) return ({ tag }) => tag.id === owner
    const vendor = vendorOfHost(violation.host)
    return ({ marks }) => vendor === null || marks.some(({ id }) => id === vendor.id)
  })
  return (member) => hindered.some((hinders) => hinders(member))
}
