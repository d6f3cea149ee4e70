import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/locked.ts'

/** A pixel's permitted hosts, held until the transaction ends; undefined of one that is deleted or was never there. */
export function lockPixelHosts(trx: Db, pixelId: string) {
  return locked(
    trx,
    trx
      .selectFrom('tracking_pixels')
      .select(['id', 'allowed_hosts', 'updated_at'])
      .where('id', '=', pixelId)
      .where('deleted_at', 'is', null),
  ).executeTakeFirst()
}
