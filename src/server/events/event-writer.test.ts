import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { sentStatements } from '#tests/support/sent-statements.ts'
import { type EventRow, EventWriter } from './event-writer.ts'

const AT = '2026-11-15T12:00:00.123Z'

describe.each(ENGINES)('events of many visitors, on %s', (engine) => {
  let database: TestDatabase
  let pixelId: string
  beforeEach(async () => {
    database = await makeDatabase(engine)
    pixelId = await insertPixel(database.db, { type: 'meta' })
  })
  afterEach(() => database.close())

  const row = (change: Partial<EventRow> = {}): EventRow => ({
    id: randomUUID(),
    kind: 'meta',
    pixel_id: pixelId,
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
  })
  const stored = () => database.db.selectFrom('deliveries').selectAll().execute()

  test('are stored as they came, and the same event once', async () => {
    const writer = new EventWriter(database.db)
    const first = row()
    await Promise.all([writer.insert([first]), writer.insert([row({ event_id: first.event_id })])])
    expect(await stored()).toEqual([
      { ...first, attempts: 0, leased_until: null, sent_at: null, subscription_id: null, sealed: null },
    ])
  })

  test('of a thousand that come at once each is stored, and one that cannot be is refused alone', async () => {
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

test('what comes together is one statement', async () => {
  const database = await makeDatabase('sqlite')
  const pixelId = await insertPixel(database.db, { type: 'meta' })
  const writer = new EventWriter(database.db)
  const statements = await sentStatements(() =>
    Promise.all(
      Array.from({ length: 100 }, () =>
        writer.insert([
          {
            id: randomUUID(),
            kind: 'meta',
            pixel_id: pixelId,
            event_id: randomUUID(),
            event: 'lead',
            consent_id: randomUUID(),
            category: 'marketing',
            payload: '{}',
            email_hash: null,
            next_attempt_at: AT,
            created_at: AT,
            expires_at: AT,
          },
        ]),
      ),
    ),
  )
  expect(statements).toHaveLength(1)
  await database.close()
})
