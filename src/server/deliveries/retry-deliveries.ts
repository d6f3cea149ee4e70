import type { RetriedDeliveries } from '#contract/conversions.ts'
import { recordAudit } from '../db/audit.ts'
import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'
import { makeDue } from '../db/make-due.ts'
import { AppError } from '../http/app-error.ts'
import { auditActor, type Caller } from '../http/caller.ts'

/** "Tentar de novo": what waits is due now, and a stop is lifted until the vendor says so again. */
export async function retryDeliveries(db: Db, caller: Caller, pixelId: string): Promise<RetriedDeliveries> {
  await change(db, async (trx) => {
    const pixel = await trx
      .selectFrom('tracking_pixels')
      .select('id')
      .where('id', '=', pixelId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (pixel === undefined) throw new AppError(404, 'not_found', 'Pixel não encontrado.')
    await trx.deleteFrom('delivery_stops').where('pixel_id', '=', pixelId).execute()
    await recordAudit(trx, { ...auditActor(caller), action: 'deliveries.retry', subject: pixelId })
  })
  // Before they are made due: the worker may have sent the first ones by the time the last one is.
  const { waiting } = await db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('pixel_id', '=', pixelId)
    .where('leased_until', 'is', null)
    .executeTakeFirstOrThrow()
  await makeDue(db, { pixelId }, Date.now())
  return { waiting: Number(waiting) }
}
