import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TagOverview } from '#contract/tag-status.ts'
import type { AdministratorNews } from '#server/auth/account-mail.ts'
import type { Database } from '#server/db/database.ts'
import { createLogger } from '#server/http/logging/logger.ts'
import { SERVICE_ACTOR } from '#server/http/security/administrators.ts'
import { Stats, sumCounts } from '#server/stats/counts.ts'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { TagCompiler } from '../compile/compiler.ts'
import { TagStore } from '../serve/tag-store.ts'
import { createBreaker, isFailing, isSlow, isTooDear, rearmBreaker, type VisitWatch } from './breaker.ts'
import { readP75 } from './cost.ts'
import { readOverview } from './overview.ts'

const log = createLogger('silent')
const BUDGET = { ownHosts: new Set<string>(), measureHead: () => 0 }

test.each([
  [49, 49, false],
  [50, 25, false],
  [50, 26, true],
  [1000, 500, false],
  [1000, 501, true],
])('of %i visits %i failed: %s', (visits, failed, expected) => {
  expect(isFailing({ visits, failed })).toBe(expected)
})

test.each([
  [49, 49, false],
  [50, 12, false],
  [50, 13, true],
  [52, 13, false],
  [52, 14, true],
  [1000, 250, false],
  [1000, 251, true],
])('of %i measured visits %i were slow: %s', (visits, failed, expected) => {
  expect(isSlow({ visits, failed })).toBe(expected)
})

test.each([
  [0, false],
  [500, false],
  [501, true],
])('%i ms is too slow: %s', (ms, expected) => {
  expect(isTooDear(ms)).toBe(expected)
})

test('counts as slow with a 75th percentile above 500 ms, and never with fewer than fifty visits', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.integer({ min: 0, max: 60_000 }), fc.constantFrom(499, 500, 501)), {
        maxLength: 120,
      }),
      (times) => {
        const histogram = new Map<number, number>()
        for (const ms of times) histogram.set(ms, (histogram.get(ms) ?? 0) + 1)
        const expected = times.length >= 50 && (readP75(histogram) ?? 0) > 500
        expect(isSlow({ visits: times.length, failed: times.filter(isTooDear).length })).toBe(expected)
      },
    ),
    { numRuns: 500 },
  )
})

describe.each(ENGINES)('the breaker, on %s', (engine) => {
  let database: Database
  /** Two processes with one database. */
  let replicas: { tags: TagStore; stats: Stats; breaker: VisitWatch }[]
  let news: AdministratorNews[]
  const compiler = new TagCompiler()
  const swapped: string[][] = []

  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(async () => {
    await compiler.close()
    await database.close()
  })
  beforeEach(async () => {
    await database.db.deleteFrom('tracking_pixels').execute()
    await database.db.deleteFrom('audit_events').execute()
    news = []
    replicas = [1, 2].map(startReplica)
  })

  function startReplica(shard: number) {
    const { db } = database
    const tags = new TagStore({
      db,
      log,
      compiler,
      ...BUDGET,
      headers: {},
      swapPage: async ({ sources }) => void swapped.push([...sources.script]),
    })
    const stats = new Stats(db, log, { shard })
    return {
      tags,
      stats,
      breaker: createBreaker({
        db,
        log,
        tags,
        stats,
        mailAdministrators: async (_trx, each) => void news.push(each),
      }),
    }
  }
  async function addPixel(auto_disable: boolean): Promise<string> {
    const id = await insertPixel(database.db, { type: 'meta', name: 'Loja', auto_disable })
    for (const { tags } of replicas) {
      await tags.refresh()
      await tags.recompile()
    }
    return id
  }
  /** Visits that reach both processes, which write them at once. */
  async function visit(id: string, { failed, fine }: { failed: number; fine: number }, now = Date.now()) {
    for (const [index, { tags, breaker }] of replicas.entries()) {
      const revision = tags.prepared.get(id)?.revision ?? ''
      const share = (count: number) => (index === 0 ? Math.ceil(count / 2) : Math.floor(count / 2))
      for (let n = 0; n < share(failed); n++) breaker.add(id, revision, true, now)
      for (let n = 0; n < share(fine); n++) breaker.add(id, revision, false, now)
    }
    await Promise.all(replicas.map(({ stats }) => stats.flush()))
    for (const { tags } of replicas) await tags.refresh()
  }
  /** The same for measured visits. */
  async function measure(id: string, { slow, fine }: { slow: number; fine: number }, now = Date.now()) {
    for (const [index, { tags, breaker }] of replicas.entries()) {
      const revision = tags.prepared.get(id)?.revision ?? ''
      const share = (count: number) => (index === 0 ? Math.ceil(count / 2) : Math.floor(count / 2))
      for (let n = 0; n < share(slow); n++) breaker.addCost(id, revision, 501, now)
      for (let n = 0; n < share(fine); n++) breaker.addCost(id, revision, 500, now)
    }
    await Promise.all(replicas.map(({ stats }) => stats.flush()))
    for (const { tags } of replicas) await tags.refresh()
  }
  const onPage = () =>
    replicas.map(
      ({ tags }) => tags.current.members.length + (tags.current.sources.script.length > 0 ? 10 : 0),
    )
  const statusOf = async (id: string) => {
    const overview: TagOverview = await readOverview({
      db: database.db,
      tags: (replicas[0] as (typeof replicas)[number]).tags,
      ...BUDGET,
    })
    return overview.pixels.find(({ pixel_id }) => pixel_id === id)
  }
  const actions = async () =>
    (
      await database.db.selectFrom('audit_events').select(['action', 'actor']).orderBy('created_at').execute()
    ).map(({ action, actor }) => `${action} by ${actor}`)

  test('pauses a tag that fails in most of fifty visits, once, in every process, and emails everybody', async () => {
    const id = await addPixel(true)
    expect(onPage()).toEqual([11, 11])
    await visit(id, { failed: 26, fine: 23 })
    expect(onPage()).toEqual([11, 11])
    await visit(id, { failed: 2, fine: 0 })
    // Neither the tag nor its hosts in the policy.
    expect(onPage()).toEqual([0, 0])
    const status = await statusOf(id)
    expect(status?.health).toBe('paused')
    expect(status?.reasons[0]).toMatchObject({
      code: 'breaker_paused',
      action: { kind: 'rearm', label: 'Retomar' },
    })
    // The first process to write may have read before the other wrote.
    expect(status?.reasons[0]?.message).toMatch(
      /falhou em (27 de 50|28 de 51) visitas \(5[45]%\) em 10 minutos/,
    )
    await visit(id, { failed: 10, fine: 0 })
    expect(await actions()).toEqual(['tags.breaker_pause by disjuntor'])
    expect(news.map(({ subject, path }) => [subject, path])).toEqual([
      ['O pixel "Loja" foi pausado automaticamente', `/admin/pixels/${id}`],
    ])
    const pixel = await database.db
      .selectFrom('tracking_pixels')
      .select('is_active')
      .executeTakeFirstOrThrow()
    expect(pixel.is_active).toBe(true)
  })

  test('pauses a tag that is slow in a quarter of the measured visits, once, with the reason', async () => {
    const id = await addPixel(true)
    await measure(id, { slow: 20, fine: 29 })
    // Forty-nine visits are too few, and measured visits count for nothing else.
    expect(onPage()).toEqual([11, 11])
    await measure(id, { slow: 0, fine: 31 })
    await measure(id, { slow: 1, fine: 0 })
    // 21 of 81: the 75th percentile is above the limit.
    expect(onPage()).toEqual([0, 0])
    const status = await statusOf(id)
    expect(status?.health).toBe('paused')
    expect(status?.reasons[0]).toMatchObject({
      code: 'breaker_paused',
      message: expect.stringContaining(
        'a tag deixou a página lenta (mais de 500 ms) em 21 de 81 visitas medidas (26%) em 1 hora',
      ),
      action: { kind: 'rearm', label: 'Retomar' },
    })
    await measure(id, { slow: 10, fine: 0 })
    expect(await actions()).toEqual(['tags.breaker_pause_cost by disjuntor'])
    expect(news).toHaveLength(1)
    expect(news[0]?.paragraphs.join(' ')).toMatch(
      /^O pixel "\w+" deixou a página lenta \(mais de 500 ms\) em 21 de 81 visitas .* Veja o impacto/,
    )
    await rearmBreaker(database.db, SERVICE_ACTOR, id)
    for (const { tags } of replicas) await tags.refresh()
    await measure(id, { slow: 49, fine: 0 })
    expect(onPage()).toEqual([11, 11])
    await measure(id, { slow: 1, fine: 0 })
    expect(onPage()).toEqual([0, 0])
  })

  test('looks back an hour for costs, and only warns without auto_disable', async () => {
    const id = await addPixel(false)
    await measure(id, { slow: 60, fine: 0 }, Date.now() - 61 * 60_000)
    await measure(id, { slow: 1, fine: 0 })
    expect(await actions()).toEqual([])
    await measure(id, { slow: 49, fine: 0 }, Date.now() - 58 * 60_000)
    await measure(id, { slow: 1, fine: 0 })
    expect(onPage()).toEqual([11, 11])
    // A failing tag is reported as failing instead; nothing is reported twice.
    await visit(id, { failed: 60, fine: 0 })
    await measure(id, { slow: 1, fine: 0 })
    await visit(id, { failed: 1, fine: 0 })
    expect(await actions()).toEqual(['tags.breaker_warn_cost by disjuntor', 'tags.breaker_warn by disjuntor'])
    expect(news).toEqual([])
  })

  test('only warns without auto_disable: the tag stays, the dashboard shows it, nobody is emailed', async () => {
    const id = await addPixel(false)
    await visit(id, { failed: 60, fine: 0 })
    await visit(id, { failed: 60, fine: 0 })
    expect(onPage()).toEqual([11, 11])
    expect(news).toEqual([])
    expect(await actions()).toEqual(['tags.breaker_warn by disjuntor'])
    const breaker = await database.db.selectFrom('tag_breakers').selectAll().executeTakeFirstOrThrow()
    expect(breaker).toMatchObject({ state: 'warned', reason: 'failing', visits: 60, failed: 60 })
  })

  test('pauses a tag that it warned about, once auto_disable is on and it keeps failing', async () => {
    const id = await addPixel(false)
    await visit(id, { failed: 60, fine: 0 })
    await database.db.updateTable('tracking_pixels').set({ auto_disable: true }).execute()
    await visit(id, { failed: 1, fine: 0 })
    expect(onPage()).toEqual([0, 0])
    expect(await actions()).toEqual(['tags.breaker_warn by disjuntor', 'tags.breaker_pause by disjuntor'])
  })

  test('"Retomar" brings it back in every process, and it takes fifty new visits to pause it again', async () => {
    const id = await addPixel(true)
    await visit(id, { failed: 60, fine: 0 })
    await rearmBreaker(database.db, SERVICE_ACTOR, id)
    await rearmBreaker(database.db, SERVICE_ACTOR, id)
    for (const { tags } of replicas) await tags.refresh()
    expect(onPage()).toEqual([11, 11])
    expect((await actions()).at(-1)).toBe('tags.breaker_rearm by service key')
    expect(await actions()).toHaveLength(2)
    await visit(id, { failed: 49, fine: 0 })
    expect(onPage()).toEqual([11, 11])
    await visit(id, { failed: 1, fine: 0 })
    expect(onPage()).toEqual([0, 0])
    expect(news).toHaveLength(2)
  })

  test('knows earlier counts and pauses after a restart', async () => {
    const id = await addPixel(true)
    await visit(id, { failed: 40, fine: 0 })
    await Promise.all(replicas.map(({ stats }) => stats.stop()))
    replicas = [1, 2].map(startReplica)
    for (const { tags } of replicas) await tags.refresh()
    await visit(id, { failed: 10, fine: 0 })
    expect(onPage()).toEqual([0, 0])
    replicas = [startReplica(3)]
    await replicas[0]?.tags.refresh()
    expect(onPage()).toEqual([0])
  })

  test('looks back ten minutes, at the current revision only', async () => {
    const id = await addPixel(true)
    await visit(id, { failed: 60, fine: 0 }, Date.now() - 11 * 60_000)
    await visit(id, { failed: 1, fine: 0 })
    expect(onPage()).toEqual([11, 11])
    const { breaker, stats } = replicas[0] as (typeof replicas)[number]
    for (let n = 0; n < 60; n++) breaker.add(id, 'older', true)
    await stats.flush()
    expect(await actions()).toEqual([])
  })

  test('does not pause a pixel that is off or deleted', async () => {
    const id = await addPixel(true)
    await database.db.updateTable('tracking_pixels').set({ is_active: false }).execute()
    await visit(id, { failed: 60, fine: 0 })
    expect(await actions()).toEqual([])
    await database.db.deleteFrom('tracking_pixels').execute()
    expect(await database.db.selectFrom('counts').selectAll().execute()).toEqual([])
    await visit(id, { failed: 60, fine: 0 })
    expect(await actions()).toEqual([])
  })

  test('emails and keeps all counts when the page cannot be refreshed at once', async () => {
    const id = await addPixel(true)
    const { breaker, stats, tags } = replicas[0] as (typeof replicas)[number]
    const revision = tags.prepared.get(id)?.revision ?? ''
    for (let n = 0; n < 60; n++) breaker.add(id, revision, true)
    const refused = vi.spyOn(tags, 'refresh').mockRejectedValueOnce(new Error('away'))
    await stats.flush()
    refused.mockRestore()
    const rows = await sumCounts(database.db, {
      series: 'tag.breaker',
      resolution: 'minute',
      subject: id,
      from: 0,
    })
    expect(news).toHaveLength(1)
    expect(new Set(rows.map(({ key, count }) => `${key} ${count}`))).toEqual(
      new Set([`${revision} visits 60`, `${revision} failed 60`]),
    )
  })
})
