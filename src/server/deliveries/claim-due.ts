import { engineOf } from '../db/column-types.ts'
import type { Db } from '../db/database.ts'
import type { EventPayload } from '../db/delivery-schema.ts'
import { aheadRange } from '../db/stored-time.ts'
import { LONGEST_DELAY_MS } from './back-off.ts'
import type { Job } from './job.ts'

export interface ClaimOptions {
  pixelId: string
  now: number
  limit: number
  leaseMs: number
  /** Notes each as sent before it is: what then comes back unsettled is not sent again. */
  atMostOnce: boolean
}

/** What was claimed to be sent, and what a process that is gone may have sent. */
export interface Claimed {
  jobs: Job[]
  maybeSent: Job[]
}

/**
 * Takes what is due of one pixel, oldest first, until the lease ends: it is not due before. One statement, so one short
 * transaction; `skip locked` lets replicas take different rows at once. A time further ahead than we ever write was
 * written before the clock was set back, and counts as past; those are asked for apart, so that both use the index.
 */
export async function claimDue(db: Db, options: ClaimOptions): Promise<Claimed> {
  const due = await claim(db, options, '<=', new Date(options.now).toISOString())
  if (due.jobs.length + due.maybeSent.length > 0) return due
  return claim(db, options, '>', aheadRange(LONGEST_DELAY_MS, options.now).upTo)
}

async function claim(
  db: Db,
  { pixelId, now, limit, leaseMs, atMostOnce }: ClaimOptions,
  comparison: '<=' | '>',
  time: string,
): Promise<Claimed> {
  const until = new Date(now + leaseMs).toISOString()
  const rows = await db
    .with('due', (qb) =>
      qb
        .selectFrom('deliveries')
        .select('id')
        .where('pixel_id', '=', pixelId)
        .where('next_attempt_at', comparison, time)
        .orderBy('next_attempt_at')
        .limit(limit)
        .$if(engineOf(db) === 'postgres', (query) => query.forUpdate().skipLocked()),
    )
    .updateTable('deliveries')
    // `attempts` counts those that were begun: a second claim of what is sent at most once is told by it.
    .set((eb) => ({
      leased_until: until,
      next_attempt_at: until,
      attempts: eb('attempts', '+', 1),
      ...(atMostOnce ? { sent_at: eb.fn.coalesce('sent_at', eb.val(new Date(now).toISOString())) } : {}),
    }))
    .where('id', 'in', (eb) => eb.selectFrom('due').select('id'))
    .returning([
      'id',
      'pixel_id',
      'event_id',
      'event',
      'consent_id',
      'category',
      'attempts',
      'leased_until',
      'sent_at',
      'created_at',
      'expires_at',
      'payload',
    ])
    .execute()
  const claimed: Claimed = { jobs: [], maybeSent: [] }
  for (const { payload, sent_at, leased_until, ...row } of rows) {
    const job: Job = {
      ...row,
      leased_until: leased_until ?? until,
      payload: JSON.parse(payload) as EventPayload,
    }
    const isOld = sent_at !== null && Date.parse(sent_at) !== now
    ;(isOld ? claimed.maybeSent : claimed.jobs).push(job)
  }
  return claimed
}

/** Only where no other process can hold one: what a killed server left is due again at once. */
export async function releaseEveryLease(db: Db, now: number): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ leased_until: null, next_attempt_at: new Date(now).toISOString() })
    .where('leased_until', 'is not', null)
    .execute()
}
