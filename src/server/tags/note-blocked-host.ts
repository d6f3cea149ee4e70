import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** Anyone can report any name: past this many, new ones of that tag are dropped until an administrator clears some. */
const MAX_HOSTS_PER_TAG = 50
const MAX_COUNT = 1_000_000

/** One row per host and tag, however often it is reported. */
export async function noteBlockedHost(
  db: Db,
  host: string,
  pixelId: string | null,
  now = new Date(),
): Promise<void> {
  const at = now.toISOString()
  const ofTag = pixelId === null ? sql<boolean>`pixel_id is null` : sql<boolean>`pixel_id = ${pixelId}`
  const counted = await db
    .updateTable('blocked_hosts')
    .set({
      count: sql`case when count >= ${sql.lit(MAX_COUNT)} then count else count + 1 end`,
      last_seen_at: at,
    })
    .where('host', '=', host)
    .where(ofTag)
    .executeTakeFirst()
  if (counted.numUpdatedRows > 0n) return
  const { held } = await db
    .selectFrom('blocked_hosts')
    .select((eb) => eb.fn.countAll<number>().as('held'))
    .where(ofTag)
    .executeTakeFirstOrThrow()
  if (held >= MAX_HOSTS_PER_TAG) return
  await db
    .insertInto('blocked_hosts')
    .values({ id: randomUUID(), pixel_id: pixelId, host, first_seen_at: at, last_seen_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
