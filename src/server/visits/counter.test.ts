import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '#contract/durations.ts'
import { TEST_QUERY } from '#contract/tag-test.ts'
import { ENGINES, failOnProblem, makeStorage, type Storage } from '#tests/support/engines.ts'
import { openMigratedCopy } from '#tests/support/migrated-storage.ts'
import { filesHolding, logsHolding } from '#tests/support/raw-files.ts'
import { parseConfig } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { prepareDatabase } from '../secrets/encrypted-database.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { sumCounts } from '../stats/counts.ts'
import { VisitCounter } from './counter.ts'

const AGENT = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36'
/** 20:00 on the 17th at the site. */
const EVENING = Date.parse('2026-11-17T23:00:00.000Z')
const MIDNIGHT = Date.parse('2026-11-18T03:00:00.000Z')

const log = { warn: (details: { err?: unknown }) => failOnProblem(details.err) } as never

describe.each(ENGINES)('visits, on %s', (engine) => {
  let storage: Storage
  let database: Database
  let secrets: Secrets
  let now: number
  const counters: VisitCounter[] = []

  beforeEach(async () => {
    now = EVENING
    storage = await makeStorage(engine, { isMigrated: true })
    database = await openMigratedCopy(storage)
    secrets = await prepareDatabase(parseConfig(storage.env), database.db, failOnProblem)
  })
  afterEach(async () => {
    for (const counter of counters.splice(0)) await counter.stop()
    await database.close()
    await storage.remove()
  })

  function start({ env = {}, ...parts }: Started = {}) {
    const config = parseConfig({ SITE_URL: 'https://portico.example', ...storage.env, ...env })
    const counter = new VisitCounter({
      config,
      db: database.db,
      secrets,
      ...parts,
      log,
      isPage: (path) => path === '/',
      flushMs: 3_600_000,
      now: () => now,
    })
    counters.push(counter)
    return counter
  }

  const totals = async (from = 0, to = Number.MAX_SAFE_INTEGER) => {
    const rows = await sumCounts(database.db, {
      series: 'visit',
      resolution: 'day',
      from,
      ...(to === Number.MAX_SAFE_INTEGER ? {} : { to }),
    })
    return Object.fromEntries(rows.filter(({ count }) => count > 0).map(({ key, count }) => [key, count]))
  }
  const bySource = async () => {
    const rows = await sumCounts(database.db, { series: 'visit.source', resolution: 'day', from: 0 })
    return Object.fromEntries(rows.map(({ key, count }) => [key, count]))
  }
  const storedKeys = async () => {
    const tables = await Promise.all(
      (['visit_keys_even', 'visit_keys_odd'] as const).map((table) =>
        database.db.selectFrom(table).select('key').where('key', '>=', 0).execute(),
      ),
    )
    return tables.flat().map(({ key }) => Number(key))
  }

  test('counts views, visits and visitors, with a visit after every pause of more than 30 minutes', async () => {
    const counter = start()
    view(counter)
    view(counter)
    now += 30 * MINUTE_MS
    view(counter)
    await counter.flush()
    now += 30 * MINUTE_MS + 1_000
    view(counter)
    view(counter, { address: '200.160.2.8' })
    view(counter, { agent: `${AGENT} Edg/142.0` })
    await counter.flush()
    expect(await totals()).toEqual({ views: 6, visits: 4, visitors: 3 })
  })

  test('takes an IPv6 /64 for one visitor', async () => {
    const counter = start()
    view(counter, { address: '2804:14c:1:2::7' })
    view(counter, { address: '2804:14c:1:2:ffff::9' })
    view(counter, { address: '2804:14c:1:3::7' })
    await counter.flush()
    expect(await totals()).toMatchObject({ views: 3, visitors: 2 })
  })

  test('counts robots and prefetches apart, and nothing that is no page for a person', async () => {
    const counter = start()
    view(counter, { agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' })
    view(counter, { agent: 'curl/8.5.0' })
    view(counter, { agent: undefined })
    view(counter, { agent: 'x'.repeat(1_001) })
    view(counter, { headers: { 'sec-fetch-dest': undefined, 'sec-fetch-mode': undefined } })
    view(counter, { headers: { 'sec-purpose': 'prefetch;prerender' } })
    view(counter, { headers: { 'x-moz': 'prefetch' } })
    view(counter, { headers: { 'sec-fetch-dest': 'iframe' } })
    view(counter, { headers: { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' } })
    await counter.flush()
    expect(await totals()).toEqual({ robots: 5, prefetches: 2 })
    expect(await storedKeys()).toEqual([])
  })

  test('gives no key to visitors with Global Privacy Control, and counts nothing of those who object', async () => {
    const counter = start()
    view(counter, { headers: { 'sec-gpc': '1' } })
    view(counter, { headers: { cookie: 'a=b; portico_nao_contar=1' } })
    await counter.flush()
    expect(await totals()).toEqual({ views: 1, gpc: 1 })
    expect(await storedKeys()).toEqual([])
  })

  test('counts nothing of an administrator who tests a tag', async () => {
    const counter = start()
    view(counter, { query: TEST_QUERY })
    await counter.flush()
    expect(await totals()).toEqual({})
    expect(await storedKeys()).toEqual([])
  })

  test('attributes a visit and a visitor to their first page', async () => {
    const counter = start()
    view(counter, { query: 'utm_source=google&utm_medium=cpc&utm_campaign=Black-Friday' })
    view(counter)
    now += HOUR_MS
    view(counter, { headers: { referer: 'https://www.google.com/' } })
    await counter.flush()
    const paid = '["paid_search","google","cpc","black-friday","","desktop"]'
    const organic = '["organic_search","google","","","","desktop"]'
    expect(await bySource()).toEqual({
      [`visits ${paid}`]: 1,
      [`visitors ${paid}`]: 1,
      [`visits ${organic}`]: 1,
    })
  })

  test('agrees on a visitor whom two processes see at once', async () => {
    const elsewhere = openDatabase(storage)
    const [first, second] = [start(), start({ db: elsewhere.db })]
    for (let visitor = 0; visitor < 700; visitor++)
      for (const counter of [first, second])
        view(counter, { address: `200.160.${visitor >> 8}.${visitor & 255}` })
    await Promise.all([first.flush(), second.flush()])
    await elsewhere.close()
    expect(await totals()).toEqual({ views: 1400, visits: 700, visitors: 700 })
  })

  test('counts requests of two days that wait in any order', async () => {
    const counter = start()
    for (const [minutes, address] of [
      [-1, '200.160.2.7'],
      [1, '200.160.2.8'],
      [-1, '200.160.2.9'],
    ] as const) {
      now = MIDNIGHT + minutes * MINUTE_MS
      view(counter, { address })
    }
    now = MIDNIGHT + 2 * MINUTE_MS
    await counter.flush()
    expect(await totals(0, MIDNIGHT)).toEqual({ views: 2, visits: 2, visitors: 2 })
    expect(await totals(MIDNIGHT)).toEqual({ views: 1, visits: 1, visitors: 1 })
  })

  test('counts a visitor who comes after midnight while the visits before it are written', async () => {
    let duringWrite = () => {}
    const encrypt: Secrets['encrypt'] = (...given) => {
      duringWrite()
      return secrets.encrypt(...given)
    }
    const counter = start({ secrets: { encrypt, decrypt: secrets.decrypt.bind(secrets) } as Secrets })
    now = MIDNIGHT - MINUTE_MS
    view(counter)
    duringWrite = () => {
      duringWrite = () => {}
      now = MIDNIGHT + MINUTE_MS
      view(counter, { address: '200.160.2.8' })
    }
    await counter.flush()
    await counter.flush()
    expect(await totals(0, MIDNIGHT)).toEqual({ views: 1, visits: 1, visitors: 1 })
    expect(await totals(MIDNIGHT)).toEqual({ views: 1, visits: 1, visitors: 1 })
  })

  test('goes on with a visit over midnight in São Paulo, where a new day of visitors begins', async () => {
    const counter = start()
    now = MIDNIGHT - 5 * MINUTE_MS
    view(counter)
    await counter.flush()
    now = MIDNIGHT + 5 * MINUTE_MS
    view(counter)
    await counter.flush()
    now = MIDNIGHT + 10 * MINUTE_MS
    view(counter)
    view(counter, { address: '200.160.2.8' })
    await counter.flush()
    expect(await totals(0, MIDNIGHT)).toEqual({ views: 1, visits: 1, visitors: 1 })
    expect(await totals(MIDNIGHT)).toEqual({ views: 3, visits: 1, visitors: 2 })
  })

  test('destroys the keys and the secret half an hour after the day, also in the raw files', async () => {
    const counter = start()
    // Other tests write to the same log of PostgreSQL.
    const agent = `${AGENT} Aparelho/${randomUUID()}`
    const campaign = randomUUID().replaceAll(/\d/g, '')
    const query = `utm_source=google&utm_campaign=${campaign}`
    for (let visitor = 0; visitor < 300; visitor++)
      view(counter, { address: `187.201.219.${visitor % 250}`, agent, query })
    await counter.flush()
    const [secret] = await database.db.selectFrom('visit_secrets').selectAll().execute()
    const keys = await storedKeys()
    expect(keys).toHaveLength(250)
    // PostgreSQL writes no unlogged table before it stops.
    if (engine === 'sqlite')
      expect(await filesHolding(storage, database.db, bytesOf(engine, keys))).not.toEqual([])
    now = MIDNIGHT + 29 * MINUTE_MS
    await counter.flush()
    expect(await storedKeys()).toHaveLength(250)
    now = MIDNIGHT + 31 * MINUTE_MS
    view(counter)
    await counter.flush()
    expect(await storedKeys()).toHaveLength(1)
    const left = await database.db.selectFrom('visit_secrets').select('day').execute()
    expect(left.map(({ day }) => day)).toEqual(['2026-11-18'])
    const traces = [secret?.secret ?? '', '187.201.219.', agent, ...bytesOf(engine, keys)]
    expect(await filesHolding(storage, database.db, traces)).toEqual([])
    expect(await filesHolding(storage, database.db, [campaign])).not.toEqual([])
    if (engine === 'postgres') {
      expect(logsHolding(traces)).toEqual([])
      expect(logsHolding([campaign])).not.toEqual([])
    }
  })

  test('empties a table that was left by a process days ago', async () => {
    const before = start()
    view(before)
    await before.flush()
    now += 48 * HOUR_MS
    const after = start()
    view(after)
    await after.flush()
    expect(await storedKeys()).toHaveLength(1)
    expect(await totals()).toEqual({ views: 2, visits: 2, visitors: 2 })
  })

  test('marks a day whose keys were lost', async () => {
    const counter = start()
    view(counter)
    await counter.flush()
    await database.db.deleteFrom('visit_keys_even').execute()
    await database.db.deleteFrom('visit_keys_odd').execute()
    await database.db.deleteFrom('visit_secrets').execute()
    const restarted = start()
    view(restarted)
    await restarted.flush()
    view(counter)
    await counter.flush()
    expect(await totals()).toMatchObject({ views: 3, estimated: 1 })
    // Both processes use the new secret again.
    view(counter)
    view(restarted)
    await Promise.all([counter.flush(), restarted.flush()])
    expect(await totals()).toMatchObject({ views: 5 })
    expect((await totals()).visitors).toBeLessThanOrEqual(3)
  })

  test('keeps 1,000 sources a day and 200 new ones an hour, and every channel exactly', async () => {
    const counter = start()
    for (let campaign = 0; campaign < 5_000; campaign++)
      view(counter, {
        address: `201.${campaign >> 16}.${(campaign >> 8) & 255}.${campaign & 255}`,
        query: `utm_source=google&utm_medium=cpc&utm_campaign=inventada-${campaign}`,
      })
    await counter.flush()
    const counted = await bySource()
    expect(Object.keys(counted).filter((key) => key.startsWith('visits '))).toHaveLength(201)
    expect(counted['visits ["paid_search","*","*","*","*","desktop"]']).toBe(4_800)
    for (let hour = 0; hour < 8; hour++) {
      now -= HOUR_MS
      for (let campaign = 0; campaign < 300; campaign++)
        view(counter, {
          query: `utm_campaign=outra-${hour}-${campaign}`,
          address: `189.6.${hour}.${campaign % 250}`,
        })
      await counter.flush()
    }
    expect(
      Object.keys(await bySource()).filter((key) => key.startsWith('visits ')).length,
    ).toBeLessThanOrEqual(1_002)
  })

  test('counts repeated views of one visitor, however many come in a second', async () => {
    const counter = start()
    for (let count = 0; count < 30_000; count++) view(counter)
    await counter.flush()
    expect(await totals()).toEqual({ views: 30_000, visits: 1, visitors: 1 })
  })

  const one = { views: 1, visits: 1, visitors: 1 }
  test.each<[string, Again, Record<string, number>]>([
    ['user agent', { agent: `${AGENT} Edg/142.0` }, { views: 2, visits: 2, visitors: 2 }],
    [
      'X-Forwarded-For',
      { headers: { 'x-forwarded-for': '200.160.2.7' } },
      { ...one, views: 2, unresolved: 1 },
    ],
    ['destination', { headers: { 'sec-fetch-dest': 'iframe' } }, one],
    ['purpose', { headers: { 'sec-purpose': 'prefetch' } }, { ...one, prefetches: 1 }],
    ['Sec-GPC', { headers: { 'sec-gpc': '1' } }, { ...one, views: 2, gpc: 1 }],
    ['objection', { headers: { cookie: 'portico_nao_contar=1' } }, one],
    ['query', { query: TEST_QUERY }, one],
    ['time', { minutes: 31 }, { ...one, views: 2, visits: 2 }],
  ])(
    'takes no view with another %s for a repeated one',
    async (_what, { minutes = 0, ...visit }, expected) => {
      const counter = start()
      view(counter)
      now += minutes * MINUTE_MS
      view(counter, visit)
      await counter.flush()
      expect(await totals()).toEqual(expected)
    },
  )

  test('keeps 20,000 different views in memory, and says how many were not counted', async () => {
    const counter = start()
    for (let count = 0; count < 21_000; count++)
      view(counter, { address: `189.${count >> 16}.${(count >> 8) & 255}.${count & 255}` })
    // A repeated one takes no place.
    view(counter, { address: '189.0.82.7' })
    await counter.flush()
    expect(await totals()).toEqual({ views: 20_000, visits: 20_000, visitors: 20_000, uncounted: 1_001 })
  })

  test.each([
    ['during a day', '2026-11-15T13:00:05Z'],
    ['into the next day', '2026-11-16T02:59:05Z'],
  ])('a pause begins with the last view that a killed process stored, %s', async (_when, time) => {
    now = Date.parse(time)
    const killed = start()
    view(killed)
    await killed.flush()
    now += 50_000
    view(killed)
    await killed.flush()
    now += 29 * MINUTE_MS + 30_000
    const next = start()
    view(next)
    await next.flush()
    expect(await totals()).toMatchObject({ views: 3, visits: 1 })
  })

  test('after a restart, a visit goes on for as long as the last view was stored', async () => {
    const first = start()
    view(first)
    await first.flush()
    now += 20 * MINUTE_MS
    view(first)
    await first.stop()
    const second = start()
    now += 29 * MINUTE_MS
    view(second)
    await second.flush()
    now += 31 * MINUTE_MS
    view(second)
    await second.flush()
    expect(await totals()).toEqual({ views: 4, visits: 2, visitors: 1 })
  })

  test('notices that addresses are a proxy', async () => {
    const counter = start()
    view(counter, { address: '10.0.0.1' })
    view(counter, { headers: { 'x-forwarded-for': '200.147.3.7' } })
    await counter.flush()
    expect(await totals()).toMatchObject({ views: 2, unresolved: 2, visitors: 2 })
    const behind = start({ env: { TRUST_PROXY: '1' } })
    view(behind, { address: '10.0.0.1', headers: { 'x-forwarded-for': '200.147.3.7' } })
    view(behind, { address: '10.0.0.1', headers: { 'x-forwarded-for': '200.147.3.8' } })
    await behind.flush()
    expect(await totals()).toMatchObject({ views: 4, unresolved: 2, visitors: 4 })
  })
})

interface Started {
  env?: Record<string, string>
  db?: Database['db']
  secrets?: Secrets
}

interface Again extends Visit {
  minutes?: number
}

interface Visit {
  address?: string
  agent?: string | undefined
  query?: string
  headers?: Record<string, string | undefined>
}

/** As a browser opens the page over https. */
function view(counter: VisitCounter, visit: Visit = {}): void {
  const { address = '200.160.2.7', query, headers = {} } = visit
  const agent = 'agent' in visit ? visit.agent : AGENT
  const request = {
    socket: { remoteAddress: address },
    headers: { 'user-agent': agent, 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', ...headers },
  }
  counter.addRequest(request, '/', query ?? null)
}

/** The keys as an engine stores them: SQLite seven bits a byte, PostgreSQL 8 bytes in the order of the machine. */
function bytesOf(engine: Database['engine'], keys: readonly number[]): Buffer[] {
  return keys.map((key) => {
    if (engine === 'postgres') {
      const bytes = Buffer.alloc(8)
      bytes.writeBigInt64LE(BigInt(key))
      return bytes.subarray(0, 7)
    }
    const bytes = [key % 128]
    for (let rest = Math.floor(key / 128); rest > 0; rest = Math.floor(rest / 128))
      bytes.unshift((rest % 128) + 128)
    return Buffer.from(bytes)
  })
}
