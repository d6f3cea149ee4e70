import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { DAY_MS } from '#contract/durations.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import type { Db } from '../db/database.ts'
import { STEP_ROWS } from '../db/sweep.ts'
import { addCounts, drawShard, readCounts, SHARDS, Stats, shardOf, sumCounts, sweepCounts } from './counts.ts'
import { SERIES_NAMES, startOf } from './series.ts'

/** 23:30 on the 14th at the site. */
const AT = Date.parse('2026-11-15T02:30:00.000Z')

const warnings: unknown[] = []
const log = { warn: (...line: unknown[]) => void warnings.push(line) } as never

describe.each(ENGINES)('counts, on %s', (engine) => {
  let database: TestDatabase
  let db: Db
  beforeAll(async () => {
    database = await makeDatabase(engine)
    db = database.db
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    warnings.length = 0
    await db.deleteFrom('counts').execute()
  })

  function start(shard?: number): Stats {
    const stats = new Stats(db, log, shard === undefined ? {} : { shard })
    onTestFinished(() => stats.stop())
    return stats
  }
  const stored = () => db.selectFrom('counts').selectAll().orderBy('resolution').orderBy('key').execute()

  test('are written in every resolution of their series, by hours and days of the site', async () => {
    const stats = start()
    const subject = randomUUID()
    stats.add({ series: 'tag.result', subject, key: 'ran', at: AT })
    stats.add({ series: 'tag.result', subject, key: 'ran', at: AT + 40 * 60_000 })
    stats.add({ series: 'tag.result', subject, key: 'failed', at: AT, by: 3 })
    await stats.flush()
    const rows = await stored()
    expect(rows.map(({ resolution, at, key, count }) => [resolution, at, key, count])).toEqual([
      ['day', '2026-11-14T03:00:00.000Z', 'failed', 3],
      ['day', '2026-11-14T03:00:00.000Z', 'ran', 1],
      ['day', '2026-11-15T03:00:00.000Z', 'ran', 1],
      ['hour', '2026-11-15T02:00:00.000Z', 'failed', 3],
      ['hour', '2026-11-15T02:00:00.000Z', 'ran', 1],
      ['hour', '2026-11-15T03:00:00.000Z', 'ran', 1],
    ])
    expect(new Set(rows.map((row) => [row.series, row.subject, row.shard].join()))).toEqual(
      new Set([`tag.result,${subject},${shardOf(db)}`]),
    )
  })

  test('that nobody reads are not stored', async () => {
    const stats = new Stats(db, log, { isRead: ({ series }) => series !== 'tag.breaker' })
    onTestFinished(() => stats.stop())
    const subject = randomUUID()
    stats.add({ series: 'tag.breaker', subject, key: 'abc visits' })
    stats.add({ series: 'tag.cost', subject, key: 'abc cost_ms 20' })
    await stats.flush()
    expect((await stored()).map(({ series }) => series)).toEqual(['tag.cost'])
  })

  test('of several processes add up, including subtractions', async () => {
    const [first, second] = [start(1), start(2)]
    for (let round = 0; round < 5; round++) {
      first.add({ series: 'site', key: 'choice:accepted', at: AT, by: 2 })
      second.add({ series: 'site', key: 'choice:accepted', at: AT, by: -1 })
      await Promise.all([first.flush(), second.flush()])
    }
    const wanted = { series: 'site', resolution: 'ten_minutes', from: AT - DAY_MS } as const
    expect(await readCounts(db, wanted)).toEqual([
      { subject: '', key: 'choice:accepted', at: '2026-11-15T02:30:00.000Z', count: 5 },
    ])
    expect(await sumCounts(db, { ...wanted, to: AT })).toEqual([])
    expect(await sumCounts(db, { ...wanted, to: AT + 1 })).toEqual([
      { subject: '', key: 'choice:accepted', count: 5 },
    ])
    expect(await db.selectFrom('counts').select('shard').distinct().orderBy('shard').execute()).toEqual([
      { shard: 1 },
      { shard: 2 },
    ])
  })

  test('of processes that share rows lose nothing, in any order', async () => {
    const subjects = Array.from({ length: 60 }, () => randomUUID())
    const processes = [start(1), start(1), start(1)]
    for (let round = 0; round < 10; round++) {
      processes.forEach((stats, n) => {
        for (const subject of n % 2 === 0 ? subjects : subjects.toReversed())
          stats.add({ series: 'tag.result', subject, key: 'ran', at: AT })
      })
      await Promise.all(processes.map((stats) => stats.flush()))
    }
    expect(warnings).toEqual([])
    const rows = await sumCounts(db, { series: 'tag.result', resolution: 'day', from: 0 })
    expect(rows.map(({ count }) => count)).toEqual(subjects.map(() => 30))
  })

  test('are read by subject, series and time', async () => {
    const [one, other] = [randomUUID(), randomUUID()]
    await addCounts(db, [
      { series: 'conversion', subject: one, key: 'accepted ', at: AT },
      { series: 'conversion', subject: one, key: 'accepted ', at: AT },
      { series: 'conversion', subject: other, key: 'accepted ', at: AT },
      { series: 'tag.result', subject: one, key: 'ran', at: AT },
      { series: 'conversion', subject: one, key: 'refused 100/1', at: AT - DAY_MS },
    ])
    expect(
      await sumCounts(db, { series: 'conversion', resolution: 'hour', subject: one, from: AT - 3_600_000 }),
    ).toEqual([{ subject: one, key: 'accepted ', count: 2 }])
    expect(await sumCounts(db, { series: 'conversion', resolution: 'day', from: AT - DAY_MS })).toHaveLength(
      2,
    )
  })

  test('added in a transaction are stored with it, or not at all', async () => {
    const counted = { series: 'conversion', subject: randomUUID(), key: 'accepted ', at: AT } as const
    await expect(
      db.transaction().execute(async (trx) => {
        await addCounts(trx, [counted])
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(await stored()).toEqual([])
    await db.transaction().execute((trx) => addCounts(trx, [counted]))
    expect(await stored()).toHaveLength(2)
  })

  test('that could not be written wait for the next write, up to the limit of their series', async () => {
    const stats = start()
    await db.schema.alterTable('counts').renameTo('away').execute()
    stats.add({ series: 'site', key: 'choice:accepted', at: AT })
    for (let step = 0; step < 1_200; step++)
      stats.add({ series: 'site.cost', key: `cost:sum:${step}`, at: AT })
    await stats.flush()
    await db.schema.alterTable('away').renameTo('counts').execute()
    stats.add({ series: 'site', key: 'choice:accepted', at: AT })
    await stats.flush()
    expect(warnings).toHaveLength(1)
    const from = AT - DAY_MS
    expect(await sumCounts(db, { series: 'site', resolution: 'ten_minutes', from })).toEqual([
      { subject: '', key: 'choice:accepted', count: 2 },
    ])
    expect(await sumCounts(db, { series: 'site.cost', resolution: 'ten_minutes', from })).toHaveLength(1_000)
  })

  test('stop at a billion', async () => {
    const stats = start()
    for (let n = 0; n < 3; n++) {
      stats.add({ series: 'site', key: 'choice:accepted', at: AT, by: 900_000_000 })
      await stats.flush()
    }
    expect((await stored()).map(({ count }) => count)).toEqual([1_000_000_000, 1_000_000_000])
  })

  test('are passed to the judge of their series after they are written', async () => {
    const stats = start()
    const judged: string[] = []
    stats.onWritten('tag.breaker', async (rows) => {
      expect(await stored()).not.toEqual([])
      judged.push(...rows.map(({ key }) => key))
    })
    stats.add({ series: 'site', key: 'choice:accepted', at: AT })
    await stats.flush()
    stats.add({ series: 'tag.breaker', subject: randomUUID(), key: 'r1 failed', at: AT })
    await stats.flush()
    expect(judged).toEqual(['r1 failed'])
  })

  test('are deleted with their pixel only', async () => {
    const [gone, kept] = [await insertPixel(db, { type: 'meta' }), await insertPixel(db, { type: 'meta' })]
    const stats = start()
    for (const subject of [gone, kept]) stats.add({ series: 'tag.result', subject, key: 'ran' })
    stats.add({ series: 'site', key: 'choice:accepted' })
    await stats.flush()
    await db.deleteFrom('tracking_pixels').where('id', '=', gone).execute()
    const subjects = await db.selectFrom('counts').select('subject').distinct().orderBy('subject').execute()
    expect(subjects.map(({ subject }) => subject)).toEqual(['', kept])
    // A late count fails no write.
    stats.add({ series: 'tag.result', subject: gone, key: 'ran' })
    stats.add({ series: 'tag.result', subject: kept, key: 'ran' })
    await stats.flush()
    expect(warnings).toEqual([])
  })

  test('are deleted per resolution when its retention ends', async () => {
    const now = startOf('hour', Date.now())
    const ages = [0, 2, 4, 16, 91, 395, 397]
    await addCounts(
      db,
      ages.flatMap((days) => {
        const at = now - days * DAY_MS
        return [
          { series: 'tag.result', subject: 'x', key: 'ran', at },
          { series: 'set.refusal', subject: 'v', key: 'marketing', at },
          { series: 'tag.seen', subject: 'x', key: 'r visit ran', at },
          { series: 'tag.cost', subject: 'x', key: 'r cost_ms 5', at },
          { series: 'tag.breaker', subject: 'x', key: 'r visits', at },
          { series: 'conversion', subject: 'x', key: 'accepted ', at },
          { series: 'conversion.confirmation', subject: 'x', key: 'confirmed ', at },
          { series: 'site', key: 'choice:accepted', at },
          { series: 'site.cost', key: 'cost:sum:5', at },
          { series: 'visit', key: 'visits', at },
          { series: 'visit.source', key: 'visits direct', at },
          { series: 'visit.page', key: '/', at },
          { series: 'outcome', subject: 'primeira_venda', key: 'live tied', at },
          { series: 'outcome.source', key: '["email","boletim"]', at },
          { series: 'outcome.delivery', subject: 'x', key: 'primeira_venda accepted ', at },
        ] as const
      }),
    )
    await sweepCounts(db, { reportDays: 396, visitDays: 761 }, AbortSignal.abort(), now)
    expect((await stored()).length).toBe(ages.length * 21)
    await sweepCounts(db, { reportDays: 396, visitDays: 761 }, undefined, now)
    const left: Record<string, number> = {}
    for (const { series, resolution } of await stored())
      left[`${series} ${resolution}`] = (left[`${series} ${resolution}`] ?? 0) + 1
    expect(left).toEqual({
      'tag.result hour': 4,
      'tag.result day': 6,
      'set.refusal hour': 4,
      'set.refusal day': 6,
      'tag.seen hour': 2,
      'tag.cost hour': 2,
      'tag.breaker minute': 1,
      'conversion hour': 4,
      'conversion day': 6,
      'conversion.confirmation day': 6,
      'site ten_minutes': 3,
      'site day': 6,
      'site.cost ten_minutes': 2,
      'visit ten_minutes': 3,
      'visit hour': 4,
      'visit day': 7,
      'visit.source day': 7,
      'visit.page day': 7,
      'outcome day': 7,
      'outcome.source day': 7,
      'outcome.delivery day': 7,
    })
    expect(new Set(Object.keys(left).map((name) => name.split(' ')[0]))).toEqual(new Set(SERIES_NAMES))
  })

  test('are deleted in steps, completely', async () => {
    const now = Date.now()
    const many = Array.from({ length: STEP_ROWS + 7 }, (_, n) => ({
      series: 'tag.breaker' as const,
      subject: `p${n}`,
      key: 'r visits' as const,
      at: now - 2 * DAY_MS,
    }))
    await addCounts(db, many)
    expect(await sweepCounts(db, { reportDays: 396, visitDays: 761 }, undefined, now)).toEqual({
      counts: STEP_ROWS + 7,
    })
  })
})

test("on PostgreSQL no process waits for another one's uncommitted count", async () => {
  const database = await makeDatabase('postgres')
  onTestFinished(() => database.close())
  const { db } = database
  const counted = { series: 'conversion', subject: randomUUID(), key: 'accepted ' } as const
  await db.transaction().execute(async (trx) => {
    await addCounts(trx, [counted], { shard: 1 })
    // With a shared row, this would wait for the end of this transaction forever.
    await addCounts(db, [counted], { shard: 2 })
  })
  expect(await sumCounts(db, { series: 'conversion', resolution: 'day', from: 0 })).toMatchObject([
    { count: 2 },
  ])
})

test('each process that starts on PostgreSQL writes its own rows', async () => {
  const database = await makeDatabase('postgres')
  onTestFinished(() => database.close())
  const shards = new Set<number>()
  for (let start = 0; start < SHARDS; start++) {
    await drawShard(database.db)
    shards.add(shardOf(database.db))
  }
  expect(shards.size).toBe(SHARDS)
  expect([...shards].every((shard) => shard >= 0 && shard < SHARDS)).toBe(true)
})
