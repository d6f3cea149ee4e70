import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CAMPAIGN_MAX_LENGTH, CAMPAIGN_PARAMETERS } from '#contract/campaign.ts'
import { HOUR_MS } from '#contract/durations.ts'
import { recordAudit } from '#server/activity/trail.ts'
import { lockAccount } from '#server/auth/accounts/change-account.ts'
import { insertUser } from '#server/auth/accounts/users.ts'
import { openLogin, openSession, passwordAmr } from '#server/auth/sessions/issue.ts'
import { appendLeaves } from '#server/consent/checkpoints.ts'
import type { Database, Db } from '#server/db/database.ts'
import {
  HOURLY_CEILINGS,
  KEPT_PER_ACCOUNT,
  METADATA_BYTES,
  PUBLIC_CALLS,
  SIGN_INS,
} from '#server/http/limits/limits.ts'
import { queueSubscriptions } from '#server/newsletter/subscribe.ts'
import { insertEvents } from '#server/outbox/enqueue.ts'
import { readDocRow, writeDocRow } from '../support/doc-table.ts'
import { makeDatabase } from '../support/engines.ts'
import { insertPixel } from '../support/insert-pixel.ts'

const ROWS = 10_000
/** Large rows: as many as fill as many pages. */
const SIGN_UPS = 1_000
const BATCH = 500
const AT = '2026-11-15T12:00:00.000Z'
const LABEL = 'a'.repeat(60)

let database: Database
beforeAll(async () => {
  database = await makeDatabase('sqlite')
})
afterAll(() => database.close())

/** Rows of the maximum accepted length. */
const FILL: Record<string, (db: Db, numbers: number[]) => Promise<unknown>> = {
  newsletter: async (db, numbers) => {
    const subscriptions = numbers.map((n) => ({
      id: randomUUID(),
      email: `${String(n).padStart(64, 'a')}@${LABEL}.${LABEL}.${LABEL}.com`,
      status: 'pending' as const,
      delivery_key: randomUUID(),
      next_attempt_at: AT,
      created_at: AT,
    }))
    await db.insertInto('newsletter_subscriptions').values(subscriptions).execute()
    await queueSubscriptions(db, subscriptions, Date.parse(AT))
  },
  event: async (db, numbers) => {
    const campaign = Object.fromEntries(
      CAMPAIGN_PARAMETERS.map((name) => [name, 'c'.repeat(CAMPAIGN_MAX_LENGTH)]),
    )
    const payload = {
      at: Date.parse(AT),
      path: `/${'p'.repeat(200)}`,
      title: 't'.repeat(300),
      campaign,
      address: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
      agent: 'a'.repeat(500),
      marketing: true,
      visitor: randomUUID(),
      fbp: 'fb.2.1794737900000.1116446470',
      fbc: `fb.2.1794737900000.${'c'.repeat(CAMPAIGN_MAX_LENGTH)}`,
    }
    const [pixel] = await db.selectFrom('tracking_pixels').select('id').execute()
    const pixelId = pixel?.id ?? (await insertPixel(db, { type: 'meta' }))
    await insertEvents(
      db,
      numbers.map(() => ({
        id: randomUUID(),
        kind: 'meta',
        pixel_id: pixelId,
        event_id: randomUUID(),
        event: 'page_view',
        consent_id: randomUUID(),
        category: 'marketing',
        payload: JSON.stringify(payload),
        email_hash: null,
        next_attempt_at: AT,
        created_at: AT,
        expires_at: AT,
      })),
    )
  },
  /** With the leaf of a checkpoint, which outlives the record. */
  consent: async (db, numbers) => {
    await db
      .insertInto('consent_records')
      .values(
        numbers.map(() => ({
          id: randomUUID(),
          consent_id: randomUUID(),
          action: 'accept_all',
          categories: JSON.stringify(['desempenho', 'funcionalidade', 'marketing']),
          text_version: 1,
          tag_set_version: 'v'.repeat(64),
          created_at: AT,
          schema_version: 1,
          notice_hash: 'a'.repeat(64),
          parties_hash: null,
          retention_days: 1826,
        })),
      )
      .execute()
    expect(await appendLeaves(db, numbers.length)).toBe(numbers.length)
  },
  /** The account, its audit events, and its first session in a browser. */
  signup: (db, numbers) =>
    db.transaction().execute(async (trx) => {
      for (const n of numbers) await storeSignUp(trx, n)
    }),
  'sign-in': (db, numbers) =>
    db.transaction().execute(async (trx) => {
      for (const _ of numbers) {
        const id = randomUUID()
        const actor = `${'b'.repeat(64)}@${LABEL}.${LABEL}.${LABEL}.com`
        await recordAudit(trx, { actor_id: id, actor, action: 'auth.signed_in', subject: id })
      }
    }),
  limits: (db, numbers) =>
    db
      .insertInto('rate_windows')
      .values(
        numbers.map((n) => ({
          key: `tag-report:address:2001:db8:ffff:${n.toString(16)}::/64`,
          count: 60,
          expires_at: AT,
        })),
      )
      .execute(),
  hosts: (db, numbers) =>
    db
      .insertInto('blocked_hosts')
      .values(
        numbers.map((n) => ({
          id: randomUUID(),
          pixel_id: null,
          host: `${n}.${LABEL}.${LABEL}.${LABEL}.${LABEL}`.slice(0, 253),
          first_seen_at: AT,
          last_seen_at: AT,
        })),
      )
      .execute(),
}

async function storeSignUp(trx: Db, n: number): Promise<void> {
  const overhead = JSON.stringify({ note: '' }).length
  const user = await insertUser(trx, {
    email: `${String(n).padStart(64, 'a')}@${LABEL}.${LABEL}.${LABEL}.com`,
    passwordHash: 'h'.repeat(97),
    confirmed: true,
    isStranger: true,
    userMetadata: { note: 'x'.repeat(METADATA_BYTES - overhead) },
  })
  if (user === null) throw new Error('no account')
  const { id, email } = user
  const audit = { actor_id: id, actor: email, subject: id }
  await recordAudit(trx, { ...audit, action: 'user.signed_up', after: { email } })
  const session = {
    aal: 'aal1',
    userAgent: 'a'.repeat(300),
    network: '2001:db8:ffff::/48',
  } as const
  const account = await lockAccount(trx, { userId: id })
  const { loginId } = await openLogin(account, session)
  await openSession({ refreshSecret: 'segredo' }, account, { ...session, loginId, amr: passwordAmr() })
  await recordAudit(trx, { ...audit, action: 'auth.signed_in' })
}

const REPORT = 'docs/reports/attacks.md'

async function fileBytes(): Promise<number> {
  const { rows } = await sql<{
    bytes: number
  }>`select page_count * page_size as bytes from pragma_page_count, pragma_page_size`.execute(database.db)
  return Number(rows[0]?.bytes)
}

/** Random ids split the pages differently in each run: within a tenth of the documented figure, that one is taken. */
async function bytesPerRow(what: string, row: string, rows = ROWS): Promise<number> {
  const before = await fileBytes()
  for (let from = 0; from < rows; from += BATCH)
    await FILL[what]?.(
      database.db,
      Array.from({ length: BATCH }, (_, n) => from + n),
    )
  const measured = Math.ceil(((await fileBytes()) - before) / rows / 50) * 50
  const documented = Number(readDocRow(REPORT, 'growth', row)?.[1])
  return Math.abs(measured - documented) <= documented / 10 ? documented : measured
}

const inAnHour = ({ max, windowMs }: { max: number; windowMs: number }) => (max * HOUR_MS) / windowMs
const show = (rows: number, bytes: number) =>
  `${rows.toLocaleString('en')} rows, ${((rows * bytes) / 1e6).toFixed(1)} MB`

test.each([
  ['newsletter subscriptions', 'newsletter'],
  ['consent records', 'consent'],
] as const)('how much strangers can make %s grow in an hour', async (name, call) => {
  const bytes = await bytesPerRow(call, name)
  const { perAddress, perNetwork } = PUBLIC_CALLS[call]
  const grows = [perAddress, perNetwork, HOURLY_CEILINGS[call]].map((limit) => inAnHour(limit))
  expect(Math.max(...grows) * bytes).toBeLessThan(40e6)
  const [address, network, everybody] = grows.map((rows) => show(rows, bytes))
  writeDocRow(REPORT, 'growth', [name, String(bytes), address ?? '', network ?? '', everybody ?? ''])
})

test('how much strangers can make the queue of events grow', async () => {
  const row = 'waiting events, per pixel that the server sends for; deleted when sent or after a week'
  const bytes = await bytesPerRow('event', row)
  const { perAddress, perNetwork } = PUBLIC_CALLS.event
  const [address, network, everybody] = [perAddress, perNetwork, HOURLY_CEILINGS.event].map((limit) =>
    show(inAnHour(limit), bytes),
  )
  expect(bytes).toBeLessThan(6_000)
  writeDocRow(REPORT, 'growth', [row, String(bytes), address ?? '', network ?? '', everybody ?? ''])
})

test('how much strangers can make accounts grow, while sign-up is open', async () => {
  const row = 'sign-ups, where an operator opens them, with all the metadata that is taken'
  const bytes = await bytesPerRow('signup', row, SIGN_UPS)
  const { signup, otp } = PUBLIC_CALLS
  // Both create accounts, each with its own limit.
  const grows = [
    inAnHour(signup.perAddress) + inAnHour(otp.perAddress),
    inAnHour(signup.perNetwork) + inAnHour(otp.perNetwork),
    inAnHour(HOURLY_CEILINGS.signup),
  ]
  expect(Math.max(...grows)).toBe(grows[2])
  expect(Math.max(...grows) * bytes).toBeLessThan(100e6)
  const [address, network, everybody] = grows.map((rows) => show(rows, bytes))
  writeDocRow(REPORT, 'growth', [row, String(bytes), address ?? '', network ?? '', everybody ?? ''])
})

test('how much one account can make the audit trail grow', async () => {
  const row = `sign-ins of one account: lines of the audit trail; ${KEPT_PER_ACCOUNT.sessions} sessions and ${KEPT_PER_ACCOUNT.logins} browsers are kept`
  const bytes = await bytesPerRow('sign-in', row)
  const [address, everywhere] = [SIGN_INS.own, SIGN_INS.account].map((limit) => show(inAnHour(limit), bytes))
  writeDocRow(REPORT, 'growth', [row, String(bytes), address ?? '', everywhere ?? '', 'for each account'])
})

test('how much strangers can make the rest grow', async () => {
  const limitRow = 'rows of limits, swept when their window is over'
  const hostRow = 'blocked hosts, fifty for each tag and fifty of unknown ones at most'
  const [limits, hosts] = [await bytesPerRow('limits', limitRow), await bytesPerRow('hosts', hostRow)]
  const calls = Object.values(PUBLIC_CALLS)
  const blocks = calls.reduce((sum, { perNetwork }) => sum + inAnHour(perNetwork), 0)
  writeDocRow(REPORT, 'growth', [
    limitRow,
    String(limits),
    show(calls.length, limits),
    show(blocks + calls.length, limits),
    'as many as there are callers',
  ])
  const names = inAnHour(HOURLY_CEILINGS['blocked-host'])
  writeDocRow(REPORT, 'growth', [
    hostRow,
    String(hosts),
    show(names, hosts),
    show(names, hosts),
    show(names, hosts),
  ])
})
