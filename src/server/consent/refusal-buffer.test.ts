import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import { HOUR_MS } from '#contract/durations.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { readCounts, Stats } from '../stats/counts.ts'
import { TEN_MINUTES_MS } from '../stats/series.ts'
import { readVisitResults, readVisitResultsBetween } from '../tags/health/visit-results.ts'
import { ChoiceCounts, readRefusals } from './choice-counts.ts'

const VISITS = 600
const START = Date.parse('2026-11-15T10:00:00.000Z')
const HOURS = 3

/** A seeded generator (mulberry32): the same numbers in every run. */
function makeRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

describe.each(ENGINES)('visit results of known traffic on two processes, on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  test('counts choices later when their records cannot be read', async () => {
    const { db } = database
    const id = await insertPixel(db, { type: 'meta', consent_category: 'marketing' })
    const set = { version: 'v1', tags: [{ id, category: 'marketing' }] } as never
    const log = { warn: () => {} }
    const stats = new Stats(db, log)
    const refusals = new ChoiceCounts({ db, stats, log, tags: { current: set, recent: [set] } })
    const choice = { recordId: randomUUID(), consentId: randomUUID(), createdAt: new Date(0).toISOString() }
    await db
      .insertInto('consent_records')
      .values({
        id: choice.recordId,
        consent_id: choice.consentId,
        action: 'reject',
        categories: '[]',
        text_version: 1,
        tag_set_version: 'v1',
        created_at: choice.createdAt,
      })
      .execute()
    await db.schema.alterTable('consent_records').renameTo('away').execute()
    refusals.add({ ...choice, version: 'v1' })
    await refusals.flush()
    await db.schema.alterTable('away').renameTo('consent_records').execute()
    await refusals.flush()
    const rows = await readRefusals(db, id, { step: 'hour', from: -HOUR_MS, to: HOUR_MS })
    expect(rows.map(({ count }) => count)).toEqual([1])
    for (const buffer of [refusals, stats]) await buffer.stop()
    await db.deleteFrom('counts').execute()
    await db.deleteFrom('tag_sets').execute()
  })

  test('a refusal costs as many rows for 300 pixels as for one', async () => {
    const { db } = database
    const log = { warn: (error: object) => expect(error).toBeNull() }
    const written = async (version: string, pixels: number) => {
      const tags = Array.from({ length: pixels }, () => ({ id: randomUUID(), category: 'marketing' }))
      const set = { version, tags } as never
      const stats = new Stats(db, log)
      const refusals = new ChoiceCounts({ db, stats, log, tags: { current: set, recent: [set] } })
      for (let visit = 0; visit < 3; visit++) {
        const [recordId, consentId] = [randomUUID(), randomUUID()]
        const createdAt = new Date(START).toISOString()
        await db
          .insertInto('consent_records')
          .values({
            id: recordId,
            consent_id: consentId,
            action: 'reject',
            categories: '[]',
            text_version: 1,
            tag_set_version: version,
            created_at: createdAt,
          })
          .execute()
        refusals.add({ recordId, consentId, version, createdAt })
        await refusals.flush()
      }
      for (const buffer of [refusals, stats]) await buffer.stop()
      for (const { id } of [...tags.slice(0, 1), ...tags.slice(-1)])
        expect(
          await readRefusals(db, id, { step: 'day', from: START - 86_400_000, to: START }),
        ).toMatchObject([{ count: 3 }])
      const count = await db
        .selectFrom('counts')
        .select((eb) => eb.fn.countAll<number>().as('rows'))
        .where('series', '<>', 'site')
        .executeTakeFirstOrThrow()
      await db.deleteFrom('counts').execute()
      return Number(count.rows)
    }
    expect([await written('one', 1), await written('many', 300)]).toEqual([2, 2])
    const stored = await db.selectFrom('tag_sets').select(['version', 'category']).execute()
    expect(stored.filter(({ version }) => version === 'many')).toEqual([
      { version: 'many', category: 'marketing' },
    ])
  })

  test(`counts ${VISITS} visits exactly`, async () => {
    const { db } = database
    const pixels = await Promise.all(
      OPTIONAL_CATEGORIES.map(async (category) => ({
        category,
        id: await insertPixel(db, { type: 'meta', consent_category: category }),
      })),
    )
    const set = { version: 'v1', tags: pixels } as never
    const log = { warn: (error: object) => expect(error).toBeNull() }
    const replicas = [0, 1].map((shard) => {
      const stats = new Stats(db, log, { shard })
      return {
        stats,
        refusals: new ChoiceCounts({ db, stats, log, tags: { current: set, recent: [set] } }),
      }
    })
    const replicaOf = (n: number) => replicas[n % replicas.length] as (typeof replicas)[number]
    const random = makeRandom(1)
    const cells = new Map<string, number>()
    const expectOne = (pixel: string, column: string, time: number) => {
      const key = `${pixel} ${Math.floor(time / HOUR_MS)} ${column}`
      cells.set(key, (cells.get(key) ?? 0) + 1)
    }
    const chosen = new Map<string, number>()
    const choices: [number, Parameters<ChoiceCounts['add']>[0]][] = []
    const records = []
    for (let visit = 0; visit < VISITS; visit++) {
      const begins = START + random(HOURS * HOUR_MS - 10 * 60_000)
      const consentId = randomUUID()
      // Visitors make zero to three choices in any direction, and each may reach another process.
      const made = Array.from({ length: random(4) }, () => OPTIONAL_CATEGORIES.filter(() => random(2) === 0))
      const granted = new Set<string>()
      for (const [index, categories] of made.entries()) {
        const before: readonly string[] = made[index - 1] ?? []
        const isRevoked = before.some((category) => !(categories as string[]).includes(category))
        const createdAt = new Date(begins + index * 60_000).toISOString()
        const recordId = randomUUID()
        records.push({
          id: recordId,
          consent_id: consentId,
          action: isRevoked ? 'revoke' : 'save',
          categories: JSON.stringify(categories),
          text_version: 1,
          tag_set_version: 'v1',
          created_at: createdAt,
        })
        choices.push([random(2), { recordId, consentId, version: 'v1', createdAt }])
        for (const category of categories) granted.add(category)
      }
      const last = made.at(-1)
      if (last !== undefined) {
        const choice =
          last.length === 0 ? 'refused' : last.length === OPTIONAL_CATEGORIES.length ? 'accepted' : 'partial'
        const slot = `${Math.floor(begins / TEN_MINUTES_MS)} choice:${choice}`
        chosen.set(slot, (chosen.get(slot) ?? 0) + 1)
      }
      for (const { id, category } of pixels) {
        if (made.length === 0) continue
        if (!granted.has(category)) {
          expectOne(id, 'not_consented', begins)
          continue
        }
        const column = (['ran', 'blocked', 'failed'] as const)[random(3)] ?? 'ran'
        replicaOf(random(2)).stats.add({ series: 'tag.result', subject: id, key: column, at: begins })
        expectOne(id, column === 'ran' ? 'reached' : column, begins)
      }
    }
    for (let at = 0; at < records.length; at += 500)
      await db
        .insertInto('consent_records')
        .values(records.slice(at, at + 500))
        .execute()
    for (const [index, [replica, choice]] of choices.entries()) {
      replicaOf(replica).refusals.add(choice)
      // One process writes its counts while the other still receives choices.
      if (index % 200 === 0) await replicaOf(index / 200).refusals.flush()
    }
    for (const { refusals, stats } of replicas) {
      await refusals.stop()
      await stats.stop()
    }
    const counts = await readCounts(db, { series: 'site', resolution: 'ten_minutes', from: 0 })
    const stored = counts.filter(({ count }) => count !== 0)
    expect(
      new Map(stored.map(({ at, key, count }) => [`${Date.parse(at) / TEN_MINUTES_MS} ${key}`, count])),
    ).toEqual(chosen)
    const to = new Date(START + HOURS * HOUR_MS).toISOString()
    for (const { id } of pixels) {
      const range = readVisitResultsBetween({ step: 'hour', from: new Date(START).toISOString(), to })
      const { rows } = await readVisitResults(db, id, range, START + HOURS * HOUR_MS)
      expect(rows.slice(0, HOURS)).toEqual(
        Array.from({ length: HOURS }, (_, hour) => {
          const time = START + hour * HOUR_MS
          const cell = (column: string) => cells.get(`${id} ${Math.floor(time / HOUR_MS)} ${column}`) ?? 0
          const parts = {
            not_consented: cell('not_consented'),
            blocked: cell('blocked'),
            failed: cell('failed'),
            reached: cell('reached'),
          }
          const offered = Object.values(parts).reduce((sum, count) => sum + count, 0)
          expect(offered).toBeGreaterThan(50)
          return { from: new Date(time).toISOString(), offered, ...parts }
        }),
      )
    }
  })
})
