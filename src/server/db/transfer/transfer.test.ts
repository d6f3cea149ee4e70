import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { type EngineName, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { insertSecrets, openAll, textsOf } from '#tests/support/secret-rows.ts'
import type { Db } from '../database.ts'
import { exportRows } from './export-rows.ts'
import { importRows } from './import-rows.ts'
import { type Row, readPages } from './read-pages.ts'
import { LEFT_BEHIND, TABLE_KEYS, TABLE_NAMES, type TableName } from './table-order.ts'

const opened: TestDatabase[] = []
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
})

async function make(engine: EngineName): Promise<TestDatabase> {
  const database = await makeDatabase(engine)
  opened.push(database)
  return database
}

const tokenPlace = (row: string) => ({ table: 'pixel_secrets', column: 'value', row })

/** At least one row in every table, with what engines may treat differently: emptiness, quotes, long texts, JSON. */
async function fill({ db, secrets }: TestDatabase): Promise<void> {
  await insertSecrets(db, secrets, 'ana@exemplo.com.br')
  const at = '2026-11-15T12:34:56.789Z'
  const user = await db.selectFrom('auth_users').select('id').executeTakeFirstOrThrow()
  const factor = await db.selectFrom('auth_factors').select('id').executeTakeFirstOrThrow()
  const [login, session, pixel] = [randomUUID(), randomUUID(), randomUUID()]
  const time = { created_at: at, updated_at: at }
  await db
    .insertInto('admin_roles')
    .values({ user_id: user.id, role: 'admin', ...time })
    .execute()
  const amr = JSON.stringify([{ method: 'password', timestamp: 1 }])
  const person = {
    user_id: user.id,
    aal: 'aal2',
    amr,
    user_agent: 'Um "navegador" \\ Ação 🎉',
    network: null,
  } as const
  await db
    .insertInto('auth_logins')
    .values({ id: login, ...person, token_hash: 'a', created_at: at, last_used_at: at, expires_at: at })
    .execute()
  await db
    .insertInto('auth_sessions')
    .values({ id: session, login_id: login, ...person, created_at: at, last_used_at: at })
    .execute()
  await db
    .insertInto('auth_refresh_tokens')
    .values({
      id: randomUUID(),
      session_id: session,
      token_hash: 'b',
      parent_id: null,
      used_at: at,
      retired_at: null,
      created_at: at,
    })
    .execute()
  await db
    .insertInto('auth_challenges')
    .values({ id: randomUUID(), factor_id: factor.id, created_at: at, expires_at: at, verified_at: null })
    .execute()
  await db
    .insertInto('auth_passkeys')
    .values({
      id: randomUUID(),
      user_id: user.id,
      factor_id: factor.id,
      credential_id: 'k',
      public_key: 'p',
      sign_count: 3,
      transports: JSON.stringify(['internal', 'hybrid']),
      friendly_name: 'Celular',
      created_at: at,
      updated_at: at,
      last_used_at: null,
    })
    .execute()
  await db.insertInto('auth_spent_challenges').values({ id: randomUUID(), expires_at: at }).execute()
  await db
    .insertInto('auth_recovery_codes')
    .values({ id: randomUUID(), user_id: user.id, code_hash: 'c', used_at: null, created_at: at })
    .execute()
  const token = randomUUID()
  await db
    .insertInto('auth_one_time_tokens')
    .values({
      id: token,
      user_id: user.id,
      kind: 'recovery',
      token_hash: 'd',
      code_hash: null,
      sent_to: '',
      created_at: at,
      expires_at: at,
      used_at: null,
      code_challenge: 'h',
      redirect_to: 'https://app.exemplo.com.br/entrar',
    })
    .execute()
  await db
    .insertInto('auth_link_codes')
    .values({ id: randomUUID(), token_id: token, code_hash: 'l', created_at: at, expires_at: at })
    .execute()
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
      ...time,
    })
    .execute()
  await db
    .insertInto('pixel_secrets')
    .values({ pixel_id: pixel, value: await secrets.seal(db, tokenPlace(pixel), 'EAAG-token') })
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
  await db
    .insertInto('deliveries')
    .values({
      id: randomUUID(),
      kind: 'webhook',
      pixel_id: pixel,
      event_id: randomUUID(),
      event: 'lead',
      consent_id: randomUUID(),
      category: 'marketing',
      payload: '{"address":"203.0.113.7"}',
      next_attempt_at: at,
      leased_until: null,
      sent_at: null,
      created_at: at,
      expires_at: at,
    })
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
    .values({ user_id: user.id, kinds: '["broken"]', changed_at: at })
    .execute()
  await db
    .insertInto('alert_states')
    .values({ pixel_id: pixel, kind: 'broken', subject: '', since: at })
    .execute()
  await db
    .insertInto('alert_mails')
    .values({
      id: randomUUID(),
      user_id: user.id,
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
    .insertInto('sign_up_hashes')
    .values({ consent_id: randomUUID(), email_hash: 'left behind', expires_at: at })
    .execute()
  await db.insertInto('site_counts').values({ slot: at, subject: 'told', count: 3 }).execute()
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
    .insertInto('blocked_hosts')
    .values({ id: randomUUID(), pixel_id: null, host: 'b.example', first_seen_at: at, last_seen_at: at })
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
  await db
    .insertInto('auth_api_keys')
    .values({ id: randomUUID(), name: 'loja', created_at: at, expires_at: null, revoked_at: at })
    .execute()
  await db.insertInto('rate_limits').values({ key: 'x', count: 1, expires_at: at }).execute()
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

async function rowsOf(db: Db): Promise<Record<string, Row[]>> {
  const all: Record<string, Row[]> = {}
  for (const table of TABLE_NAMES) {
    const rows: Row[] = []
    for await (const page of readPages(db, table)) rows.push(...page)
    // Engines sort texts by rules of their own.
    const keyOf = (row: Row) =>
      JSON.stringify(TABLE_KEYS[table as TableName].map((key) => row[key as string]))
    all[table] = rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  }
  return all
}

async function textOf(db: Db): Promise<string> {
  let text = ''
  for await (const part of exportRows(db)) text += part
  return text
}

const linesOf = (text: string) =>
  async function* () {
    yield* text.trimEnd().split('\n')
  }
const accept = async () => {}

test.each<[EngineName, EngineName]>([
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
])('from %s to %s every row of every table is equal, and what was sealed opens', async (from, to) => {
  const source = await make(from)
  await fill(source)
  const before = await rowsOf(source.db)
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([])
  const target = await make(to)
  expect(await textOf(source.db)).not.toContain('203.0.113.7')
  expect(await textOf(source.db)).not.toContain('left behind')
  for (const table of LEFT_BEHIND) before[table] = []
  const count = await importRows(target.db, { lines: linesOf(await textOf(source.db)), force: false, accept })
  expect(count).toBe(Object.values(before).reduce((sum, rows) => sum + rows.length, 0))
  expect(await rowsOf(target.db)).toEqual(before)
  const token = await target.db.selectFrom('pixel_secrets').selectAll().executeTakeFirstOrThrow()
  expect(await source.secrets.open(tokenPlace(token.pixel_id), token.value)).toBe('EAAG-token')
  const secretRows = await insertSecrets(source.db, source.secrets)
  await importRows(target.db, { lines: linesOf(await textOf(source.db)), force: true, accept })
  expect(await openAll(target.db, source.secrets, secretRows)).toEqual(textsOf(secretRows))
})

test('is refused whole: into a database in use, of another version, cut off, changed or of something else', async () => {
  const source = await make('sqlite')
  await fill(source)
  const text = await textOf(source.db)
  const target = await make('sqlite')
  const tryWith = (changed: string) =>
    importRows(target.db, { lines: linesOf(changed), force: false, accept })
  const empty = await rowsOf(target.db)
  const lines = text.trimEnd().split('\n')
  await expect(tryWith(lines.slice(0, -1).join('\n'))).rejects.toThrow('incompleto')
  await expect(tryWith(text.slice(0, -200))).rejects.toThrow('incompleto')
  await expect(tryWith(text.replace('p7@exemplo', 'p8x@exemplo'))).rejects.toThrow('incompleto')
  await expect(tryWith('{"a":1}\n')).rejects.toThrow('não é uma exportação')
  await expect(tryWith(text.replace('"0001-auth",', ''))).rejects.toThrow('outra forma')
  const refuse = async () => Promise.reject(new Error('no key'))
  await expect(importRows(target.db, { lines: linesOf(text), force: false, accept: refuse })).rejects.toThrow(
    'no key',
  )
  expect(await rowsOf(target.db)).toEqual(empty)
  await expect(importRows(source.db, { lines: linesOf(text), force: false, accept })).rejects.toThrow(
    'já tem dados (auth_users)',
  )
})

test('knows every table that the migrations make', async () => {
  const { db } = await make('sqlite')
  const tables = await db.introspection.getTables()
  expect(TABLE_NAMES.toSorted()).toEqual(tables.map(({ name }) => name).sort())
  for (const table of TABLE_NAMES) {
    const { rows } = await sql<{
      name: string
      pk: number
    }>`select name, pk from pragma_table_info(${table})`.execute(db)
    const key = rows.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
    expect([table, ...key.map(({ name }) => name)]).toEqual([table, ...TABLE_KEYS[table]])
  }
})
