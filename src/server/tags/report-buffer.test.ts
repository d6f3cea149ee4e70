import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import type { Database } from '../db/database.ts'
import { BlockedHostBuffer } from './blocked-host-buffer.ts'
import { ReportBuffer } from './report-buffer.ts'

const warnings: unknown[] = []
const log = { warn: (...line: unknown[]) => void warnings.push(line) } as never

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
      hosts: new BlockedHostBuffer({ db, log, hasRoom: () => true }),
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

  test('what our own policy stopped counts as failed, and as no blocker', async () => {
    const { reports } = startReplica()
    const pixel = await insertPixel(database.db, { type: 'meta' })
    for (const outcome of ['ran', 'stopped', 'blocked'] as const) reports.add(pixel, outcome, null)
    reports.add(pixel, 'stopped', null)
    await reports.flush()
    const row = await database.db
      .selectFrom('tag_reports')
      .selectAll()
      .where('pixel_id', '=', pixel)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ ran: 1, failed: 2, blocked: 1 })
  })

  test('blocked hosts of several replicas are counted together, once a new one is known to all', async () => {
    const pixel = await insertPixel(database.db, { type: 'meta' })
    const replicas = [startReplica(), startReplica()]
    const names = Array.from({ length: 20 }, (_, n) => `h${n}.vendor.com`)
    for (let round = 0; round < 10; round++) {
      replicas.forEach((replica, n) => {
        for (const host of n === 0 ? names : names.toReversed()) replica.hosts.add(host, pixel)
        replica.hosts.add('gone.vendor.com', randomUUID())
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

  test('new hosts end with the room for them, known ones are counted on', async () => {
    await database.db.deleteFrom('blocked_hosts').execute()
    let room = 2
    const hosts = new BlockedHostBuffer({ db: database.db, log, hasRoom: () => room-- > 0 })
    for (const host of ['a.com', 'b.com', 'c.com']) hosts.add(host, null)
    await hosts.flush()
    hosts.add('a.com', null)
    hosts.add('d.com', null)
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
