import { TAG_REFUSED, type TagOverview, type TagStatus, type TagWarning } from '#contract/tag-status.ts'
import type { Db } from '../db/database.ts'
import { type BudgetOptions, HEAD_LIMIT_BYTES, HEAD_WARN_BYTES, readPolicySize } from './policy-budget.ts'
import type { TagStore } from './tag-store.ts'
import { WARNINGS } from './warnings.ts'

const DAY_MS = 86_400_000
const LARGEST = 3

const UNSEEN = {
  runnable: true,
  warnings: [],
  ran: 0,
  blocked: 0,
  failed: 0,
  last_ran_at: null,
  last_error: null,
} satisfies Partial<TagStatus>

/** How every pixel is doing. Counts are of the last 24 hours; warnings are of active pixels, which is when they matter. */
export async function readOverview(
  { db, tags, ...budget }: BudgetOptions & { db: Db; tags: TagStore },
  now = Date.now(),
): Promise<TagOverview> {
  const since = new Date(now - DAY_MS).toISOString()
  const [state, active, reports, runs, hosts, policy] = await Promise.all([
    db.selectFrom('site_state').select(['tags_paused_at', 'tags_paused_by']).executeTakeFirstOrThrow(),
    db
      .selectFrom('tracking_pixels')
      .select(['id', 'name', 'type', 'pixel_id'])
      .where('is_active', '=', true)
      .execute(),
    db.selectFrom('tag_reports').selectAll().where('hour', '>', since).orderBy('hour').execute(),
    readLastRuns(db),
    db
      .selectFrom('blocked_hosts')
      .select(['id', 'pixel_id', 'host', 'count', 'last_seen_at'])
      .orderBy('last_seen_at', 'desc')
      .orderBy('id')
      .execute(),
    readPolicySize(db, budget),
  ])
  const lastRuns = new Map(runs.map((run) => [run.pixel_id, run.last_ran_at]))
  const statuses = new Map<string, TagStatus>()
  for (const { pixel_id: id, last_ran_at } of runs) statuses.set(id, { ...UNSEEN, pixel_id: id, last_ran_at })
  const doubles = findDoubles(active)
  for (const { id, pixel_id } of active) {
    const compiled = tags.compilationOf(id)
    const double = doubles.get(id)
    statuses.set(id, {
      ...UNSEEN,
      pixel_id: id,
      runnable: compiled === null ? tags.refusalOf(id) === null : compiled.steps.length > 0,
      warnings: [
        ...servingWarnings(tags, id),
        ...(compiled?.warnings ?? []),
        ...(double === undefined ? [] : [WARNINGS.sameId(pixel_id ?? '', double)]),
      ],
      last_ran_at: lastRuns.get(id) ?? null,
    })
  }
  for (const report of reports) {
    const status = statuses.get(report.pixel_id)
    if (status === undefined) continue
    status.ran += report.ran
    status.blocked += report.blocked
    status.failed += report.failed
    status.last_error = report.last_error ?? status.last_error
  }
  const { tags_paused_at: at, tags_paused_by: by } = state
  return {
    paused: at === null ? null : { at, by: by ?? '' },
    trusts_container: tags.current.trustsContainer,
    pixels: [...statuses.values()],
    policy: {
      bytes: policy.bytes,
      warn_from: HEAD_WARN_BYTES,
      limit: HEAD_LIMIT_BYTES,
      largest: policy.spenders.slice(0, LARGEST).map(({ id, ...rest }) => ({ pixel_id: id, ...rest })),
    },
    blocked_hosts: hosts,
  }
}

/** Of every pixel that was ever reported on. One look into the index per pixel: the reports themselves are many. */
function readLastRuns(db: Db): Promise<{ pixel_id: string; last_ran_at: string | null }[]> {
  return db
    .selectFrom('tracking_pixels')
    .select((eb) => [
      'id as pixel_id',
      eb
        .selectFrom('tag_reports')
        .select((report) => report.fn.max('tag_reports.last_ran_at').as('last_ran_at'))
        .whereRef('tag_reports.pixel_id', '=', 'tracking_pixels.id')
        .as('last_ran_at'),
    ])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('tag_reports')
          .select('tag_reports.hour')
          .whereRef('tag_reports.pixel_id', '=', 'tracking_pixels.id'),
      ),
    )
    .execute()
}

/** Why an active tag is not on the page, or not as its code says. */
function servingWarnings(tags: TagStore, id: string): TagWarning[] {
  const refusal = tags.refusalOf(id)
  return [
    ...(refusal === null ? [] : [{ code: TAG_REFUSED, message: refusal }]),
    ...(tags.current.leftOut.has(id) ? [WARNINGS.leftOut()] : []),
  ]
}

interface Named {
  id: string
  name: string
  type: string
  pixel_id: string | null
}

/** For each pixel whose ID another one of its type has too, the name of that other. */
function findDoubles(pixels: readonly Named[]): Map<string, string> {
  const byId = new Map<string, Named[]>()
  for (const pixel of pixels) {
    if (pixel.pixel_id === null) continue
    const key = `${pixel.type} ${pixel.pixel_id}`
    const same = byId.get(key)
    if (same === undefined) byId.set(key, [pixel])
    else same.push(pixel)
  }
  const doubles = new Map<string, string>()
  for (const same of byId.values()) {
    for (const pixel of same) {
      const other = same.find((candidate) => candidate.id !== pixel.id)
      if (other !== undefined) doubles.set(pixel.id, other.name)
    }
  }
  return doubles
}
