import type { Db } from './database.ts'
import { type DeliveryScope, isInScope } from './delivery-scope.ts'
import { inSteps } from './in-steps.ts'

/** What waits for its next attempt is due now, however much it is; gives how many. */
export function makeDue(db: Db, scope: DeliveryScope, now: number): Promise<number> {
  const at = new Date(now).toISOString()
  return inSteps(async (rows) => {
    const { numUpdatedRows } = await db
      .updateTable('deliveries')
      .set({ next_attempt_at: at })
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('deliveries')
          .select('id')
          .where((of) => isInScope(of, scope))
          .where('next_attempt_at', '>', at)
          // What is being sent now has its say first.
          .where('leased_until', 'is', null)
          .limit(rows),
      )
      .executeTakeFirstOrThrow()
    return numUpdatedRows
  })
}
