import { recordAudit } from '../db/audit.ts'
import { change } from '../db/change.ts'
import { bumpTagsVersion } from '../db/changes.ts'
import type { Db } from '../db/database.ts'
import { auditActor, type Caller } from '../http/caller.ts'

/** Stops every tag at once, or brings them back: the pixels themselves are not touched, so they come back as they were. */
export async function setPaused(db: Db, caller: Caller, paused: boolean, now = new Date()): Promise<void> {
  const actor = auditActor(caller)
  await change(db, async (trx) => {
    const changed = await trx
      .updateTable('site_state')
      .set({
        tags_paused_at: paused ? now.toISOString() : null,
        tags_paused_by: paused ? actor.actor : null,
      })
      .where('tags_paused_at', paused ? 'is' : 'is not', null)
      .executeTakeFirst()
    // Paused twice is paused once, by the first who did it.
    if (changed.numUpdatedRows === 0n) return
    await recordAudit(trx, { ...actor, action: paused ? 'tags.pause' : 'tags.resume' }, now)
    await bumpTagsVersion(trx)
  })
}
