import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { BlockedHost } from './blocked-host-buffer.ts'

/** Anyone can report any name: past this many, new ones of that tag are dropped until an administrator clears some. */
const MAX_HOSTS_PER_TAG = 50
const MAX_COUNT = 1_000_000

/**
 * One row per host and tag, however often it is reported, in one statement. Where another replica stores a new host at
 * the same moment, the statement fails and its rows come again with the next one, which finds that host.
 */
export async function storeBlockedHosts(
  db: Db,
  batch: readonly BlockedHost[],
  hasRoom: () => boolean,
): Promise<void> {
  const known = new Map<string, string>()
  const held = new Map<string | null, number>()
  for (const { id, pixel_id, host } of await listHosts(db, batch)) {
    known.set(keyOf(pixel_id, host), id)
    held.set(pixel_id, (held.get(pixel_id) ?? 0) + 1)
  }
  const rows = []
  const pixels = await listPixels(db, batch)
  for (const { host, pixel_id, code_hash, use, count, last_seen_at } of batch) {
    if (pixel_id !== null && !pixels.has(pixel_id)) continue
    const id = known.get(keyOf(pixel_id, host))
    if (id === undefined) {
      const ofTag = held.get(pixel_id) ?? 0
      if (ofTag >= MAX_HOSTS_PER_TAG || !hasRoom()) continue
      held.set(pixel_id, ofTag + 1)
    }
    rows.push({
      id: id ?? randomUUID(),
      pixel_id,
      host,
      code_hash,
      use,
      count: id === undefined ? Math.max(1, count) : count,
      first_seen_at: last_seen_at,
      last_seen_at,
    })
  }
  if (rows.length === 0) return
  const sum = sql<number>`blocked_hosts.count + excluded.count`
  await db
    .insertInto('blocked_hosts')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        count: sql<number>`case when ${sum} > ${sql.lit(MAX_COUNT)} then ${sql.lit(MAX_COUNT)} else ${sum} end`,
        last_seen_at: sql<string>`excluded.last_seen_at`,
        code_hash: sql<string | null>`coalesce(excluded.code_hash, blocked_hosts.code_hash)`,
        use: sql<string>`excluded.use`,
      }),
    )
    .execute()
}

/** Those of the batch that still exist: a host of a pixel deleted since would fail the whole write. */
async function listPixels(db: Db, batch: readonly BlockedHost[]): Promise<Set<string>> {
  const ids = pixelsOf(batch)
  if (ids.length === 0) return new Set()
  const rows = await db.selectFrom('tracking_pixels').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}

function pixelsOf(batch: readonly BlockedHost[]): string[] {
  return [...new Set(batch.flatMap(({ pixel_id }) => pixel_id ?? []))]
}

/** All hosts of the batch's tags: at most fifty of each. */
function listHosts(db: Db, batch: readonly BlockedHost[]) {
  const pixels = pixelsOf(batch)
  return db
    .selectFrom('blocked_hosts')
    .select(['id', 'pixel_id', 'host'])
    .where((eb) =>
      eb.or([eb('pixel_id', 'is', null), ...(pixels.length === 0 ? [] : [eb('pixel_id', 'in', pixels)])]),
    )
    .execute()
}

function keyOf(pixelId: string | null, host: string): string {
  return `${pixelId ?? ''} ${host}`
}
