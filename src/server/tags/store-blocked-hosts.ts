import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'
import { type BlockedHost, keyOf, type TakeRoom } from './blocked-host-buffer.ts'

/** Anyone can report any name: of more than this many of one tag, those that the most networks reported are kept. */
const MAX_HOSTS_PER_TAG = 50
const MAX_COUNT = 1_000_000

type KnownHost = Awaited<ReturnType<typeof listHosts>>[number]

/**
 * One row per host and tag, however often it is reported. A new one takes the place of the weakest where the list is full:
 * the one that the fewest networks reported, and of those the one that was not seen for longest; never one that more
 * networks reported than the new one. Where another replica stores a new host at the same moment, the statement fails and
 * its rows come again with the next one, which finds that host.
 */
export async function storeBlockedHosts(
  db: Db,
  batch: readonly BlockedHost[],
  takeRoom: TakeRoom,
): Promise<void> {
  const hosts = await listHosts(db, batch)
  const known = new Map(hosts.map((host) => [keyOf(host), host]))
  const reported = new Set(batch.map(keyOf))
  const held = Map.groupBy(hosts, ({ pixel_id }) => pixel_id)
  const replaced: string[] = []
  const rows: (BlockedHost & { id: string; first_seen_at: string })[] = []
  const taken: ReturnType<TakeRoom>[] = []
  const pixels = await listPixels(db, batch)
  for (const blocked of batch) {
    const { pixel_id, count, networks, last_seen_at } = blocked
    if (pixel_id !== null && !pixels.has(pixel_id)) continue
    const id = known.get(keyOf(blocked))?.id
    if (id === undefined) {
      const ofTag = held.get(pixel_id) ?? []
      held.set(pixel_id, ofTag)
      const weakest = ofTag.length < MAX_HOSTS_PER_TAG ? null : findWeakest(ofTag, reported)
      if (weakest !== null && (weakest === undefined || weakest.networks > Math.max(1, networks))) continue
      const room = takeRoom()
      if (room.wait !== null) continue
      taken.push(room)
      if (weakest !== null) {
        replaced.push(weakest.id)
        ofTag.splice(ofTag.indexOf(weakest), 1)
      }
      ofTag.push({ ...blocked, id: '' })
    }
    const least = id === undefined ? 1 : 0
    rows.push({
      ...blocked,
      id: id ?? randomUUID(),
      count: Math.max(least, count),
      networks: Math.max(least, networks),
      first_seen_at: last_seen_at,
    })
  }
  if (rows.length === 0) return
  const capped = (column: 'count' | 'networks') => {
    const sum = sql<number>`${sql.ref(`blocked_hosts.${column}`)} + ${sql.ref(`excluded.${column}`)}`
    return sql<number>`case when ${sum} > ${sql.lit(MAX_COUNT)} then ${sql.lit(MAX_COUNT)} else ${sum} end`
  }
  try {
    await change(db, async (trx) => {
      if (replaced.length > 0) await trx.deleteFrom('blocked_hosts').where('id', 'in', replaced).execute()
      await trx
        .insertInto('blocked_hosts')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet({
            count: capped('count'),
            networks: capped('networks'),
            last_seen_at: sql<string>`excluded.last_seen_at`,
            code_hash: sql<string | null>`coalesce(excluded.code_hash, blocked_hosts.code_hash)`,
            use: sql<string>`excluded.use`,
          }),
        )
        .execute()
    })
  } catch (error) {
    for (const { giveBack } of taken) giveBack?.()
    throw error
  }
}

/** What this very batch speaks of stays; undefined where that is all of them. */
function findWeakest(hosts: readonly KnownHost[], reported: ReadonlySet<string>): KnownHost | undefined {
  return hosts
    .filter((host) => host.id !== '' && !reported.has(keyOf(host)))
    .toSorted((a, b) => a.networks - b.networks || (a.last_seen_at < b.last_seen_at ? -1 : 1))[0]
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
    .select(['id', 'pixel_id', 'host', 'networks', 'last_seen_at'])
    .where((eb) =>
      eb.or([eb('pixel_id', 'is', null), ...(pixels.length === 0 ? [] : [eb('pixel_id', 'in', pixels)])]),
    )
    .execute()
}
