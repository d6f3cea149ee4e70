import type { BlockedHost, PixelStatus, TagOverview } from '#contract/tag-status.ts'
import type { Db } from '../db/database.ts'
import { readBreakers } from './breaker/read-breakers.ts'
import { findDoubles } from './find-doubles.ts'
import { readCopyEvidence } from './health/read-copy-evidence.ts'
import { readEvidence } from './health/read-evidence.ts'
import { groupBlockedHosts } from './hosts/group-blocked-hosts.ts'
import { readBlockedHosts } from './hosts/read-blocked-hosts.ts'
import { readPermissions } from './hosts/read-permissions.ts'
import { makePixelStatus, type PixelFacts } from './make-pixel-status.ts'
import { type BudgetOptions, HEAD_LIMIT_BYTES, HEAD_WARN_BYTES, readPolicySize } from './policy-budget.ts'
import { readReportCounts } from './read-report-counts.ts'
import type { TagStore } from './tag-store.ts'

const DAY_MS = 86_400_000
const LARGEST = 3
/** Past so many pixels, their hosts are asked for one by one. */
const MAX_WITH_HOSTS = 500

/** How every pixel is doing. Counts are of the last 24 hours; warnings are of active pixels, which is when they matter. */
export async function readOverview(
  { db, tags, ...budget }: BudgetOptions & { db: Db; tags: TagStore },
  now = Date.now(),
): Promise<TagOverview> {
  const since = new Date(now - DAY_MS).toISOString()
  const revisions = new Map([...tags.prepared].map(([id, { revision }]) => [id, revision]))
  const [state, pixels, counts, evidence, copies, blocked, permissions, policy, breakers] = await Promise.all(
    [
      db.selectFrom('site_state').select(['tags_paused_at', 'tags_paused_by']).executeTakeFirstOrThrow(),
      db
        .selectFrom('tracking_pixels')
        .select(['id', 'name', 'type', 'pixel_id', 'vendor', 'is_active'])
        .where('deleted_at', 'is', null)
        .execute(),
      readReportCounts(db, since),
      readEvidence(db, revisions, now),
      readCopyEvidence(db, now),
      readBlockedHosts(db, tags),
      readPermissions(db),
      readPolicySize(db, budget),
      readBreakers(db, revisions, now),
    ],
  )
  const { tags_paused_at: at, tags_paused_by: by } = state
  const active = pixels.filter(({ is_active }) => is_active)
  const facts = {
    tags,
    ownHosts: budget.ownHosts,
    isPaused: at !== null,
    counts,
    evidence,
    copies,
    breakers,
    stopped: stoppedByPixel(blocked, since),
    doubles: findDoubles(active, (id) => tags.prepared.get(id)?.compiled.vendors ?? []),
    permissions: active.length > MAX_WITH_HOSTS ? null : permissions,
  } satisfies PixelFacts
  return {
    paused: at === null ? null : { at, by: by ?? '' },
    trusts_container: tags.current.trustsContainer,
    pixels: pixels
      .filter(({ id, is_active }) => is_active || counts.has(id))
      .map((pixel): PixelStatus => makePixelStatus(pixel, facts)),
    policy: {
      bytes: policy.bytes,
      warn_from: HEAD_WARN_BYTES,
      limit: HEAD_LIMIT_BYTES,
      largest: policy.spenders.slice(0, LARGEST).map(({ id, ...rest }) => ({ pixel_id: id, ...rest })),
    },
    blocked_hosts: blocked,
    blocked_groups: groupBlockedHosts(blocked),
  }
}

/** Of the last day and of the pixel as it is now: what nobody has tried since says nothing about it. */
function stoppedByPixel(blocked: readonly BlockedHost[], since: string): Map<string, BlockedHost[]> {
  const stopped = new Map<string, BlockedHost[]>()
  for (const host of blocked) {
    if (host.last_seen_at <= since || !host.is_current) continue
    for (const id of host.pixel_ids) stopped.set(id, [...(stopped.get(id) ?? []), host])
  }
  return stopped
}
