import { TRASH_DAYS, type Trash } from '#contract/pixel-history.ts'
import type { Db } from '#server/db/database.ts'

const MAX_LISTED = 200
const DAY_MS = 86_400_000

/** What was deleted and can still be brought back, the newest first. */
export async function readTrash(db: Db): Promise<Trash> {
  const deleted = db.selectFrom('tracking_pixels').where('deleted_at', 'is not', null)
  const [rows, { total }] = await Promise.all([
    deleted
      .select(['id', 'name', 'type', 'pixel_id', 'active_when_deleted', 'deleted_at', 'deleted_by'])
      .orderBy('deleted_at', 'desc')
      .limit(MAX_LISTED)
      .execute(),
    deleted.select((eb) => eb.fn.countAll<number | string>().as('total')).executeTakeFirstOrThrow(),
  ])
  return {
    pixels: rows.map(({ active_when_deleted, deleted_at, deleted_by, ...pixel }) => ({
      ...pixel,
      was_active: active_when_deleted ?? false,
      deleted_at: deleted_at ?? '',
      deleted_by: deleted_by ?? '',
      kept_until: new Date(Date.parse(deleted_at ?? '') + TRASH_DAYS * DAY_MS).toISOString(),
    })),
    total: Number(total),
  }
}
