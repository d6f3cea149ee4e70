import type { EvidenceSeal } from '#contract/consent.ts'
import type { Dossier } from '#contract/inventory.ts'
import { nextSiteDay, startOfSiteDate } from '#contract/site.ts'
import type { Db } from '#server/db/database.ts'
import type { DayRange } from '../admin/read-day-range.ts'
import { toSeal } from '../seal-hash.ts'
import { TreeReader } from '../tree/tree-reader.ts'

/** The seals that bound a period: one before it, the last of each of its days, and the proof that nothing before was changed. */
export async function readDaySeals(db: Db, { from, to }: DayRange): Promise<Dossier['seals']> {
  const start = startOfSiteDate(from)
  const before = await lastBefore(db, start)
  const days: EvidenceSeal[] = []
  for (let day = start; day <= startOfSiteDate(to); day = nextSiteDay(day)) {
    const seal = await lastBefore(db, nextSiteDay(day), day)
    if (seal !== null) days.push(seal)
  }
  const last = days.at(-1) ?? null
  return {
    before,
    days,
    last,
    consistency:
      before === null || last === null
        ? []
        : await new TreeReader(db).proveConsistency(before.tree_size, last.tree_size),
  }
}

async function lastBefore(db: Db, time: number, since?: number): Promise<EvidenceSeal | null> {
  const row = await db
    .selectFrom('consent_seals')
    .selectAll()
    .where('sealed_at', '<', new Date(time).toISOString())
    .$if(since !== undefined, (query) => query.where('sealed_at', '>=', new Date(since ?? 0).toISOString()))
    .orderBy('sealed_at', 'desc')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : toSeal(row)
}
