import { randomUUID } from 'node:crypto'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeDatabase, type TestDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { checkConsent } from './channel.ts'
import type { Job } from './destinations/destination.ts'
import { meta } from './destinations/meta.ts'

const TARGET = { destination: meta, sendsEmail: true }
const NOW = Date.UTC(2026, 10, 15, 12)
const at = (secondsAgo: number) => new Date(NOW - secondsAgo * 1000).toISOString()

describe.each(TIER_ENGINES)('consent check before sending, on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  const record = (
    consent_id: string,
    categories: readonly string[],
    created_at: string,
    id = randomUUID(),
  ) => ({
    id,
    consent_id,
    action: 'save' as const,
    categories: JSON.stringify(categories),
    text_version: 1,
    tag_set_version: '',
    created_at,
  })
  const job = (consent_id: string, category: string, created_at = at(600)) =>
    ({ id: randomUUID(), consent_id, category, created_at, payload: { marketing: true } }) as Job

  test('decides by the newest record of each id, and reads one row per id', async () => {
    const [many, tied, granted, absent, early] = Array.from({ length: 5 }, () => randomUUID()) as [
      string,
      string,
      string,
      string,
      string,
    ]
    const rows = [
      ...Array.from({ length: 3_000 }, (_, n) => record(many, ['marketing'], at(5_000 - n))),
      record(many, [], at(10)),
      record(tied, ['marketing'], at(20), '00000000-0000-4000-8000-000000000001'),
      record(tied, [], at(20), '00000000-0000-4000-8000-000000000002'),
      record(granted, [], at(30)),
      record(granted, ['marketing'], at(20)),
    ]
    for (let from = 0; from < rows.length; from += 500)
      await database.db
        .insertInto('consent_records')
        .values(rows.slice(from, from + 500))
        .execute()
    let read = 0
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        read += result.rows.length
        return result
      },
    }
    const others = Array.from({ length: 250 }, () => job(randomUUID(), 'marketing'))
    const jobs = [many, tied, granted, absent].map((id) => job(id, 'marketing'))
    const checked = await checkConsent(
      database.db.withPlugin(counting),
      TARGET,
      [...jobs, job(early, 'marketing', at(1)), job(granted, 'desempenho'), ...others],
      NOW,
    )
    expect(checked.granted.map(({ consent_id }) => consent_id)).toEqual([granted])
    expect(checked.early.map(({ consent_id }) => consent_id)).toEqual([early])
    expect(checked.withheld.map(({ consent_id }) => consent_id)).toEqual([
      ...[many, tied, absent, granted],
      ...others.map(({ consent_id }) => consent_id),
    ])
    expect(read).toBe(3)
  })

  test('reads nothing when there is nothing to send', async () => {
    expect(await checkConsent(database.db, TARGET, [], NOW)).toEqual({
      granted: [],
      unmatched: [],
      withheld: [],
      early: [],
    })
  })
})
