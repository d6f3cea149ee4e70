import { randomInt, randomUUID } from 'node:crypto'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '#contract/durations.ts'
import { writeDocTable } from '#tests/support/doc-table.ts'
import { ENGINES, makeDatabase, makeStorage } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { KEPT } from '#tests/support/sweep-table.ts'
import { startTestApp } from '#tests/support/test-app.ts'
import { eraseRecords } from './consent/records.ts'
import type { Database } from './db/database.ts'
import { retention } from './db/retention.ts'
import type { TableName } from './db/schema/index.ts'
import { STEP_ROWS, type Sweep, sweepRows } from './db/sweep.ts'
import { removeOldMailFiles } from './mail/transport.ts'
import { requeue } from './newsletter/admin-routes.ts'
import { adoptSubscriptions } from './newsletter/webhook.ts'
import { sweepOlderCounts } from './stats/older-counts.ts'

const NOW = Date.parse('2026-11-15T12:00:00.000Z')
/** The clocks of two processes may differ by a minute. */
const TOLERANCE_MS = 60_000
const at = (time: number) => new Date(time).toISOString()
const ago = (days: number) => at(NOW - days * DAY_MS)
/** More than two steps, and no whole number of them. */
const MANY = STEP_ROWS * 2 + 7
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** Rows that other rows refer to. */
interface Owners {
  user_id: string
  pixel_id: string
  factor_id: string
  token_id: string
}

const session = ({ user_id }: Owners) => ({
  id: randomUUID(),
  user_id,
  aal: 'aal1',
  amr: '[]',
  user_agent: '',
  created_at: at(NOW),
  last_used_at: at(NOW),
})
const challenge = () => ({ id: randomUUID(), created_at: at(NOW) })

/** A row of each table that is deleted by age, without its time. */
const ROWS: { [Table in TableName]?: (owners: Owners) => Record<string, unknown> } = {
  audit_events: () => ({ id: randomUUID(), actor_id: null, actor: 'guest', action: 'user.created' }),
  auth_users: () => ({
    id: randomUUID(),
    email: `${randomUUID()}@exemplo.com.br`,
    user_metadata: '{}',
    app_metadata: '{}',
    updated_at: at(NOW),
  }),
  auth_logins: (owners) => ({ ...session(owners), token_hash: randomUUID(), expires_at: at(NOW + DAY_MS) }),
  auth_sessions: session,
  auth_challenges: ({ factor_id }) => ({ ...challenge(), factor_id }),
  auth_spent_challenges: () => ({ id: randomUUID() }),
  auth_link_codes: ({ token_id }) => ({ ...challenge(), token_id, code_hash: randomUUID() }),
  auth_one_time_tokens: (owners) => ({ ...challenge(), ...oneTimeToken(owners) }),
  rate_limits: () => ({ key: randomUUID(), count: 1 }),
  rate_windows: () => ({ key: randomUUID(), count: 1 }),
  tag_sets: ({ pixel_id }) => ({ version: randomUUID(), category: 'marketing', pixel_ids: pixel_id }),
  tag_changes: ({ pixel_id }) => ({ version: randomInt(2 ** 31 - 1), pixel_ids: pixel_id }),
  sign_up_hashes: () => ({ consent_id: randomUUID(), email_hash: 'x' }),
  visit_codes: () => ({ id: randomUUID(), consent_id: randomUUID(), channel: 'direct', campaign: '' }),
  blocked_hosts: () => ({
    id: randomUUID(),
    pixel_id: null,
    host: `${randomUUID()}.example`,
    first_seen_at: ago(1000),
  }),
  tag_periods: ({ pixel_id }) => ({
    id: randomUUID(),
    pixel_id,
    revision: 'x',
    type: 'meta',
    vendors: '[]',
    consent_category: 'marketing',
    told_by: '[]',
    hosts: '[]',
    files: '[]',
    started_at: ago(3000),
  }),
  script_files: () => ({ url: `https://cdn.example/${randomUUID()}.js`, outcome: 'waiting' }),
  served_headers: () => ({ id: randomUUID(), headers_hash: 'x', tag_set_version: '', is_unasked: false }),
  tracking_pixels: () => ({
    id: randomUUID(),
    name: 'Antigo',
    type: 'custom',
    code: '',
    is_active: false,
    allowed_hosts: '[]',
    consent_category: 'marketing',
    created_at: ago(100),
    updated_at: ago(100),
  }),
  outcomes: () => ({ mode: 'live', id: randomUUID(), content_hash: 'x' }),
  outcome_values: () => ({
    name: randomUUID(),
    mode: 'live',
    currency: 'BRL',
    tie: 'tied',
    shard: 0,
    amount: 18_990,
  }),
  outcome_campaign_values: () => ({
    channel: 'email',
    campaign: randomUUID(),
    currency: 'BRL',
    shard: 0,
    amount: 18_990,
  }),
  outcome_test_calls: () => ({ id: randomUUID(), status: 'accepted' }),
  deliveries: () => ({
    id: randomUUID(),
    kind: 'mail',
    payload: '{}',
    created_at: at(NOW),
    next_attempt_at: at(NOW),
  }),
  lane_rests: () => ({ lane: randomUUID(), failures: 1 }),
  summary_weeks: () => ({ monday: randomUUID() }),
  alert_posts: ({ pixel_id }) => ({
    id: randomUUID(),
    pixel_id,
    day: '2026-01-01',
    way: 'digest',
    kind: 'broken',
    text: 'x',
  }),
  alert_mails: ({ user_id, pixel_id }) => ({
    id: randomUUID(),
    user_id,
    pixel_id,
    day: '2026-01-01',
    way: 'digest',
    text: 'x',
  }),
}

const oneTimeToken = ({ user_id }: Owners) => ({
  user_id,
  kind: 'recovery',
  token_hash: randomUUID(),
  sent_to: 'ana@exemplo.com.br',
})

describe.each(ENGINES)('expired rows on %s', (engine) => {
  let database: Database
  let owners: Owners
  beforeAll(async () => {
    database = await makeDatabase(engine)
    owners = await insertOwners(database)
  })
  afterAll(() => database.close())

  /** Adds one row with that time. `filtered` sets the values that the sweep selects. */
  async function add(row: Sweep, time: number, filtered = true): Promise<void> {
    const values: Record<string, unknown> = { ...ROWS[row.table]?.(owners), [row.column]: at(time) }
    for (const [name, wanted] of Object.entries(row.only ?? {}))
      if (filtered) values[name] = wanted === null ? null : [wanted].flat()[0]
    await insert(row.table, [values])
  }
  const insert = (table: TableName, values: Record<string, unknown>[]) =>
    database.db
      .insertInto(table)
      .values(values as never)
      .execute()
  async function left(row: Sweep): Promise<string[]> {
    const rows = await database.db
      .selectFrom(row.table as 'rate_limits')
      .select(row.column as 'expires_at')
      .where(row.column as 'expires_at', 'is not', null)
      .orderBy(row.column as 'expires_at')
      .execute()
    return rows.map((found) => Object.values(found)[0] as string)
  }
  const empty = ({ table }: Sweep) =>
    database.db
      .deleteFrom(table as 'rate_limits')
      .where((eb) => (table === 'auth_users' ? eb('id' as 'key', '!=', owners.user_id) : eb.val(true)))
      .where((eb) => (table === 'tracking_pixels' ? eb('id' as 'key', '!=', owners.pixel_id) : eb.val(true)))
      .execute()

  test.each(retention(KEPT).map((row) => [row.what, row] as const))(
    '%s: are deleted on time, and not before',
    async (_, row) => {
      await empty(row)
      const kept = await left(row)
      const end = NOW - row.keepMs
      await add(row, end - HOUR_MS)
      await add(row, end)
      await add(row, end + 1)
      if (row.aheadMs !== undefined) {
        await add(row, NOW + row.aheadMs + TOLERANCE_MS)
        await add(row, NOW + row.aheadMs + TOLERANCE_MS + 1)
      }
      const stay = [
        ...(row.keepNewest ? [at(end)] : []),
        at(end + 1),
        ...(row.aheadMs === undefined ? [] : [at(NOW + row.aheadMs + TOLERANCE_MS)]),
      ]
      const before = await left(row)
      const removed = await sweepRows(database.db, row, undefined, NOW)
      expect(await left(row)).toEqual([...kept, ...stay].sort())
      expect(removed).toBe(before.length - kept.length - stay.length)
    },
  )

  test.each(
    retention(KEPT)
      .filter(({ table }) => table === 'audit_events' || table === 'auth_users')
      .map((row) => [row.what, row] as const),
  )('%s: are all deleted in steps, and none after an abort', async (_, row) => {
    await empty(row)
    const kept = await left(row)
    const values = times(MANY, () => ({
      ...ROWS[row.table]?.(owners),
      [row.column]: at(NOW - row.keepMs),
      ...(row.table === 'audit_events' ? { action: 'auth.sign_in_failed' } : {}),
    }))
    await insert(row.table, values)
    expect(await sweepRows(database.db, row, AbortSignal.abort(), NOW)).toBe(0)
    expect(await sweepRows(database.db, row, undefined, NOW)).toBe(MANY)
    expect(await left(row)).toEqual(kept)
  })

  test('keeps accounts that were confirmed, created by others, banned, deleted or used', async () => {
    const row = retention(KEPT).find(({ table }) => table === 'auth_users') as Sweep
    await empty(row)
    const columns = Object.keys(row.only ?? {})
    expect(columns).toHaveLength(5)
    const account = () => ({ ...ROWS.auth_users?.(owners), created_at: ago(31) })
    await insert('auth_users', [account(), ...columns.map((name) => ({ ...account(), [name]: ago(31) }))])
    expect(await sweepRows(database.db, row, undefined, NOW)).toBe(1)
  })

  test("keeps a browser's session, and successful sign-ins", async () => {
    for (const row of retention(KEPT).filter(({ table, only }) => only && table !== 'auth_users')) {
      await empty(row)
      const login_id = randomUUID()
      await insert('auth_logins', [{ ...ROWS.auth_logins?.(owners), id: login_id }])
      const values = { ...ROWS[row.table]?.(owners), [row.column]: at(NOW - row.keepMs) }
      await insert(row.table, [row.table === 'auth_sessions' ? { ...values, login_id } : values])
      expect(await sweepRows(database.db, row, undefined, NOW)).toBe(0)
    }
  })

  test('deletes consent records, and counts of the previous release', async () => {
    const { db } = database
    const consent = (time: number) => ({
      id: randomUUID(),
      consent_id: randomUUID(),
      action: 'accept',
      categories: '[]',
      text_version: 1,
      tag_set_version: 'x',
      created_at: at(time),
    })
    const end = NOW - 1826 * DAY_MS
    await db
      .insertInto('consent_records')
      .values([...times(MANY, () => consent(end)), consent(end + 1)])
      .execute()
    const pixel_id = await insertPixel(db, { type: 'meta' })
    const result = (hours: number) => {
      const hour = at(NOW - 396 * DAY_MS - hours * HOUR_MS)
      return { pixel_id, hour, ran: 1, last_ran_at: hour }
    }
    await db
      .insertInto('tag_reports')
      .values([...times(MANY, result), { pixel_id, hour: ago(395), ran: 1 }])
      .execute()
    await sweepOlderCounts(db, KEPT, undefined, NOW)
    expect(await eraseRecords(db, KEPT, undefined, NOW)).toEqual({ consent_records: MANY })
    expect(await db.selectFrom('consent_records').select('created_at').execute()).toEqual([
      { created_at: at(end + 1) },
    ])
    expect(await db.selectFrom('tag_reports').select('hour').execute()).toEqual([
      { hour: ago(396) },
      { hour: ago(395) },
    ])
  })

  test('queues failed and waiting subscriptions again in steps', async () => {
    const { db } = database
    const subscription = (status: 'pending' | 'failed' | 'delivered', days: number) => ({
      id: randomUUID(),
      email: `${randomUUID()}@exemplo.com.br`,
      status,
      delivery_key: randomUUID(),
      attempts: 3,
      next_attempt_at: ago(days),
      created_at: ago(9),
    })
    await db
      .insertInto('newsletter_subscriptions')
      .values([
        ...times(MANY, () => subscription('failed', 1)),
        ...times(MANY, () => subscription('pending', -1)),
        subscription('pending', 1),
        subscription('delivered', 1),
      ])
      .execute()
    expect(await adoptSubscriptions(db, NOW)).toBe(MANY + 1)
    expect(await requeue(db, NOW)).toEqual({ failed: MANY, waiting: MANY })
    expect(await requeue(db, NOW)).toEqual({ failed: 0, waiting: 0 })
    const due = await db
      .selectFrom('newsletter_subscriptions')
      .innerJoin('deliveries', 'deliveries.subscription_id', 'newsletter_subscriptions.id')
      .select('deliveries.id')
      .where('status', '=', 'pending')
      .where('deliveries.next_attempt_at', '<=', ago(0))
      .execute()
    expect(due).toHaveLength(2 * MANY + 1)
  })
})

async function insertOwners({ db }: Database): Promise<Owners> {
  const [user_id, factor_id, token_id] = [randomUUID(), randomUUID(), randomUUID()]
  const pixel_id = await insertPixel(db, { type: 'meta' })
  const owners = { user_id, pixel_id, factor_id, token_id }
  const since = { created_at: at(NOW), updated_at: at(NOW) }
  await db
    .insertInto('auth_users')
    .values({ ...since, id: user_id, email: 'ana@exemplo.com.br', user_metadata: '{}', app_metadata: '{}' })
    .execute()
  await db
    .insertInto('auth_factors')
    .values({
      ...since,
      id: factor_id,
      user_id,
      friendly_name: '',
      factor_type: 'totp',
      status: 'verified',
      secret: '',
    })
    .execute()
  await db
    .insertInto('auth_one_time_tokens')
    .values({ ...oneTimeToken(owners), id: token_id, created_at: at(NOW), expires_at: at(NOW + HOUR_MS) })
    .execute()
  return owners
}

test('deletes files in DATA_DIR/outbox after 30 days, and no other files', async () => {
  const { dataDir, remove } = await makeStorage('sqlite')
  expect(await removeOldMailFiles(dataDir, undefined, NOW)).toEqual({ outbox: 0 })
  const outbox = join(dataDir, 'outbox')
  await mkdir(outbox)
  const ages = { 'old.eml': 30, 'young.eml': 29, 'notes.txt': 400 }
  for (const [name, days] of Object.entries(ages)) {
    await writeFile(join(outbox, name), '')
    await utimes(join(outbox, name), NOW / 1000, (NOW - days * DAY_MS) / 1000)
  }
  expect(await removeOldMailFiles(dataDir, undefined, NOW)).toEqual({ outbox: 1 })
  expect((await readdir(outbox)).sort()).toEqual(['notes.txt', 'young.eml'])
  await remove()
})

/** What modules delete by their own functions. */
const BY_FUNCTION: Record<string, readonly [where: string, kept: string]> = {
  'consent records': ['`consent_records`', '1826 days, `RETENTION_CONSENT_DAYS`; their hashes stay'],
  'expired conversions': ['`deliveries`', 'until no vendor takes them; each is counted'],
  'mails in DATA_DIR/outbox': ['`DATA_DIR/outbox`', '30 days'],
  'recipients that no consent record names': [
    '`consent_parties`',
    '30 days after they were last on the page',
  ],
  'counts of visits and conversions': [
    '`counts`',
    'minutes 1 day, hours at most 90 days, days 396 days, `RETENTION_REPORT_DAYS`; visits 761 days, `RETENTION_VISIT_DAYS`',
  ],
  'counts of the release before': [
    '`tag_reports`, `tag_evidence`, `tag_minutes`, `site_counts`, `delivery_counts`',
    'as long as that release keeps them; carried to `counts`',
  ],
}

test('docs/operate/retention.md lists every retention', async () => {
  const rows = retention(KEPT)
  const site = await startTestApp()
  const known = [...rows.map(({ what }) => what), ...Object.keys(BY_FUNCTION)]
  expect(site.app.sweeps.map(({ what }) => what).sort()).toEqual(known.sort())
  await site.close()
  const cells = rows.map((row) => [row.what, `\`${row.table}\``, describeTime(row)])
  const others = Object.entries(BY_FUNCTION).map(([what, [where, kept]]) => [what, where, kept])
  writeDocTable('docs/operate/retention.md', 'retention', [['what', 'where', 'kept'], ...cells, ...others])
})

function describeTime({ keepMs, setting, column }: Sweep): string {
  if (keepMs === 0) return `until \`${column}\``
  const time = keepMs % DAY_MS === 0 ? `${keepMs / DAY_MS} days` : `${keepMs / HOUR_MS} hours`
  return `${time.replace(/^1 days/, '1 day')} after \`${column}\`${setting === undefined ? '' : `, \`${setting}\``}`
}
