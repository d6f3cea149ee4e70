import type { NotNull } from 'kysely'
import { change } from '../db/change.ts'
import { countSettled } from '../db/count-settled.ts'
import type { Db } from '../db/database.ts'
import { inSteps } from '../db/in-steps.ts'

const DAY_MS = 86_400_000

/** Counts as expired what no vendor takes any more, also of pixels that are off or stopped; and forgets old counts. */
export async function sweepDeliveries(
  db: Db,
  { reportDays }: { readonly reportDays: number },
  signal?: AbortSignal,
  now = Date.now(),
): Promise<{ deliveries: number; delivery_counts: number }> {
  const deliveries = await inSteps((rows) => expireSome(db, rows, now), signal)
  const before = new Date(now - reportDays * DAY_MS).toISOString()
  const delivery_counts = await inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom('delivery_counts')
      .where((eb) =>
        eb(
          eb.refTuple('pixel_id', 'hour', 'state', 'reason'),
          'in',
          eb
            .selectFrom('delivery_counts')
            .select(['pixel_id', 'hour', 'state', 'reason'])
            .where('hour', '<', before)
            .limit(rows)
            .$asTuple('pixel_id', 'hour', 'state', 'reason'),
        ),
      )
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
  return { deliveries, delivery_counts }
}

function expireSome(db: Db, rows: number, now: number): Promise<bigint> {
  return change(db, async (trx) => {
    const expired = await trx
      .deleteFrom('deliveries')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('deliveries')
          .select('id')
          .where('expires_at', '<=', new Date(now).toISOString())
          .where('pixel_id', 'is not', null)
          .limit(rows),
      )
      .returning(['pixel_id', 'created_at', 'sent_at'])
      .$narrowType<{ pixel_id: NotNull }>()
      .execute()
    await countSettled(
      trx,
      expired.map(({ sent_at, ...row }) => ({
        ...row,
        state: sent_at === null ? ('expired' as const) : ('unconfirmed' as const),
        reason: '',
      })),
    )
    return BigInt(expired.length)
  })
}
