import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createLogger } from '#server/http/logging/logger.ts'
import type { OutgoingClient } from '#server/http/outgoing.ts'
import { insertEvents } from '#server/outbox/enqueue.ts'
import { OutboxWorker } from '#server/outbox/worker.ts'
import { sumCounts } from '#server/stats/counts.ts'
import { Place } from '#tests/chaos/scenario.ts'
import { startSlowLink } from '#tests/chaos/slow-link.ts'
import { makeDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { openPostgres } from '../db/engines/postgres.ts'
import { conversionChannel } from './channel.ts'

/** A pixel with a webhook, and processes that send its events with a slow database. */
async function startSite() {
  const place = new Place()
  onTestFinished(() => place.leave())
  const database = await makeDatabase('postgres')
  place.atEnd(() => database.close())
  const { db, secrets } = database
  const link = await startSlowLink(place, inject('postgresSocket'))
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  const url = `postgres://postgres@127.0.0.1:${link.port}/${rows[0]?.name}`
  const pixel_id = await insertPixel(db, { type: 'custom' })
  await db
    .updateTable('tracking_pixels')
    .set({ delivery: 'server', destination: 'webhook', webhook_url: 'https://ganchos.exemplo.com.br/' })
    .execute()
  const value = await secrets.encrypt(
    db,
    { table: 'pixel_secrets', column: 'value', row: pixel_id },
    `whsec_${'A'.repeat(32)}`,
  )
  await db.insertInto('pixel_secrets').values({ pixel_id, value }).execute()
  const consent_id = randomUUID()
  const at = new Date().toISOString()
  await db
    .insertInto('consent_records')
    .values({
      id: randomUUID(),
      consent_id,
      action: 'accept',
      categories: '["marketing"]',
      text_version: 1,
      tag_set_version: '',
      created_at: at,
    })
    .execute()
  /** How often each event arrived at the webhook. */
  const arrived = new Map<string, number>()
  const client = {
    post: async (_url: string, headers: Record<string, string>) => {
      const id = headers['webhook-id'] ?? ''
      arrived.set(id, (arrived.get(id) ?? 0) + 1)
      return { kind: 'answer', status: 200, headers: {}, body: '' }
    },
  } as unknown as OutgoingClient
  const log = createLogger('silent')
  return {
    db,
    link,
    arrived,
    queue: (count: number) =>
      insertEvents(
        db,
        Array.from({ length: count }, () => ({
          id: randomUUID(),
          kind: 'webhook',
          pixel_id,
          event_id: randomUUID(),
          event: 'lead' as const,
          consent_id,
          category: 'marketing' as const,
          payload: JSON.stringify({ at: Date.now(), path: '/' }),
          email_hash: null,
          next_attempt_at: at,
          created_at: at,
          expires_at: new Date(Date.now() + 86_400_000).toISOString(),
        })),
      ),
    startWorkers: (count: number) => {
      const workers = Array.from({ length: count }, () => {
        const postgres = openPostgres({ url, poolSize: 10 })
        const channel = conversionChannel({
          secrets,
          client,
          log,
          siteUrl: 'https://www.exemplo.com.br',
          apis: {},
        })
        const worker = new OutboxWorker({ db: postgres.db, channels: [channel], log })
        worker.start()
        return { worker, db: postgres.db }
      })
      return async () => {
        await Promise.all(workers.map(({ worker }) => worker.stop()))
        await Promise.all(workers.map((each) => each.db.destroy()))
      }
    },
  }
}

test('eight processes far from the database send each event once and count it once', async () => {
  const { db, link, arrived, queue, startWorkers } = await startSite()
  const EVENTS = 1_500
  await queue(EVENTS)
  link.delayBy(20, 80)
  const stop = startWorkers(8)
  await expect
    .poll(() => db.selectFrom('deliveries').select('id').limit(1).execute(), { timeout: 120_000 })
    .toEqual([])
  await stop()
  expect(arrived.size).toBe(EVENTS)
  expect([...arrived.values()].filter((times) => times > 1)).toEqual([])
  const counts = await sumCounts(db, { series: 'conversion', resolution: 'hour', from: 0 })
  expect(counts.map(({ key, count }) => [key, count])).toEqual([['accepted ', EVENTS]])
}, 180_000)
