import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { bumpTagsVersion } from '#server/db/changes.ts'
import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/locked.ts'
import type { Failing } from './breaker-buffer.ts'

/** What the audit trail calls whoever did it. */
const ACTOR = { actor_id: null, actor: 'disjuntor' }
const ACTIONS = {
  failing: { paused: { action: 'tags.breaker_pause' }, warned: { action: 'tags.breaker_warn' } },
  slow: { paused: { action: 'tags.breaker_pause_cost' }, warned: { action: 'tags.breaker_warn_cost' } },
} as const

export interface Trip {
  name: string
  state: 'paused' | 'warned'
  /** Of the tag set, when it has changed. */
  version: Promise<number> | null
}

/**
 * Pauses a tag that fails, where its administrator allowed it, or says that it does. Once, whichever process finds it
 * first: null for all others, and for what was said of the same revision before.
 */
export async function tripBreaker(
  db: Db,
  { pixelId, revision, reason, visits, failed }: Failing,
  now = new Date(),
): Promise<Trip | null> {
  return change(db, async (trx) => {
    const pixel = await locked(
      trx,
      trx
        .selectFrom('tracking_pixels')
        .select(['name', 'auto_disable'])
        .where('id', '=', pixelId)
        .where('is_active', '=', true),
    ).executeTakeFirst()
    if (pixel === undefined) return null
    const state: Trip['state'] = pixel.auto_disable ? 'paused' : 'warned'
    const before = await trx
      .selectFrom('tag_breakers')
      .select(['state', 'reason', 'revision'])
      .where('pixel_id', '=', pixelId)
      .executeTakeFirst()
    if (before?.state === 'paused') return null
    const isSame = before?.state === state && before.revision === revision
    // That it fails is said instead of that it is slow, and never the other way: two that are both true would take turns.
    if (isSame && (before.reason === reason || before.reason === 'failing')) return null
    const row = { revision, state, reason, visits, failed, tripped_at: now.toISOString() }
    await trx
      .insertInto('tag_breakers')
      .values({ pixel_id: pixelId, ...row })
      .onConflict((conflict) => conflict.column('pixel_id').doUpdateSet(row))
      .execute()
    const action = ACTIONS[reason][state].action
    await recordAudit(trx, { ...ACTOR, action, subject: pixelId, after: { visits, failed } }, now)
    const version = state === 'paused' ? (await bumpTagsVersion(trx)).version : null
    return { name: pixel.name, state, version }
  })
}
