import { TAG_COST_DAYS } from '#contract/tag-cost.ts'
import type { Db } from '../db/database.ts'
import { inSteps } from '../db/in-steps.ts'

const BLOCKED_HOST_DAYS = 90
/** The breaker looks at an hour at most. */
const MINUTE_DAYS = 1
/** Health looks at one day, the cost of a tag at three. */
const EVIDENCE_DAYS = TAG_COST_DAYS
const DAY_MS = 86_400_000

export interface TagRetention {
  readonly reportDays: number
}

/** Old counts, and hosts that nobody has tried for a season. */
export async function sweepTagData(
  db: Db,
  { reportDays }: TagRetention,
  signal?: AbortSignal,
  now = Date.now(),
): Promise<Readonly<Record<string, number>>> {
  const before = (days: number) => new Date(now - days * DAY_MS).toISOString()
  const tag_reports = await inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom('tag_reports')
      .where((eb) =>
        eb(
          eb.refTuple('pixel_id', 'hour'),
          'in',
          eb
            .selectFrom('tag_reports as old')
            .select(['old.pixel_id', 'old.hour'])
            .where('old.hour', '<', before(reportDays))
            .where((old) =>
              // The newest run stays, so that an old tag never says that it has never run.
              old.or([
                old('old.last_ran_at', 'is', null),
                old.exists(
                  old
                    .selectFrom('tag_reports as newer')
                    .select('newer.hour')
                    .whereRef('newer.pixel_id', '=', 'old.pixel_id')
                    .whereRef('newer.hour', '>', 'old.hour')
                    .where('newer.last_ran_at', 'is not', null),
                ),
              ]),
            )
            .limit(rows)
            .$asTuple('pixel_id', 'hour'),
        ),
      )
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
  const tag_evidence = await inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom('tag_evidence')
      .where((eb) =>
        eb(
          eb.refTuple('pixel_id', 'hour', 'revision', 'subject', 'verdict'),
          'in',
          eb
            .selectFrom('tag_evidence as old')
            .select(['old.pixel_id', 'old.hour', 'old.revision', 'old.subject', 'old.verdict'])
            .where('old.hour', '<', before(EVIDENCE_DAYS))
            .limit(rows)
            .$asTuple('pixel_id', 'hour', 'revision', 'subject', 'verdict'),
        ),
      )
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
  const site_counts = await inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom('site_counts')
      .where((eb) =>
        eb(
          eb.refTuple('slot', 'subject'),
          'in',
          eb
            .selectFrom('site_counts as old')
            .select(['old.slot', 'old.subject'])
            .where('old.slot', '<', before(reportDays))
            .limit(rows)
            .$asTuple('slot', 'subject'),
        ),
      )
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
  const tag_minutes = await inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom('tag_minutes')
      .where((eb) =>
        eb(
          eb.refTuple('pixel_id', 'revision', 'minute'),
          'in',
          eb
            .selectFrom('tag_minutes as old')
            .select(['old.pixel_id', 'old.revision', 'old.minute'])
            .where('old.minute', '<', before(MINUTE_DAYS))
            .limit(rows)
            .$asTuple('pixel_id', 'revision', 'minute'),
        ),
      )
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
  const blocked_hosts = await inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom('blocked_hosts')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('blocked_hosts')
          .select('id')
          .where('last_seen_at', '<', before(BLOCKED_HOST_DAYS))
          .limit(rows),
      )
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
  return { tag_reports, tag_evidence, site_counts, tag_minutes, blocked_hosts }
}
