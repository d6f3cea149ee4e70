import { Pool } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '#server/db/database.ts'
import { sumCounts } from '#server/stats/counts.ts'
import { makeStorage, type Storage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { untilDayLasts } from '../support/site-days.ts'
import { type SpawnedServer, spawnServer, untilReady } from '../support/spawn-server.ts'

/** `VISITORS=1000000` for a larger run. */
const VISITORS = Number(process.env.VISITORS ?? 4_000)
/** Every tenth visitor opens the page on both servers at once. */
const TWICE = 10
/** Requests that are sent before they are all stored: below what a server keeps in memory. */
const STEP = 8_000
const CONNECTIONS = 16
/** Visitors are counted by day: a new one must not begin during a test. */
const TEST_MS = 10 * 60_000

const AGENT = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36'

interface Server extends SpawnedServer {
  pool: Pool
  /** Of the page. */
  etag: string
}

/** A built server, which takes the visitor's address from a proxy in front of it. */
async function start(storage: Storage): Promise<Server> {
  const port = await freePort()
  const env = { ...storage.env, PORT: String(port), TRUST_PROXY: '1', LOG_LEVEL: 'error' }
  const server = spawnServer(env)
  onTestFinished(async () => {
    server.child.kill('SIGKILL')
    await server.ended
  })
  const url = `http://localhost:${port}`
  await untilReady(server, url)
  const page = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'br' } })
  const pool = new Pool(url, { connections: CONNECTIONS })
  onTestFinished(() => pool.destroy())
  return { ...server, pool, etag: page.headers.get('etag') ?? '' }
}

/** Storage and a connection to look into it, closed after the servers. */
async function open(engine: 'sqlite' | 'postgres'): Promise<{ storage: Storage; db: () => Database['db'] }> {
  const storage = await makeStorage(engine)
  let database: Database | undefined
  onTestFinished(async () => {
    await database?.close()
    await storage.remove()
  })
  return {
    storage,
    db: () => {
      database ??= openDatabase(storage)
      return database.db
    },
  }
}

/** Requests of the page, which the browsers of these visitors have kept: the answers have no body. */
async function send({ pool, etag }: Server, visitors: readonly number[]): Promise<void> {
  const statuses = new Set<number>()
  const waiting = visitors[Symbol.iterator]()
  const one = async () => {
    for (const visitor of waiting) {
      const address = `200.${(visitor >> 16) & 255}.${(visitor >> 8) & 255}.${visitor & 255}`
      const answer = await pool.request({
        method: 'GET',
        path: '/',
        headers: {
          'user-agent': AGENT,
          'x-forwarded-for': address,
          'sec-fetch-dest': 'document',
          'sec-fetch-mode': 'navigate',
          'accept-encoding': 'br',
          'if-none-match': etag,
        },
      })
      await answer.body.dump()
      statuses.add(answer.statusCode)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, one))
  expect([...statuses]).toEqual([304])
}

async function counted(db: Database['db']): Promise<Record<string, number>> {
  const rows = await sumCounts(db, { series: 'visit', resolution: 'day', from: 0 })
  return Object.fromEntries(rows.filter(({ count }) => count > 0).map(({ key, count }) => [key, count]))
}

test(`two servers on PostgreSQL count ${VISITORS} visitors exactly`, async () => {
  await untilDayLasts(TEST_MS)
  const { storage, db } = await open('postgres')
  const servers = [await start(storage), await start(storage)]
  let views = 0
  for (let first = 0; first < VISITORS; first += STEP) {
    const visitors = Array.from({ length: Math.min(STEP, VISITORS - first) }, (_, index) => first + index)
    const parts = servers.map((_, at) =>
      visitors.filter((visitor) => visitor % servers.length === at || visitor % TWICE === 0),
    )
    views += parts.reduce((sum, part) => sum + part.length, 0)
    await Promise.all(servers.map((server, at) => send(server, parts[at] ?? [])))
    await expect
      .poll(async () => (await counted(db())).views, { timeout: 120_000, interval: 250 })
      .toBe(views)
  }
  expect(await counted(db())).toEqual({ views, visits: VISITORS, visitors: VISITORS })
  console.info(`${views} views by two servers: ${VISITORS} visits and visitors, 0 too many or too few`)
}, 7_200_000)

const ROUNDS = 3
/** How long visits come before the kill, times the round: so that kills come at different moments between two writes. */
const VISITING_MS = 1_300
/** A write begins once a second. On a busy machine it takes its time. */
const MAX_LOST_MS = 3_000

test.each(['sqlite', 'postgres'] as const)(
  'a killed server loses the visits of its last second only, and the next one knows its visitors, on %s',
  async (engine) => {
    await untilDayLasts(TEST_MS)
    const { storage, db } = await open(engine)
    const lost: string[] = []
    let sent = 0
    for (let round = 1; round <= ROUNDS; round++) {
      const server = await start(storage)
      const { views: before = 0 } = await counted(db())
      /** When each visit was answered. */
      const answeredAt: number[] = []
      // It writes by itself.
      while (answeredAt.length === 0 || performance.now() < (answeredAt[0] ?? 0) + VISITING_MS * round) {
        await send(server, [sent++])
        answeredAt.push(performance.now())
      }
      server.child.kill('SIGKILL')
      const killedAt = performance.now()
      await server.ended
      const { views = 0, visitors } = await counted(db())
      expect(visitors).toBe(views)
      // They are stored in their order.
      const lostMs = killedAt - (answeredAt[views - before] ?? killedAt)
      expect(lostMs).toBeLessThan(MAX_LOST_MS)
      lost.push(`${answeredAt.length - (views - before)} of ${answeredAt.length} (${Math.round(lostMs)} ms)`)
    }
    const { visitors = 0 } = await counted(db())
    // Everybody comes again within half an hour: those who were counted are not counted twice.
    const last = await start(storage)
    await send(
      last,
      Array.from({ length: sent }, (_, visitor) => visitor),
    )
    await expect.poll(async () => (await counted(db())).views, { timeout: 30_000 }).toBe(visitors + sent)
    expect(await counted(db())).toMatchObject({ visits: sent, visitors: sent })
    console.info(`${ROUNDS} kills on ${engine} lost ${lost.join(', ')} visits`)
  },
  2 * TEST_MS,
)
