import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ENGINES, makeDatabase, makeStorage, type TestDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { sentStatements } from '#tests/support/sent-statements.ts'
import { openPostgres } from '../db/engines/postgres.ts'
import { isUnavailable } from '../db/errors.ts'
import { type EventRow, EventWriter } from './enqueue.ts'

const AT = '2026-11-15T12:00:00.123Z'

function makeRow(change: Pick<EventRow, 'pixel_id'> & Partial<EventRow>): EventRow {
  return {
    id: randomUUID(),
    kind: 'meta',
    event_id: randomUUID(),
    event: 'lead',
    consent_id: randomUUID(),
    category: 'marketing',
    email_hash: null,
    payload: '{"title":"É \\"aspas\\" \'e\' \\u0000 emoji 🎈"}',
    next_attempt_at: AT,
    created_at: AT,
    expires_at: AT,
    ...change,
  }
}

describe.each(ENGINES)('events of many visitors, on %s', (engine) => {
  let database: TestDatabase
  let pixelId: string
  beforeEach(async () => {
    database = await makeDatabase(engine)
    pixelId = await insertPixel(database.db, { type: 'meta' })
  })
  afterEach(() => database.close())

  const row = (change: Partial<EventRow> = {}) => makeRow({ pixel_id: pixelId, ...change })
  const stored = () => database.db.selectFrom('deliveries').selectAll().execute()

  test('are stored as they arrive, and the same event once', async () => {
    const writer = new EventWriter(database.db)
    const first = row()
    await Promise.all([writer.insert([first]), writer.insert([row({ event_id: first.event_id })])])
    expect(await stored()).toEqual([
      { ...first, attempts: 0, leased_until: null, sent_at: null, subscription_id: null, sealed: null },
    ])
  })

  test('are all stored when a thousand arrive at once, and one that cannot be stored is refused alone', async () => {
    const writer = new EventWriter(database.db)
    const good = Array.from({ length: 1_000 }, () => row())
    const lost = row({ pixel_id: randomUUID() })
    const all = [...good.slice(0, 700), lost, ...good.slice(700)]
    const settled = await Promise.allSettled(all.map((each) => writer.insert([each])))
    expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    expect(settled[700]?.status).toBe('rejected')
    expect((await stored()).map(({ id }) => id).sort()).toEqual(good.map(({ id }) => id).sort())
  })
})

describe('on sqlite', () => {
  let database: TestDatabase
  let pixelId: string
  beforeEach(async () => {
    database = await makeDatabase('sqlite')
    pixelId = await insertPixel(database.db, { type: 'meta' })
  })
  afterEach(() => database.close())

  const insertAtOnce = (count: number) => {
    const writer = new EventWriter(database.db)
    return Array.from({ length: count }, () => writer.insert([makeRow({ pixel_id: pixelId })]))
  }

  test('stores events that arrive together in one statement', async () => {
    expect(await sentStatements(() => Promise.all(insertAtOnce(100)))).toHaveLength(1)
  })

  test('lets other work run while many are answered', async () => {
    const [first, ...others] = insertAtOnce(100)
    await first
    let turns = 0
    let isOver = false
    const count = () => {
      turns++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    await Promise.all(others)
    isOver = true
    expect(turns).toBeGreaterThanOrEqual(5)
  })
})

test('on PostgreSQL a statement that times out fails for all who wait for it, and is not retried in halves', async () => {
  const storage = await makeStorage('postgres', { isMigrated: true })
  const url = storage.databaseUrl ?? ''
  let statements = 0
  const { db } = openPostgres({
    url,
    poolSize: 2,
    statementTimeoutMs: 500,
    onStatement: (kind) => {
      if (kind === 'InsertQueryNode') statements++
    },
  })
  const other = new pg.Client(url)
  await other.connect()
  await other.query('begin; lock table deliveries in access exclusive mode')
  const writer = new EventWriter(db)
  const settled = await Promise.allSettled(
    Array.from({ length: 64 }, () => writer.insert([makeRow({ pixel_id: randomUUID() })])),
  )
  const reasons = settled.map((each) => (each.status === 'rejected' ? each.reason : null))
  expect(reasons.map(isUnavailable)).toEqual(Array(64).fill(true))
  expect(statements).toBe(1)
  await other.end()
  await db.destroy()
  await storage.remove()
})
