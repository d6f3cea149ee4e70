import { randomUUID } from 'node:crypto'
import type { Db } from '#server/db/database.ts'

/** Rows of choices with their proof, served tags, subscriptions and the audit trail. */
export async function fillConsentTables(db: Db, pixel: string, at: string): Promise<void> {
  await db
    .insertInto('sign_up_hashes')
    .values({ consent_id: randomUUID(), email_hash: 'left behind', expires_at: at })
    .execute()
  await db
    .insertInto('consent_records')
    .values({
      id: randomUUID(),
      consent_id: randomUUID(),
      action: 'accept',
      categories: '[]',
      text_version: 1,
      tag_set_version: '',
      created_at: at,
      schema_version: 1,
      notice_hash: 'n',
      parties_hash: 'p',
      retention_days: 1826,
      leaf_position: 0,
    })
    .execute()
  await db
    .insertInto('consent_notices')
    .values({
      hash: 'n',
      version: 1,
      language: 'pt-BR',
      text: 'Ação',
      html: '<p>Ação</p>',
      first_served_at: at,
    })
    .execute()
  await db
    .insertInto('consent_parties')
    .values({ hash: 'p', tag_set_version: '', content: '{"z":1}', first_served_at: at })
    .execute()
  await db
    .insertInto('consent_leaves')
    .values([
      { position: 0, hash: 'l', erased_at: null },
      { position: 1, hash: 'm', erased_at: at },
    ])
    .execute()
  await db.insertInto('consent_tree_nodes').values({ level: 8, position: 0, hash: 'i' }).execute()
  await db.updateTable('consent_tree').set({ size: 2, first_record_at: at, last_record_at: at }).execute()
  await db
    .insertInto('consent_seals')
    .values({
      sequence: 1,
      first_record_at: at,
      last_record_at: at,
      leaf_count: 2,
      tree_size: 2,
      root: 'r',
      previous_hash: null,
      hash: 's',
      sealed_at: at,
    })
    .execute()
  await db
    .insertInto('consent_counts')
    .values({ day: '2026-11-15', text_version: 1, action: 'reject', choice: 'refused', count: 1 })
    .execute()
  // More than a page.
  await db
    .insertInto('newsletter_subscriptions')
    .values(
      Array.from({ length: 1203 }, (_, index) => ({
        id: randomUUID(),
        email: `p${index}@exemplo.com.br`,
        status: 'pending' as const,
        delivery_key: randomUUID(),
        next_attempt_at: at,
        leased_until: null,
        last_error: null,
        created_at: at,
        delivered_at: null,
      })),
    )
    .execute()
  for (const table of ['rate_limits', 'rate_windows'] as const)
    await db.insertInto(table).values({ key: 'x', count: 1, expires_at: at }).execute()
  await db.insertInto('visit_secrets').values({ day: '2026-11-15', secret: 's', created_at: at }).execute()
  await db.insertInto('visit_keys_even').values({ key: 1, seen: 2 }).execute()
  await db.insertInto('visit_keys_odd').values({ key: 3, seen: 4 }).execute()
  await db
    .insertInto('visit_codes')
    .values({
      id: 'left behind',
      consent_id: randomUUID(),
      channel: 'direct',
      campaign: '',
      click_ids: null,
      created_at: at,
    })
    .execute()
  await db
    .insertInto('tag_periods')
    .values({
      id: randomUUID(),
      pixel_id: pixel,
      revision: 'r',
      type: 'custom',
      vendors: '["hotjar"]',
      account: null,
      consent_category: 'desempenho',
      told_by: '["browser"]',
      hosts: '["*.hotjar.com"]',
      files: '[{"kind":"own","path":"/tags/a.js","sha256":"h"}]',
      started_at: at,
      ended_at: null,
    })
    .execute()
  await db
    .insertInto('served_headers')
    .values({ id: randomUUID(), headers_hash: 'h', tag_set_version: '', is_unasked: true, since: at })
    .execute()
  await db
    .insertInto('script_files')
    .values({
      url: 'https://vendor.example/tag.js',
      outcome: 'read',
      reason: null,
      sha256: 's',
      bytes: 3,
      first_read_at: at,
      changed_at: null,
      former_sha256: null,
      checked_at: at,
      due_at: at,
    })
    .execute()
  await db
    .insertInto('outcome_names')
    .values({ name: 'venda', label: '1ª "venda"', created_at: at })
    .execute()
  await db
    .insertInto('outcome_events')
    .values({ name: 'venda', pixel_id: pixel, event: 'Purchase', sends_value: true })
    .execute()
  await db
    .insertInto('outcome_keys')
    .values({
      id: randomUUID(),
      name: 'Cadastro',
      mode: 'live',
      key_hash: 'k',
      hint: 'D3nE',
      created_at: at,
      created_by: 'ana@exemplo.com.br',
      last_used_at: null,
    })
    .execute()
  await db
    .insertInto('outcomes')
    .values({ mode: 'live', id: 'pedido 1', content_hash: 'h', received_at: at })
    .execute()
  await db
    .insertInto('outcome_values')
    .values({
      at,
      name: 'venda',
      mode: 'live',
      currency: 'BRL',
      tie: 'tied',
      shard: 0,
      amount: 999_999_999_999,
    })
    .execute()
  await db
    .insertInto('outcome_campaign_values')
    .values({ at, channel: 'email', campaign: 'boletim', currency: 'BRL', shard: 0, amount: 18_990 })
    .execute()
  await db
    .insertInto('outcome_test_calls')
    .values({
      id: randomUUID(),
      created_at: at,
      name: 'venda',
      outcome_id: 'pedido 1',
      value: '189.90',
      currency: 'BRL',
      status: 'refused',
      code: 'conflict',
      field: 'id',
    })
    .execute()
  await db
    .insertInto('audit_events')
    .values({
      id: randomUUID(),
      actor_id: null,
      actor: 'guest',
      action: 'x',
      subject: null,
      before: null,
      after: '{"z":[1,null,{"y":"é"}],"a":true}',
      created_at: at,
    })
    .execute()
}
