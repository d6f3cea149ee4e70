import type { EvidenceSeal } from '#contract/consent.ts'
import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'
import { listSeals } from './list-seals.ts'
import { sealHash } from './seal-hash.ts'
import { lockTree } from './tree/append-to-tree.ts'
import { TreeReader } from './tree/tree-reader.ts'

const MINUTE_MS = 60_000

/**
 * Seals the leaves that came since the last seal; null when there are none, or when this minute has its seal already. A
 * clock that was set back seals on: times of seals never go back, and numbers say the order.
 */
export function makeSeal(db: Db, now = Date.now()): Promise<EvidenceSeal | null> {
  return change(db, async (trx) => {
    const { size, first_record_at, last_record_at } = await lockTree(trx)
    const [last] = await listSeals(trx, { limit: 1 })
    const before = last?.tree_size ?? 0
    if (size === before) return null
    const lastAt = last === undefined ? Number.NEGATIVE_INFINITY : Date.parse(last.sealed_at)
    if (minuteOf(now) === minuteOf(lastAt)) return null
    const sealedAt = new Date(Math.max(now, lastAt)).toISOString()
    const seal = {
      '@type': 'ConsentSeal' as const,
      sequence: (last?.sequence ?? 0) + 1,
      first_record_at: first_record_at ?? sealedAt,
      last_record_at: last_record_at ?? sealedAt,
      leaf_count: size - before,
      tree_size: size,
      root: await new TreeReader(trx).root(size),
      previous_hash: last?.hash ?? null,
      sealed_at: sealedAt,
    }
    const { '@type': _, ...row } = { ...seal, hash: sealHash(seal) }
    await trx.insertInto('consent_seals').values(row).execute()
    await trx
      .updateTable('consent_tree')
      .set({ first_record_at: null, last_record_at: null })
      .where('id', '=', 1)
      .execute()
    return { '@type': 'ConsentSeal', ...row }
  })
}

function minuteOf(time: number): number {
  return Math.floor(time / MINUTE_MS)
}
