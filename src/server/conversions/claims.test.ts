import { randomUUID } from 'node:crypto'
import { type KyselyPlugin, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Db } from '#server/db/database.ts'
import { sumCounts } from '#server/stats/counts.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { queuedEvent } from '#tests/support/queued-event.ts'
import type { Outcome } from '../outbox/channel.ts'
import { backOffBy, settled, untouched } from '../outbox/channel.ts'
import { type Claim, claimDue, holdClaims, releaseEveryLease, settleOutcomes } from '../outbox/queue.ts'
import { recordResults } from './delivery-results.ts'
import type { Job } from './destinations/destination.ts'

const NOW = Date.UTC(2026, 10, 16, 9)
const LEASE_MS = 30_000
const at = (ms: number) => new Date(NOW + ms).toISOString()

test('waits for the next delay after each failure, and repeats the last one', () => {
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
      .values(Array.from({ length: count }, () => queuedEvent(pixelId, at(0))))
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
  /** Settles all claims with one outcome, and returns those that this process still held. */
  const settle = async (
    claims: Claim[],
    outcomeOf: (job: Claim) => Outcome,
    ms: number,
    random = () => 0,
  ) => {
    const outcomes = claims.map(outcomeOf)
    let ours: boolean[] = []
    const record = async (_trx: unknown, some: readonly Outcome[], isOurs: (outcome: Outcome) => boolean) => {
      ours = some.map(isOurs)
    }
    await settleOutcomes(
      database.db,
      { scope: { pixelId }, backOff: backOffBy([1_000], random), record },
      { claims, outcomes },
      NOW + ms,
    )
    return ours
  }
  const failed = (job: Claim): Outcome => ({ ...untouched(job), isUntouched: false })

  test('applies the delay after a failed attempt', async () => {
    await queue(1)
    expect(await settle(await claim(0), failed, 500)).toEqual([true])
    expect(await rows()).toMatchObject([{ attempts: 1, leased_until: null, next_attempt_at: at(1_500) }])
  })

  test('gives each job of a failed round its own delay', async () => {
    await queue(10)
    let drawn = 0
    expect(await settle(await claim(0), failed, 500, () => drawn++ / 10)).toEqual(Array(10).fill(true))
    const times = (await rows()).map(({ next_attempt_at }) => Date.parse(next_attempt_at) - NOW)
    expect(times.sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, n) => 1_500 + n * 25))
  })

  test('does not count an interrupted attempt and makes the row due at once', async () => {
    await queue(1)
    await settle(await claim(0), untouched, 500)
    expect(await rows()).toMatchObject([{ attempts: 0, leased_until: null, next_attempt_at: at(500) }])
  })

  test('makes rows of a killed process due at once when there is only one process', async () => {
    await queue(1)
    await claim(0)
    await releaseEveryLease(database.db, NOW + 500)
    expect(await rows()).toMatchObject([{ attempts: 0, leased_until: null, next_attempt_at: at(500) }])
  })

  test('leaves a row to the process that took over its lease', async () => {
    await queue(1)
    const lost = await claim(0)
    const held = await claim(LEASE_MS + 1)
    expect(await settle(lost, failed, LEASE_MS + 2)).toEqual([false])
    expect(await rows()).toMatchObject([{ attempts: 2, leased_until: held[0]?.leased_until }])
    expect(await settle(held, failed, LEASE_MS + 3)).toEqual([true])
  })

  test('counts an event once when two processes have sent it', async () => {
    await queue(1)
    for (const claims of [await claim(0), await claim(LEASE_MS + 1)]) {
      const outcomes = claims.map((row) => settled(row as unknown as Job, 'accepted', '', ''))
      await settleOutcomes<Job>(
        database.db,
        {
          scope: { pixelId },
          backOff: backOffBy([1_000]),
          record: async (trx, some, isOurs) => {
            await recordResults(trx, { pixelId, outcomes: some, isOurs, stop: null, now: NOW })
          },
        },
        { claims, outcomes },
        NOW,
      )
    }
    const counts = await sumCounts(database.db, { series: 'conversion', resolution: 'hour', from: 0 })
    expect(counts.map(({ key, count }) => [key.trim(), count])).toEqual([['accepted', 1]])
  })

  test('counts last, and writes nothing after it', async () => {
    await queue(1)
    const written: string[] = []
    const noting: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (node.kind === 'InsertQueryNode') written.push(node.into?.table.identifier.name ?? '')
        else written.push(node.kind)
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const outcomes = (await claim(0)).map((row) => settled(row as unknown as Job, 'accepted', '', ''))
    await recordResults(database.db.withPlugin(noting), {
      pixelId,
      outcomes,
      isOurs: () => true,
      stop: null,
      now: NOW,
    })
    expect(written).toEqual(['delivery_log', 'DeleteQueryNode', 'DeleteQueryNode', 'counts'])
  })

  test('marks an at-most-once row as maybe sent when it is claimed again', async () => {
    await queue(1)
    expect(await claim(0, true)).toMatchObject([{ maybeSent: false }])
    expect(await claim(LEASE_MS + 1, true)).toMatchObject([{ maybeSent: true }])
  })

  test('renews leases that are still held, and not those that were lost', async () => {
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

test('rounds of two processes on PostgreSQL do not wait for each other to shorten the log of a pixel', async () => {
  const database = await makeDatabase('postgres')
  onTestFinished(() => database.close())
  const { db } = database
  const pixelId = await insertPixel(db, { type: 'meta' })
  const row = { id: randomUUID(), event: 'lead', attempts: 1, created_at: at(0) } as Job
  const outcomes = Array.from({ length: 25 }, () => ({ ...untouched(row), isUntouched: false }))
  const record = (trx: Db) =>
    recordResults(trx, { pixelId, outcomes, isOurs: () => true, stop: null, now: NOW })
  await record(db)
  await db.transaction().execute(async (first) => {
    await record(first)
    await db.transaction().execute(async (second) => {
      await sql`set local lock_timeout = '50ms'`.execute(second)
      await record(second)
    })
  })
  await record(db)
  const { count } = await db
    .selectFrom('delivery_log')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(count).toBe(20)
})
