import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { sumCounts } from '#server/stats/counts.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import type { Outcome } from '../outbox/channel.ts'
import { backOffBy, settled, untouched } from '../outbox/channel.ts'
import { type Claim, claimDue, holdClaims, releaseEveryLease, settleOutcomes } from '../outbox/queue.ts'
import type { Job } from './destinations/destination.ts'
import { recordOutcomes } from './outcomes.ts'

const NOW = Date.UTC(2026, 10, 16, 9)
const LEASE_MS = 30_000
const at = (ms: number) => new Date(NOW + ms).toISOString()

test('each attempt that fails waits for the next delay, the last one again and again', () => {
  const { after, longestMs } = backOffBy([1_000, 5_000], () => 0)
  expect([1, 2, 3].map((attempts) => after(attempts, null))).toEqual([1_000, 5_000, 5_000])
  expect([after(1, 3_000), after(1, 9_999_999)]).toEqual([3_000, longestMs])
})

describe.each(ENGINES)('claims of the queue, on %s', (engine) => {
  let database: TestDatabase
  let pixelId: string
  beforeEach(async () => {
    database = await makeDatabase(engine)
    pixelId = await insertPixel(database.db, { type: 'meta' })
  })
  afterEach(() => database.close())

  const queue = (count: number) =>
    database.db
      .insertInto('deliveries')
      .values(
        Array.from({ length: count }, () => ({
          id: randomUUID(),
          pixel_id: pixelId,
          kind: 'meta' as const,
          event_id: randomUUID(),
          event: 'lead' as const,
          consent_id: randomUUID(),
          category: 'marketing' as const,
          payload: '{}',
          created_at: at(0),
          expires_at: at(86_400_000),
          next_attempt_at: at(0),
        })),
      )
      .execute()
  const claim = (ms: number, atMostOnce = false) =>
    claimDue(database.db, {
      scope: { pixelId },
      now: NOW + ms,
      limit: 10,
      leaseMs: LEASE_MS,
      longestDelayMs: 3_600_000,
      atMostOnce,
    })
  const rows = () =>
    database.db
      .selectFrom('deliveries')
      .select(['id', 'attempts', 'leased_until', 'next_attempt_at', 'sent_at'])
      .execute()
  /** Settles them all in one way, and says which of them were this process's to settle. */
  const settle = async (claims: Claim[], outcomeOf: (job: Claim) => Outcome, ms: number) => {
    const outcomes = claims.map(outcomeOf)
    let ours: boolean[] = []
    const record = async (_trx: unknown, some: readonly Outcome[], isOurs: (outcome: Outcome) => boolean) => {
      ours = some.map(isOurs)
    }
    await settleOutcomes(
      database.db,
      { backOff: backOffBy([1_000], () => 0), record },
      { claims, outcomes },
      NOW + ms,
    )
    return ours
  }
  const failed = (job: Claim): Outcome => ({ ...untouched(job), isUntouched: false })

  test('an attempt that failed waits for the back-off', async () => {
    await queue(1)
    expect(await settle(await claim(0), failed, 500)).toEqual([true])
    expect(await rows()).toMatchObject([{ attempts: 1, leased_until: null, next_attempt_at: at(1_500) }])
  })

  test('an attempt that was cut off counts for nothing, and the row is due at once', async () => {
    await queue(1)
    await settle(await claim(0), untouched, 500)
    expect(await rows()).toMatchObject([{ attempts: 0, leased_until: null, next_attempt_at: at(500) }])
  })

  test('so does what a killed process held, where no other can hold anything', async () => {
    await queue(1)
    await claim(0)
    await releaseEveryLease(database.db, NOW + 500)
    expect(await rows()).toMatchObject([{ attempts: 0, leased_until: null, next_attempt_at: at(500) }])
  })

  test('a process whose lease was taken over leaves the row to the other', async () => {
    await queue(1)
    const lost = await claim(0)
    const held = await claim(LEASE_MS + 1)
    expect(await settle(lost, failed, LEASE_MS + 2)).toEqual([false])
    expect(await rows()).toMatchObject([{ attempts: 2, leased_until: held[0]?.leased_until }])
    expect(await settle(held, failed, LEASE_MS + 3)).toEqual([true])
  })

  test('an event that two processes have sent is counted once', async () => {
    await queue(1)
    for (const claims of [await claim(0), await claim(LEASE_MS + 1)]) {
      const outcomes = claims.map((row) => settled(row as unknown as Job, 'accepted', '', ''))
      await settleOutcomes<Job>(
        database.db,
        {
          backOff: backOffBy([1_000]),
          record: async (trx, some, isOurs) => {
            await recordOutcomes(trx, { pixelId, outcomes: some, isOurs, stop: null, now: NOW })
          },
        },
        { claims, outcomes },
        NOW,
      )
    }
    const counts = await sumCounts(database.db, { series: 'conversion', resolution: 'hour', from: 0 })
    expect(counts.map(({ key, count }) => [key.trim(), count])).toEqual([['accepted', 1]])
  })

  test('what is sent at most once is known to be perhaps sent when it is claimed again', async () => {
    await queue(1)
    expect(await claim(0, true)).toMatchObject([{ maybeSent: false }])
    expect(await claim(LEASE_MS + 1, true)).toMatchObject([{ maybeSent: true }])
  })

  test('a renewal keeps what is still held, and what was lost stays lost', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    await queue(2)
    const claims = await claim(0)
    const [lost, kept] = claims
    await database.db
      .updateTable('deliveries')
      .set({ leased_until: at(99_000) })
      .where('id', '=', lost?.id ?? '')
      .execute()
    const { signal } = new AbortController()
    const held = holdClaims({ db: database.db, now: () => NOW + 10_000, leaseMs: LEASE_MS, signal }, claims)
    vi.advanceTimersByTime(LEASE_MS / 3)
    await held.letGo()
    expect([lost?.leased_until, kept?.leased_until]).toEqual([at(LEASE_MS), at(10_000 + LEASE_MS)])
    expect(new Map((await rows()).map((row) => [row.id, row.leased_until]))).toEqual(
      new Map([
        [lost?.id, at(99_000)],
        [kept?.id, at(10_000 + LEASE_MS)],
      ]),
    )
  })
})
