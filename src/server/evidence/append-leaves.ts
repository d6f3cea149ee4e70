import { sql } from 'kysely'
import { change } from '../db/change.ts'
import { columnTypes } from '../db/column-types.ts'
import type { Db } from '../db/database.ts'
import { STEP_ROWS } from '../db/in-steps.ts'
import { locked } from '../db/locked.ts'
import { canonicalJson } from './canonical.ts'
import { countChoices } from './count-choices.ts'
import { toRecord } from './to-record.ts'
import { appendToTree, lockTree } from './tree/append-to-tree.ts'
import { hashLeaf } from './tree/tree-hash.ts'

/**
 * Gives records that have none a leaf, in the order in which they are found here: a record that was committed late stands
 * where it was found, whatever its time. One transaction under the lock of the tree, so that each record gets one leaf,
 * whoever else does the same. Gives how many.
 */
export function appendLeaves(db: Db, limit = STEP_ROWS): Promise<number> {
  return change(db, async (trx) => {
    const tree = await lockTree(trx)
    const rows = await locked(
      trx,
      trx
        .selectFrom('consent_records')
        .selectAll()
        .where('leaf_position', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit),
    ).execute()
    if (rows.length === 0) return 0
    const records = rows.map(toRecord)
    await appendToTree(
      trx,
      tree,
      records.map((record) => ({ hash: hashLeaf(canonicalJson(record)), recordedAt: record.recorded_at })),
    )
    await setPositions(
      trx,
      rows.map(({ id }) => id),
      tree.size,
    )
    await countChoices(trx, records)
    return rows.length
  })
}

async function setPositions(trx: Db, ids: readonly string[], first: number): Promise<void> {
  const { uuid, integer } = columnTypes(trx as never)
  const places = ids.map(
    (id, at) =>
      sql`(cast(${id} as ${sql.raw(uuid as string)}), cast(${first + at} as ${sql.raw(integer as string)}))`,
  )
  // Joined alone, SQLite reads every record there is when there are hundreds of places.
  await sql`with place (id, position) as (values ${sql.join(places)})
    update consent_records set leaf_position = place.position from place
    where consent_records.id = place.id and consent_records.id in (select id from place)`.execute(trx)
}
