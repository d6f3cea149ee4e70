import { randomUUID } from 'node:crypto'
import type { TestDatabase } from '../engines.ts'
import { queuedEvent } from '../queued-event.ts'

export const tokenPlace = (row: string) => ({ table: 'pixel_secrets', column: 'value', row })

const chatPlace = { table: 'alert_webhooks', column: 'url', row: 'alerts' }

/** Rows of one pixel and its alerts; returns the pixel's id. */
export async function fillTagTables(
  { db, secrets }: TestDatabase,
  userId: string,
  at: string,
): Promise<string> {
  const pixel = randomUUID()
  await db
    .insertInto('tracking_pixels')
    .values({
      id: pixel,
      name: 'Ação "x"',
      type: 'custom',
      pixel_id: null,
      code: `<script>${'ç"\\n\n'.repeat(5_000)}</script>`,
      is_active: true,
      allowed_hosts: '["a.example"]',
      consent_category: 'marketing',
      vendor: null,
      created_at: at,
      updated_at: at,
    })
    .execute()
  await db
    .insertInto('pixel_secrets')
    .values({ pixel_id: pixel, value: await secrets.encrypt(db, tokenPlace(pixel), 'EAAG-token') })
    .execute()
  await db
    .insertInto('delivery_counts')
    .values({ pixel_id: pixel, hour: at, state: 'refused', reason: '100/2804003', count: 2 })
    .execute()
  await db
    .insertInto('delivery_log')
    .values({
      id: randomUUID(),
      pixel_id: pixel,
      event: 'lead',
      state: 'accepted',
      attempts: 1,
      answer: 'HTTP 200',
      message: 'Aceito.',
      created_at: at,
    })
    .execute()
  await db
    .insertInto('delivery_stops')
    .values({ pixel_id: pixel, code: 'token_refused', message: 'x', stopped_at: at })
    .execute()
  await db.insertInto('lane_rests').values({ lane: pixel, failures: 2, until: at }).execute()
  await db
    .insertInto('deliveries')
    .values(queuedEvent(pixel, at, { kind: 'webhook', payload: '{"address":"203.0.113.7"}', expires_at: at }))
    .execute()
  await db
    .insertInto('permitted_hosts')
    .values({ pixel_id: pixel, host: 'a.example', permitted_by: 'ana@exemplo.com.br', permitted_at: at })
    .execute()
  await db
    .insertInto('compiled_tags')
    .values({
      pixel_id: pixel,
      source_hash: 'e',
      compiler_version: 1,
      added_hosts: 0,
      sources: '{"b":1,"a":2}',
      body: '{}',
    })
    .execute()
  await db
    .insertInto('tag_reports')
    .values({ pixel_id: pixel, hour: at, last_ran_at: null, last_error: null })
    .execute()
  await db
    .insertInto('tag_evidence')
    .values({ pixel_id: pixel, hour: at, revision: 'f', subject: 'visit', verdict: 'ok', count: 3 })
    .execute()
  await db
    .insertInto('alert_choices')
    .values({ user_id: userId, kinds: '["broken"]', changed_at: at })
    .execute()
  await db
    .insertInto('alert_states')
    .values({ pixel_id: pixel, kind: 'broken', subject: '', since: at })
    .execute()
  await db
    .insertInto('alert_mails')
    .values({
      id: randomUUID(),
      user_id: userId,
      pixel_id: pixel,
      day: '2026-11-15',
      way: 'digest',
      text: 'x',
      due_at: at,
      leased_until: null,
      sent_at: null,
    })
    .execute()
  await db
    .insertInto('alert_webhooks')
    .values({
      name: 'alerts',
      format: 'slack',
      url: await secrets.encrypt(db, chatPlace, 'https://hooks.slack.com/x'),
      kinds: '["broken"]',
      changed_at: at,
      tried_at: null,
      last_error: null,
    })
    .execute()
  await db
    .insertInto('alert_posts')
    .values({
      id: randomUUID(),
      pixel_id: pixel,
      day: '2026-11-15',
      way: 'digest',
      kind: 'broken',
      text: 'x',
      due_at: at,
      sent_at: null,
    })
    .execute()
  await db.insertInto('summary_choices').values({ user_id: userId, chosen_at: at, link_key: 'k' }).execute()
  await db.insertInto('summary_weeks').values({ monday: '2026-11-09', sent_at: at }).execute()
  await db.insertInto('site_counts').values({ slot: at, subject: 'told', count: 3 }).execute()
  await db
    .insertInto('counts')
    .values({
      subject: pixel,
      series: 'tag.result',
      resolution: 'hour',
      at,
      key: 'ran',
      shard: 3,
      count: 3,
    })
    .execute()
  await db
    .insertInto('tag_last_seen')
    .values({ pixel_id: pixel, shard: 3, last_ran_at: at, last_error_at: at, last_error: 'x' })
    .execute()
  await db
    .insertInto('tag_minutes')
    .values({ pixel_id: pixel, revision: 'f', minute: at, visits: 2, failed: 1 })
    .execute()
  await db
    .insertInto('tag_breakers')
    .values({
      pixel_id: pixel,
      revision: 'f',
      state: 'warned',
      reason: 'slow',
      visits: 2,
      failed: 1,
      tripped_at: at,
    })
    .execute()
  await db
    .insertInto('tag_tests')
    .values({
      id: randomUUID(),
      pixel_id: pixel,
      created_by: null,
      creator: 'ana@exemplo.com.br',
      token_hash: 'g',
      created_at: at,
      expires_at: at,
      key_hash: null,
      key_until: null,
      steps: '[{"kind":"opened","at":0}]',
    })
    .execute()
  await db
    .insertInto('tag_sets')
    .values({ version: 'h', category: 'marketing', pixel_ids: pixel, used_at: at })
    .execute()
  await db.insertInto('tag_changes').values({ version: 1, pixel_ids: pixel, changed_at: at }).execute()
  await db
    .insertInto('blocked_hosts')
    .values({ id: randomUUID(), pixel_id: null, host: 'b.example', first_seen_at: at, last_seen_at: at })
    .execute()
  return pixel
}
