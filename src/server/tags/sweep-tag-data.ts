import type { Db } from '../db/database.ts'

const KEEP_DAYS = 90
const DAY_MS = 86_400_000

/** Old counts and hosts that nobody has tried for a season. Consent records stay: they are the proof. */
export async function sweepTagData(db: Db, now = Date.now()): Promise<void> {
  const before = new Date(now - KEEP_DAYS * DAY_MS).toISOString()
  await db
    .deleteFrom('tag_reports')
    .where('hour', '<', before)
    .where((eb) =>
      // The newest run stays, so that an old tag never says that it has never run.
      eb.exists(
        eb
          .selectFrom('tag_reports as newer')
          .select('newer.hour')
          .whereRef('newer.pixel_id', '=', 'tag_reports.pixel_id')
          .whereRef('newer.hour', '>', 'tag_reports.hour')
          .where('newer.last_ran_at', 'is not', null),
      ),
    )
    .execute()
  await db.deleteFrom('blocked_hosts').where('last_seen_at', '<', before).execute()
}
