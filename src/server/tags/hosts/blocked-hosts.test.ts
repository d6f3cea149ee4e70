import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Database } from '#server/db/database.ts'
import { makeDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { BlockedHostBuffer } from './blocked-hosts.ts'

const log = { warn: () => {} } as never

const blocked = (host: string, pixel_id: string | null) => ({
  host,
  pixel_id,
  code_hash: null,
  use: 'image',
  count: 1,
})

describe.each(TIER_ENGINES)('blocked hosts, on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  function startReplica() {
    const { db } = database
    const hosts = new BlockedHostBuffer({ db, log, takeFromCeiling: () => ({ wait: null }) })
    onTestFinished(() => hosts.stop())
    return { hosts }
  }
  test('counts blocked hosts of several processes together', async () => {
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
    // A row that collided with another process's first write is written with the next flush.
    for (const replica of replicas) await replica.hosts.flush()
    const rows = await database.db.selectFrom('blocked_hosts').select(['host', 'count']).execute()
    expect(rows.toSorted((a, b) => (a.host < b.host ? -1 : 1))).toEqual(
      names.toSorted().map((host) => ({ host, count: 20 })),
    )
  })

  test('a full list drops hosts reported by one network first', async () => {
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

  test('stops adding new hosts at the ceiling, and keeps counting known ones', async () => {
    await database.db.deleteFrom('blocked_hosts').execute()
    let room = 2
    const hosts = new BlockedHostBuffer({
      db: database.db,
      log,
      takeFromCeiling: () => ({ wait: room-- > 0 ? null : 1 }),
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
