import type { Db } from './database.ts'
import type { DeliveryCounts } from './delivery-schema.ts'
import { post } from './post.ts'

interface Settled {
  pixel_id: string
  /** When it happened: its hour is where it counts. */
  created_at: string
  state: DeliveryCounts['state']
  reason: string
}

/** Counts what left the queue. In the transaction that deletes the rows, so that each event is in one place, always. */
export async function countSettled(trx: Db, settled: readonly Settled[]): Promise<void> {
  const sums = new Map<string, DeliveryCounts>()
  for (const { pixel_id, created_at, state, reason } of settled) {
    const hour = `${created_at.slice(0, 13)}:00:00.000Z`
    const key = [pixel_id, hour, state, reason].join()
    const sum = sums.get(key) ?? { pixel_id, hour, state, reason, count: 0 }
    sum.count++
    sums.set(key, sum)
  }
  // In one order everywhere, so that no two wait for each other.
  for (const key of [...sums.keys()].sort()) {
    const sum = sums.get(key)
    if (sum === undefined) continue
    const add = trx
      .insertInto('delivery_counts')
      .values(sum)
      .onConflict((conflict) =>
        conflict
          .columns(['pixel_id', 'hour', 'state', 'reason'])
          .doUpdateSet((eb) => ({ count: eb('delivery_counts.count', '+', sum.count) })),
      )
    await post(trx, add)
  }
}
