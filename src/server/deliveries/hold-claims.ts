import type { Claim } from './claim-due.ts'
import type { RoundDeps } from './lane.ts'

export interface Held {
  /** Resolves when the leases are no longer touched. */
  letGo(): Promise<void>
}

/**
 * Renews the leases of a round for as long as it runs, so that they can be short: what a killed process held is free
 * soon, and what a slow vendor holds up is not sent a second time meanwhile.
 */
export function holdClaims({ db, now, leaseMs }: RoundDeps, claims: readonly Claim[]): Held {
  let renewing = Promise.resolve()
  const timer = setInterval(() => {
    renewing = renewing.then(renew)
  }, leaseMs / 3)
  timer.unref()

  async function renew(): Promise<void> {
    const until = new Date(now() + leaseMs).toISOString()
    try {
      for (const [former, same] of Map.groupBy(claims, ({ leased_until }) => leased_until)) {
        const kept = await db
          .updateTable('deliveries')
          .set({ leased_until: until, next_attempt_at: until })
          .where(
            'id',
            'in',
            same.map(({ id }) => id),
          )
          .where('leased_until', '=', former)
          .returning('id')
          .execute()
        const ours = new Set(kept.map(({ id }) => id))
        for (const claim of same) if (ours.has(claim.id)) claim.leased_until = until
      }
    } catch {
      // The database is away: the next renewal comes in time, or the lease ends and another takes the row.
    }
  }

  return {
    async letGo() {
      clearInterval(timer)
      await renewing
    },
  }
}
