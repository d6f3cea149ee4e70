import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import type { Database } from '../db/database.ts'
import { BlockedHostBuffer } from './hosts/blocked-hosts.ts'
import { ReportBuffer } from './tag-counts.ts'

const warnings: unknown[] = []
const log = { warn: (...line: unknown[]) => void warnings.push(line) } as never

const blocked = (host: string, pixel_id: string | null) => ({
  host,
  pixel_id,
  code_hash: null,
  use: 'image',
  count: 1,
})

describe.each(ENGINES)('what is counted in memory, on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  function startReplica() {
    const { db } = database
    const replica = {
      reports: new ReportBuffer(db, log),
      hosts: new BlockedHostBuffer({ db, log, takeRoom: () => ({ wait: null }) }),
    }
    onTestFinished(async () => {
      await replica.reports.stop()
      await replica.hosts.stop()
    })
    return replica
  }
  const totals = () =>
    database.db
      .selectFrom('tag_reports')
      .select((eb) => [eb.fn.sum<number>('ran').as('ran'), eb.fn.sum<number>('failed').as('failed')])
      .executeTakeFirstOrThrow()
  const away = (table: 'tag_reports' | 'blocked_hosts') =>
    database.db.schema.alterTable(table).renameTo('away').execute()
  const back = (table: 'tag_reports' | 'blocked_hosts') =>
    database.db.schema.alterTable('away').renameTo(table).execute()

  test('replicas that write the same rows lose nothing, in whatever order they heard of them', async () => {
    warnings.length = 0
    const pixels: string[] = []
    for (let n = 0; n < 60; n++) pixels.push(await insertPixel(database.db, { type: 'meta' }))
    const replicas = [startReplica(), startReplica(), startReplica()]
    for (let round = 0; round < 25; round++) {
      replicas.forEach((replica, n) => {
        for (const pixel of n % 2 === 0 ? pixels : pixels.toReversed())
          replica.reports.add(pixel, 'ran', null)
      })
      await Promise.all(replicas.map((replica) => replica.reports.flush()))
    }
    expect(warnings).toEqual([])
    expect(await totals()).toMatchObject({ ran: 25 * 3 * 60 })
  })

  test('a write that fails is made up for, and a pixel deleted since is left out', async () => {
    const { reports } = startReplica()
    const pixel = await insertPixel(database.db, { type: 'meta' })
    const before = Number((await totals()).failed ?? 0)
    await away('tag_reports')
    reports.add(pixel, 'failed', 'antes')
    await reports.flush()
    await back('tag_reports')
    reports.add(pixel, 'failed', 'depois')
    reports.add(randomUUID(), 'failed', 'sem pixel')
    await reports.flush()
    expect(await totals()).toMatchObject({ failed: before + 2 })
  })

  test('the last run is the last visit that ran the tag, whatever came after it', async () => {
    const { reports } = startReplica()
    const [ran, never] = [
      await insertPixel(database.db, { type: 'meta' }),
      await insertPixel(database.db, { type: 'meta' }),
    ]
    const hour = Date.parse('2026-11-15T10:00:00.000Z')
    reports.add(ran, 'ran', null, hour + 1_000)
    for (const pixel of [ran, never]) reports.add(pixel, 'blocked', null, hour + 2_000)
    await reports.flush()
    for (const pixel of [ran, never]) reports.add(pixel, 'failed', 'x', hour + 3_000)
    await reports.flush()
    const rows = await database.db
      .selectFrom('tag_reports')
      .select(['pixel_id', 'last_ran_at'])
      .where('pixel_id', 'in', [ran, never])
      .execute()
    expect(new Map(rows.map((row) => [row.pixel_id, row.last_ran_at]))).toEqual(
      new Map([
        [ran, '2026-11-15T10:00:01.000Z'],
        [never, null],
      ]),
    )
  })

  test('refusals are added, taken back in any order, and left alone where nobody counted before', async () => {
    const [first, second] = [startReplica(), startReplica()]
    const pixel = await insertPixel(database.db, { type: 'meta' })
    const old = await insertPixel(database.db, { type: 'meta' })
    const at = '2026-11-15T10:20:00.000Z'
    const hour = '2026-11-15T10:00:00.000Z'
    await database.db.insertInto('tag_reports').values({ pixel_id: old, hour, ran: 5 }).execute()
    second.reports.addRefusals(pixel, at, -1)
    await second.reports.flush()
    for (const id of [pixel, pixel, old]) first.reports.addRefusals(id, at, 1)
    await first.reports.flush()
    const rows = await database.db
      .selectFrom('tag_reports')
      .select(['pixel_id', 'hour', 'not_consented'])
      .where('pixel_id', 'in', [pixel, old])
      .execute()
    expect(new Map(rows.map((row) => [row.pixel_id, [row.hour, row.not_consented]]))).toEqual(
      new Map([
        [pixel, [hour, 1]],
        [old, [hour, null]],
      ]),
    )
  })

  test('blocked hosts of several replicas are counted together, once a new one is known to all', async () => {
    const pixel = await insertPixel(database.db, { type: 'meta' })
    const replicas = [startReplica(), startReplica()]
    const names = Array.from({ length: 20 }, (_, n) => `h${n}.vendor.com`)
    for (let round = 0; round < 10; round++) {
      replicas.forEach((replica, n) => {
        for (const host of n === 0 ? names : names.toReversed())
          replica.hosts.add(blocked(host, pixel), '203.0.113.0/24')
        replica.hosts.add(blocked('gone.vendor.com', randomUUID()), '203.0.113.0/24')
      })
      await Promise.all(replicas.map((replica) => replica.hosts.flush()))
    }
    // What met another replica's first write comes with the next one.
    for (const replica of replicas) await replica.hosts.flush()
    const rows = await database.db.selectFrom('blocked_hosts').select(['host', 'count']).execute()
    expect(rows.toSorted((a, b) => (a.host < b.host ? -1 : 1))).toEqual(
      names.toSorted().map((host) => ({ host, count: 20 })),
    )
  })

  test('a full list gives up what one network alone reported, and nothing that more did', async () => {
    await database.db.deleteFrom('blocked_hosts').execute()
    const { hosts } = startReplica()
    const names = async () => {
      await hosts.flush()
      const rows = await database.db.selectFrom('blocked_hosts').select(['host', 'networks']).execute()
      return new Map(rows.map(({ host, networks }) => [host, networks]))
    }
    for (let n = 0; n < 55; n++) hosts.add(blocked(`forged${n}.com`, null), '198.51.100.0/24', 1_000 + n)
    expect((await names()).size).toBe(50)
    for (const network of ['203.0.113.0/24', '203.0.113.0/24', '192.0.2.0/24'])
      hosts.add(blocked('real.com', null), network)
    const withReal = await names()
    expect([withReal.size, withReal.get('real.com')]).toEqual([50, 2])
    for (let n = 0; n < 55; n++) {
      hosts.add(blocked(`again${n}.com`, null), '198.51.100.0/24')
      await hosts.flush()
    }
    const after = await names()
    expect([after.size, after.get('real.com'), after.get('again54.com')]).toEqual([50, 2, 1])
  })

  test('new hosts end with the room for them, known ones are counted on', async () => {
    await database.db.deleteFrom('blocked_hosts').execute()
    let room = 2
    const hosts = new BlockedHostBuffer({
      db: database.db,
      log,
      takeRoom: () => ({ wait: room-- > 0 ? null : 1 }),
    })
    for (const host of ['a.com', 'b.com', 'c.com']) hosts.add(blocked(host, null), '203.0.113.0/24')
    await hosts.flush()
    hosts.add(blocked('a.com', null), '203.0.113.0/24')
    hosts.add(blocked('d.com', null), '203.0.113.0/24')
    await hosts.stop()
    const rows = await database.db
      .selectFrom('blocked_hosts')
      .select(['host', 'count'])
      .orderBy('host')
      .execute()
    expect(rows).toEqual([
      { host: 'a.com', count: 2 },
      { host: 'b.com', count: 1 },
    ])
  })
})
