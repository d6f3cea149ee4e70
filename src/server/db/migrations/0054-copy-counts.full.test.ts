import type { Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ENGINES, makeStorage, type Storage } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { type Database, openDatabase } from '../database.ts'
import { MIGRATIONS, migrate } from '../migrate.ts'
import { copyCounts } from './0054-copy-counts.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Noon on the 15th at the site. */
const NOW = Date.parse('2026-11-15T15:00:00.000Z')
const ago = (ms: number) => new Date(NOW - ms).toISOString()

describe.each(ENGINES)('counts of the former tables, on %s', (engine) => {
  let storage: Storage
  let database: Database
  let pixel: string
  beforeEach(async () => {
    storage = await makeStorage(engine)
    database = openDatabase(storage)
    await migrate(database.db)
    pixel = await insertPixel(database.db, { type: 'meta' })
    await fill()
  })
  afterEach(async () => {
    await database.close()
    await storage.remove()
  })

  async function fill(): Promise<void> {
    const { db } = database
    const report = (
      hours: number,
      ran: number,
      not_consented: number | null,
      error: string | null = null,
    ) => ({
      pixel_id: pixel,
      hour: ago(hours * HOUR_MS),
      ran,
      blocked: 1,
      failed: 0,
      not_consented,
      last_ran_at: ran === 0 ? null : ago(hours * HOUR_MS - 60_000),
      last_error: error,
    })
    await db
      .insertInto('tag_reports')
      .values([
        report(0, 0, 2, 'novo'),
        report(1, 5, 1, 'antigo'),
        report(24, 7, null),
        report(100 * 24, 9, 0),
      ])
      .execute()
    const seen = { pixel_id: pixel, revision: 'r1', count: 4 }
    await db
      .insertInto('tag_evidence')
      .values([
        { ...seen, hour: ago(0), subject: 'visit', verdict: 'ran' },
        { ...seen, hour: ago(0), subject: 'cost_ms', verdict: '300' },
        { ...seen, hour: ago(5 * DAY_MS), subject: 'visit', verdict: 'ran' },
      ])
      .execute()
    await db
      .insertInto('site_counts')
      .values([
        { slot: ago(0), subject: 'choice:accepted', count: 3 },
        { slot: ago(600_000), subject: 'choice:accepted', count: 4 },
        { slot: ago(0), subject: 'cost:sum:300', count: 6 },
      ])
      .execute()
    await db
      .insertInto('delivery_counts')
      .values({ pixel_id: pixel, hour: ago(DAY_MS), state: 'refused', reason: '100/1', count: 2 })
      .execute()
  }

  const copy = (since = NOW - 200 * DAY_MS) =>
    copyCounts(database.db as unknown as Kysely<unknown>, since, NOW)
  const stored = async () => {
    const rows = await database.db.selectFrom('counts').selectAll().execute()
    const lines = rows.map(
      ({ series, resolution, at, key, shard, count, subject }) =>
        `${series} ${resolution} ${at.slice(0, 16)} ${key} = ${count} ${shard} ${subject === '' ? 'site' : 'pixel'}`,
    )
    return lines.sort()
  }
  const COPIED = [
    'conversion day 2026-11-14T03:00 refused 100/1 = 2 -1 pixel',
    'conversion hour 2026-11-14T15:00 refused 100/1 = 2 -1 pixel',
    'site day 2026-11-15T03:00 choice:accepted = 7 -1 site',
    'site ten_minutes 2026-11-15T14:50 choice:accepted = 4 -1 site',
    'site ten_minutes 2026-11-15T15:00 choice:accepted = 3 -1 site',
    'site.cost ten_minutes 2026-11-15T15:00 cost:sum:300 = 6 -1 site',
    'tag.cost hour 2026-11-15T15:00 r1 cost_ms 300 = 4 -1 pixel',
    // Older than ninety days: by day only.
    'tag.result day 2026-08-07T03:00 blocked = 1 -1 pixel',
    'tag.result day 2026-08-07T03:00 not_consented = 0 -1 pixel',
    'tag.result day 2026-08-07T03:00 ran = 9 -1 pixel',
    'tag.result day 2026-11-14T03:00 blocked = 1 -1 pixel',
    'tag.result day 2026-11-14T03:00 ran = 7 -1 pixel',
    'tag.result day 2026-11-14T03:00 refusals_unknown = 1 -1 pixel',
    'tag.result day 2026-11-15T03:00 blocked = 2 -1 pixel',
    'tag.result day 2026-11-15T03:00 not_consented = 3 -1 pixel',
    'tag.result day 2026-11-15T03:00 ran = 5 -1 pixel',
    'tag.result hour 2026-11-14T15:00 blocked = 1 -1 pixel',
    'tag.result hour 2026-11-14T15:00 ran = 7 -1 pixel',
    'tag.result hour 2026-11-14T15:00 refusals_unknown = 1 -1 pixel',
    'tag.result hour 2026-11-15T14:00 blocked = 1 -1 pixel',
    'tag.result hour 2026-11-15T14:00 not_consented = 1 -1 pixel',
    'tag.result hour 2026-11-15T14:00 ran = 5 -1 pixel',
    'tag.result hour 2026-11-15T15:00 blocked = 1 -1 pixel',
    'tag.result hour 2026-11-15T15:00 not_consented = 2 -1 pixel',
    // Health and costs look back three days at most.
    'tag.seen hour 2026-11-15T15:00 r1 visit ran = 4 -1 pixel',
  ]

  test('are copied once, however often and by however many processes the copy runs', async () => {
    await copy()
    expect(await stored()).toEqual(COPIED)
    await copy()
    await Promise.all([copy(), copy()])
    expect(await stored()).toEqual(COPIED)
  })

  test('written or subtracted by an older process in between are copied, and newer counts stay', async () => {
    const { db } = database
    await copy()
    const own = {
      subject: pixel,
      series: 'tag.result',
      resolution: 'hour' as const,
      at: ago(0),
      key: 'not_consented',
      shard: 3,
      count: 11,
    }
    await db.insertInto('counts').values(own).execute()
    await db
      .updateTable('tag_reports')
      .set({ ran: 6, not_consented: 0, last_ran_at: ago(-60_000) })
      .where('hour', '=', ago(0))
      .execute()
    await db
      .insertInto('site_counts')
      .values({ slot: ago(0), subject: 'told', count: 1 })
      .execute()
    for (let n = 0; n < 2; n++) await copy(NOW - 8 * DAY_MS)
    const lines = await stored()
    expect(lines.filter((line) => !COPIED.includes(line))).toEqual([
      'site day 2026-11-15T03:00 told = 1 -1 site',
      'site ten_minutes 2026-11-15T15:00 told = 1 -1 site',
      'tag.result day 2026-11-15T03:00 not_consented = 1 -1 pixel',
      'tag.result day 2026-11-15T03:00 ran = 11 -1 pixel',
      'tag.result hour 2026-11-15T15:00 not_consented = 0 -1 pixel',
      'tag.result hour 2026-11-15T15:00 not_consented = 11 3 pixel',
      'tag.result hour 2026-11-15T15:00 ran = 6 -1 pixel',
    ])
    // Three were changed, and none is duplicated.
    expect(COPIED.filter((line) => !lines.includes(line))).toHaveLength(3)
    expect(lines).toHaveLength(COPIED.length + 4)
    expect(await db.selectFrom('tag_last_seen').select('last_ran_at').execute()).toEqual([
      { last_ran_at: ago(-60_000) },
    ])
  })

  test('keep the newest run and error of each tag', async () => {
    const seen = () => database.db.selectFrom('tag_last_seen').selectAll().execute()
    const row = {
      pixel_id: pixel,
      shard: -1,
      last_ran_at: ago(HOUR_MS - 60_000),
      last_error_at: ago(0),
      last_error: 'novo',
    }
    await copy()
    expect(await seen()).toEqual([row])
    await database.db.deleteFrom('tag_reports').where('hour', '>=', ago(HOUR_MS)).execute()
    await copy()
    expect(await seen()).toEqual([row])
  })

  test('exist after the migration', async () => {
    const { db } = database
    for (const table of ['counts', 'tag_last_seen'] as const) await db.deleteFrom(table).execute()
    const hour = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS).toISOString()
    await db.insertInto('site_counts').values({ slot: hour, subject: 'told', count: 5 }).execute()
    await MIGRATIONS['0054-copy-counts']?.up(db)
    const told = await db.selectFrom('counts').select('count').where('key', '=', 'told').execute()
    expect(told).toEqual([{ count: 5 }, { count: 5 }])
    expect(await db.selectFrom('tag_last_seen').selectAll().execute()).toHaveLength(1)
  })
})
