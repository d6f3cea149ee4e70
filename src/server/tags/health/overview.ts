import { DAY_MS } from '#contract/durations.ts'
import type { PixelType } from '#contract/pixel.ts'
import { findPixelIdFault } from '#contract/pixel-id.ts'
import {
  type BlockedHost,
  type PixelStatus,
  TAG_REFUSED,
  type TagOverview,
  type TagWarning,
} from '#contract/tag-status.ts'
import { readServerResults, type ServerResults } from '#server/conversions/delivery-results.ts'
import type { Db } from '#server/db/database.ts'
import { marksOfPixel, UNKNOWN_VENDOR, type VendorMark, vendorById } from '#server/vendors/marks.ts'
import { WARNINGS } from '../compile/warnings.ts'
import { groupBlockedHosts, readBlockedHosts } from '../hosts/blocked-hosts.ts'
import { type BudgetOptions, HEAD_LIMIT_BYTES, HEAD_WARN_BYTES, readPolicySize } from '../hosts/budget.ts'
import { listPixelHosts, type Permission, readPermissions } from '../hosts/permissions.ts'
import type { TagStore } from '../serve/tag-store.ts'
import { type Breaker, readBreakers } from './breaker.ts'
import { judgeDuplicates, judgeHealth } from './health.ts'
import {
  NO_OBSERVATIONS,
  type ReportCounts,
  readObservations,
  readReportCounts,
  type TagObservations,
} from './observations.ts'

const LARGEST = 3

/** Beyond this number of pixels, hosts are requested one pixel at a time. */
const MAX_WITH_HOSTS = 500

/** The state of every pixel. Counts are of the last 24 hours; warnings are of active pixels. */
export async function readOverview(
  { db, tags, ...budget }: BudgetOptions & { db: Db; tags: TagStore },
  now = Date.now(),
): Promise<TagOverview> {
  const since = new Date(now - DAY_MS).toISOString()
  const revisions = new Map([...tags.prepared].map(([id, { revision }]) => [id, revision]))
  const [state, pixels, counts, observations, copies, blocked, permissions, policy, breakers] =
    await Promise.all([
      db.selectFrom('site_state').select(['tags_paused_at', 'tags_paused_by']).executeTakeFirstOrThrow(),
      db
        .selectFrom('tracking_pixels')
        .select(['id', 'name', 'type', 'pixel_id', 'vendor', 'is_active'])
        .where('deleted_at', 'is', null)
        .where((eb) =>
          eb.or([
            eb('is_active', '=', true),
            eb('id', 'in', eb.selectFrom('tag_last_seen').select('pixel_id')),
          ]),
        )
        .execute(),
      readReportCounts(db, since),
      readObservations(db, revisions, now),
      readServerResults(db, now),
      readBlockedHosts(db, tags),
      readPermissions(db),
      readPolicySize(db, budget),
      readBreakers(db, revisions, now),
    ])
  const { tags_paused_at: at, tags_paused_by: by } = state
  const active = pixels.filter(({ is_active }) => is_active)
  const facts = {
    tags,
    ownHosts: budget.ownHosts,
    isPaused: at !== null,
    counts,
    observations,
    copies,
    breakers,
    stopped: stoppedByPixel(blocked, since),
    doubles: findDoubles(active, (id) => tags.prepared.get(id)?.compiled.vendors ?? []),
    permissions: active.length > MAX_WITH_HOSTS ? null : permissions,
  } satisfies PixelFacts
  return {
    paused: at === null ? null : { at, by: by ?? '' },
    trusts_container: tags.current.trustsContainer,
    pixels: pixels.map((pixel): PixelStatus => makePixelStatus(pixel, facts)),
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

/** Blocked hosts of the last day and the current code: older ones say nothing about it. */
function stoppedByPixel(blocked: readonly BlockedHost[], since: string): Map<string, BlockedHost[]> {
  const stopped = new Map<string, BlockedHost[]>()
  for (const host of blocked) {
    if (host.last_seen_at <= since || !host.is_current) continue
    for (const id of host.pixel_ids) stopped.set(id, [...(stopped.get(id) ?? []), host])
  }
  return stopped
}

/** Facts about all pixels. */
interface PixelFacts {
  tags: TagStore
  ownHosts: ReadonlySet<string>
  isPaused: boolean
  counts: ReadonlyMap<string, ReportCounts>
  observations: ReadonlyMap<string, TagObservations>
  copies: ReadonlyMap<string, ServerResults>
  stopped: ReadonlyMap<string, BlockedHost[]>
  doubles: ReadonlyMap<string, Double>
  breakers: ReadonlyMap<string, Breaker>
  /** Null if hosts are not listed. */
  permissions: ReadonlyMap<string, Permission[]> | null
}

const UNCOUNTED: ReportCounts = { ran: 0, blocked: 0, failed: 0, last_ran_at: null, last_error: null }

function makePixelStatus(
  pixel: NamedPixel & { vendor: string | null; is_active: boolean },
  {
    tags,
    ownHosts,
    isPaused,
    counts,
    observations,
    copies,
    stopped,
    doubles,
    breakers,
    permissions,
  }: PixelFacts,
): PixelStatus {
  const { id, is_active: isActive } = pixel
  const prepared = tags.prepared.get(id)
  const compiled = prepared?.compiled ?? null
  const refusal = isActive ? tags.refusalOf(id) : null
  const isLeftOut = tags.current.leftOut.has(id)
  const vendor = vendorById(prepared?.marks[0]?.id ?? pixel.vendor ?? '')
  const warnings = isActive
    ? warningsOf(compiled?.warnings ?? [], { refusal, isLeftOut, double: doubles.get(id) })
    : []
  const own = counts.get(id) ?? UNCOUNTED
  const idFault = findPixelIdFault(pixel.type, pixel.pixel_id)?.message ?? null
  const copy = isActive && !isPaused ? copies.get(id) : undefined
  const isAbsent = copy?.delivery === 'server'
  const browser = judgeHealth({
    isActive,
    isPaused,
    isIsolated: prepared !== undefined && prepared.frame !== null,
    breaker: breakers.get(id) ?? null,
    // Before it is compiled, a tag is not called empty; a pixel sent by the server only needs no steps.
    steps: prepared?.isSentByServer === true ? 1 : (compiled?.steps.length ?? 1),
    headItems: compiled?.head.length ?? 0,
    refusal,
    isLeftOut,
    warnings: compiled?.warnings ?? [],
    vendorName: vendor?.name ?? UNKNOWN_VENDOR,
    visibleId: prepared?.tag.hit?.id ?? null,
    hasPageView: prepared?.tag.hit !== undefined,
    idFault,
    observations: observations.get(id) ?? NO_OBSERVATIONS,
    lastError: own.last_error,
    stopped: stopped.get(id) ?? [],
  })
  return {
    pixel_id: id,
    runnable:
      isAbsent || (compiled === null ? refusal === null : compiled.steps.length + compiled.head.length > 0),
    warnings,
    ...own,
    vendor: vendor === undefined ? null : { id: vendor.id, name: vendor.name },
    hosts:
      prepared === undefined || permissions === null || isAbsent
        ? []
        : listPixelHosts(prepared.spending, ownHosts, permissions.get(id) ?? []),
    ...(copy === undefined || (isActive && idFault !== null) ? browser : judgeDuplicates(browser, copy)),
  }
}

interface ServingFacts {
  refusal: string | null
  isLeftOut: boolean
  double: Double | undefined
}

/** Why an active tag is not on the page, or runs differently from its code. */
function warningsOf(
  compiled: readonly TagWarning[],
  { refusal, isLeftOut, double }: ServingFacts,
): TagWarning[] {
  return [
    ...(refusal === null ? [] : [{ code: TAG_REFUSED, message: refusal }]),
    ...(isLeftOut ? [WARNINGS.leftOut()] : []),
    ...compiled,
    ...(double === undefined ? [] : [WARNINGS.sameId(double.account, double.name)]),
  ]
}

/** Number of pixels by health. */
export function countHealth({ pixels }: TagOverview): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { health } of pixels) counts.set(health, (counts.get(health) ?? 0) + 1)
  return counts
}

interface NamedPixel {
  id: string
  name: string
  type: PixelType
  pixel_id: string | null
}

interface Double {
  account: string
  /** The name of the other pixel. */
  name: string
}

/** For each pixel whose account another pixel also has, in its field or its code, that other pixel. */
function findDoubles(
  pixels: readonly NamedPixel[],
  marksOf: (id: string) => readonly VendorMark[],
): Map<string, Double> {
  const holders = new Map<string, NamedPixel[]>()
  for (const pixel of pixels) {
    for (const key of accountsOf(pixel, marksOf(pixel.id))) {
      const same = holders.get(key)
      if (same === undefined) holders.set(key, [pixel])
      else same.push(pixel)
    }
  }
  const doubles = new Map<string, Double>()
  for (const [key, same] of holders) {
    for (const pixel of same) {
      const other = same.find((candidate) => candidate.id !== pixel.id)
      if (other === undefined) continue
      doubles.set(pixel.id, { account: key.slice(key.indexOf(' ') + 1), name: other.name })
    }
  }
  return doubles
}

/** `vendor account` for each account of a pixel. */
export function accountsOf(
  { type, pixel_id }: Pick<NamedPixel, 'type' | 'pixel_id'>,
  recognised: readonly VendorMark[],
): Set<string> {
  const [own] = marksOfPixel(type, [])
  return new Set([
    ...(own !== undefined && pixel_id !== null ? [`${own.id} ${pixel_id}`] : []),
    ...recognised.flatMap(({ id, account }) => (account === null ? [] : [`${id} ${account}`])),
  ])
}
