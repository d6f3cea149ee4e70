import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { bumpTagsVersion } from '#server/db/changes.ts'
import type { Db } from '#server/db/database.ts'
import { auditActor, type Caller } from '#server/http/caller.ts'

/** Takes a pause or a warning back. What visits showed until now is forgotten: it takes fifty new ones to trip again. */
export async function rearmBreaker(db: Db, caller: Caller, pixelId: string): Promise<void> {
  await change(db, async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('tag_breakers')
      .where('pixel_id', '=', pixelId)
      .executeTakeFirstOrThrow()
    // Of two who do it at once, the second finds it done.
    if (numDeletedRows === 0n) return
    await trx.deleteFrom('tag_minutes').where('pixel_id', '=', pixelId).execute()
    await recordAudit(trx, { ...auditActor(caller), action: 'tags.breaker_rearm', subject: pixelId })
    await bumpTagsVersion(trx)
  })
}
