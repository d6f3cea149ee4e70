import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { DAY_MS, MINUTE_MS } from '#contract/durations.ts'
import type { Database } from '#server/db/database.ts'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import { createLogger } from '../logging/logger.ts'
import { RateCounter } from './counter.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const TWO = { max: 2, windowMs: MINUTE_MS }

describe.each(ENGINES)('counting in memory on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  function startReplica(options?: { maxWindows: number }): RateCounter {
    const counter = new RateCounter(database.db, createLogger('silent'), options)
    onTestFinished(() => counter.stop())
    return counter
  }
  /** A flush takes its rows in the next microtask, then waits for the database. */
  const hasBegun = () => Promise.resolve()
  const stored = async (key: string) =>
    database.db.selectFrom('rate_windows').selectAll().where('key', '=', key).executeTakeFirst()

  test('allows the limit, says when the window ends, and begins a new one', () => {
    const counter = startReplica()
    const now = Date.now()
    const hit = [{ key: 'window', ...TWO }]
    expect([0, 1].map(() => counter.take(hit, now))).toEqual([null, null])
    expect(counter.take(hit, now + 45_000)).toBe(15)
    expect(counter.take(hit, now + MINUTE_MS)).toBeNull()
  })

  test('counts nothing when one key is used up', () => {
    const counter = startReplica()
    const narrow = { key: 'narrow', ...TWO }
    const wide = { key: 'wide', max: 3, windowMs: MINUTE_MS }
    for (let n = 0; n < 9; n++) counter.take([narrow, wide])
    expect(counter.take([wide])).toBeNull()
    expect(counter.take([wide])).toBe(60)
  })

  test('a refused call costs no write', async () => {
    const counter = startReplica()
    const hit = [{ key: 'refused', ...TWO }]
    for (let n = 0; n < 2; n++) counter.take(hit)
    await counter.flush()
    const before = await stored('refused')
    for (let n = 0; n < 1000; n++) expect(counter.take(hit)).toBeGreaterThan(0)
    await counter.flush()
    expect(await stored('refused')).toEqual(before)
    expect(before?.count).toBe(2)
  })

  test('processes learn of each other with the next flush, and a new process of earlier counts', async () => {
    const [one, two] = [startReplica(), startReplica()]
    const hit = [{ key: 'shared', ...TWO }]
    one.take(hit)
    await one.flush()
    expect(two.take(hit)).toBeNull()
    await two.flush()
    expect(two.take(hit)).toBeGreaterThan(0)
    expect(one.take(hit)).toBeNull()
    await one.flush()
    expect(one.take(hit)).toBeGreaterThan(0)
    expect((await stored('shared'))?.count).toBe(3)
  })

  test('counts of a clock that was a day ahead lock nobody', async () => {
    const counter = startReplica()
    const hit = [{ key: 'ahead', ...TWO }]
    for (let n = 0; n < 3; n++) counter.take(hit, Date.now() + DAY_MS)
    await counter.flush()
    expect(counter.take(hit)).toBeNull()
    const fresh = startReplica()
    expect(fresh.take(hit)).toBeNull()
    await fresh.flush()
    expect(fresh.take(hit)).toBeNull()
  })

  test('writes counts later when it could not, and keeps limiting meanwhile', async () => {
    const counter = startReplica()
    const hit = [{ key: 'later', ...TWO }]
    await database.db.schema.alterTable('rate_windows').renameTo('away').execute()
    counter.take(hit)
    await counter.flush()
    counter.take(hit)
    expect(counter.take(hit)).toBeGreaterThan(0)
    await database.db.schema.alterTable('away').renameTo('rate_windows').execute()
    await counter.flush()
    expect((await stored('later'))?.count).toBe(2)
  })

  test('keeps and shares hits that arrive during a flush', async () => {
    const [one, two] = [startReplica(), startReplica()]
    const hit = [{ key: 'way', max: 9, windowMs: MINUTE_MS }]
    for (let n = 0; n < 3; n++) one.take(hit)
    const sharing = one.flush()
    await hasBegun()
    for (let n = 0; n < 2; n++) one.take(hit)
    await sharing
    expect(one.countOf({ key: 'way', max: 9, windowMs: MINUTE_MS })).toBe(5)
    for (let n = 0; n < 2; n++) two.take(hit)
    await two.flush()
    await one.flush()
    expect((await stored('way'))?.count).toBe(7)
  })

  test('a window that could not be written adds nothing to the next', async () => {
    const counter = startReplica()
    const hit = [{ key: 'next', ...TWO }]
    await database.db.schema.alterTable('rate_windows').renameTo('away').execute()
    counter.take(hit, Date.now() - MINUTE_MS + 500)
    const lost = counter.flush()
    await hasBegun()
    counter.take(hit, Date.now() + 1_000)
    await lost
    await database.db.schema.alterTable('away').renameTo('rate_windows').execute()
    await counter.flush()
    expect((await stored('next'))?.count).toBe(1)
  })

  test('counts more callers than fit in memory, and reads the oldest from the database', async () => {
    const counter = startReplica({ maxWindows: 100 })
    const first = [{ key: 'many:0', ...TWO }]
    for (let n = 0; n < 2; n++) counter.take(first)
    await counter.flush()
    for (let n = 1; n <= 100; n++) counter.take([{ key: `many:${n}`, ...TWO }])
    expect(counter.take(first)).toBeNull()
    await counter.flush()
    expect(counter.take(first)).toBeGreaterThan(0)
  })

  test('drops the window that began first, also after one began again and after all were ended', () => {
    const counter = startReplica({ maxWindows: 3 })
    const now = Date.now()
    const hit = (key: string) => ({ key: `order:${key}`, ...TWO })
    const take = (keys: string, at: number) => {
      for (const key of keys) counter.take([hit(key)], at)
    }
    const kept = (at: number) => [...'abcdefgh'].filter((key) => counter.countOf(hit(key), at) > 0).join('')
    take('a', now)
    take('bc', now + 1_000)
    take('a', now + MINUTE_MS)
    take('d', now + MINUTE_MS)
    expect(kept(now + MINUTE_MS)).toBe('acd')
    take('ef', now + MINUTE_MS)
    expect(kept(now + MINUTE_MS)).toBe('def')
    counter.clear()
    take('abcdgh', now + MINUTE_MS)
    expect(kept(now + MINUTE_MS)).toBe('dgh')
  })

  test('keeps nothing of windows that ended', () => {
    const counter = startReplica()
    const megabytesAfter = (rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        for (let caller = 0; caller < 1_000; caller++) counter.take([{ key: `${round}:${caller}`, ...TWO }])
        counter.clear()
      }
      collectGarbage()
      return process.memoryUsage().heapUsed / 1e6
    }
    const before = megabytesAfter(1)
    // 200,000 windows take about 30 MB.
    expect(megabytesAfter(200) - before).toBeLessThan(10)
  })
})

test('processes that count the same keys in opposite orders do not deadlock', async () => {
  const database = await makeDatabase('postgres')
  const warnings: unknown[] = []
  const log = { warn: (...line: unknown[]) => void warnings.push(line) } as never
  const replicas = [new RateCounter(database.db, log), new RateCounter(database.db, log)]
  const keys = Array.from({ length: 300 }, (_, n) => `circle:${n}`)
  for (let round = 0; round < 30; round++) {
    replicas.forEach((replica, n) => {
      for (const key of n === 0 ? keys : keys.toReversed())
        replica.take([{ key, max: 1000, windowMs: MINUTE_MS }])
    })
    await Promise.all(replicas.map((replica) => replica.flush()))
  }
  expect(warnings).toEqual([])
  const { total } = await database.db
    .selectFrom('rate_windows')
    .select((eb) => eb.fn.sum<number>('count').as('total'))
    .executeTakeFirstOrThrow()
  expect(total).toBe(2 * 30 * keys.length)
  for (const replica of replicas) await replica.stop()
  await database.close()
})
