import { afterAll, beforeAll, expect, test } from 'vitest'
import { PRINCIPAL, startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { recordAudit } from '../activity/trail.ts'
import { parseConfig } from '../config.ts'
import { describeSetup, findProductionGaps } from './production-gaps.ts'

const NOW = Date.UTC(2026, 10, 18)
const codes = (env: Record<string, string>, now = NOW) =>
  findProductionGaps(parseConfig(env), now).map(({ code }) => code)
const WHOLE = {
  SITE_URL: 'https://www.exemplo.com.br',
  ADMIN_URL: 'https://painel.exemplo.com.br',
  SMTP_URL: 'smtp://mail:587',
  TRUST_PROXY: 'loopback',
  BACKUP_EVERY: '24h',
}

test('reports nothing for a local or a complete installation', () => {
  expect(codes({})).toEqual([])
  expect(codes({ SITE_URL: 'http://127.0.0.1:3000' })).toEqual([])
  expect(codes(WHOLE)).toEqual([])
})

test.each([
  [{ SITE_URL: 'http://www.exemplo.com.br' }, ['plain_http']],
  [{ ADMIN_URL: '' }, ['no_admin_url']],
  [{ SMTP_URL: '' }, ['no_smtp_url']],
  [{ TRUST_PROXY: '' }, ['no_trust_proxy']],
  [{ BACKUP_EVERY: '' }, ['no_backups']],
  [{ DESTINATION_APIS: 'linkedin=202610,meta=v27.0' }, []],
  [{ DESTINATION_APIS: 'linkedn=202610' }, ['unknown_destination']],
  [{ DESTINATION_APIS: 'linkedin=202511' }, ['api_version_ends']],
])('%j: %j', (changed, missing) => {
  expect(codes({ ...WHOLE, ...changed })).toEqual(missing)
})

test.each([
  ['2027-07-15T00:00:00Z', undefined],
  ['2027-07-17T00:00:00Z', 'será encerrada em menos de 30 dias'],
  ['2027-08-16T00:00:00Z', 'já foi encerrada'],
])('on %s the version of LinkedIn that is built in: %s', (at, words) => {
  const gaps = findProductionGaps(parseConfig(WHOLE), Date.parse(at))
  expect(gaps.map(({ message }) => message)).toEqual(
    words === undefined ? [] : [expect.stringContaining(`A versão 202608 da API do LinkedIn ${words}`)],
  )
})

test.each([
  [{}, { mail: false, https: false, data_contact: false }],
  [WHOLE, { mail: true, https: true, data_contact: false }],
  [{ COMPANY_LEGAL_NAME: 'Exemplo Ltda.' }, { data_contact: false }],
  [{ COMPANY_LEGAL_NAME: 'Exemplo Ltda.', DPO_EMAIL: 'dados@exemplo.com.br' }, { data_contact: true }],
])('the steps of %j that only an operator can take: %j', (env, steps) => {
  expect(describeSetup(parseConfig(env))).toMatchObject(steps)
})

let site: TestApp
beforeAll(async () => {
  site = await startTestApp({ env: { SITE_URL: 'http://www.exemplo.com.br', SMTP_URL: 'smtp://mail' } })
})
afterAll(() => site.close())

const HOST = { host: 'www.exemplo.com.br' }
const ask = (headers: Record<string, string> = {}) =>
  site.app.inject({ url: '/admin/api/notices', headers: { ...HOST, ...headers } })
const confirm = (headers: Record<string, string> = {}) =>
  site.app.inject({ method: 'POST', url: '/admin/api/clock/confirm', headers: { ...HOST, ...headers } })

async function anonKey(): Promise<string> {
  const page = await site.app.inject({ url: '/admin', headers: HOST })
  return /"anonKey":"([^"]+)"/.exec(page.body)?.[1] ?? ''
}

async function signIn(): Promise<Record<string, string>> {
  const apikey = await anonKey()
  const session = await site.app.inject({
    method: 'POST',
    url: '/auth/v1/token?grant_type=password',
    headers: { apikey, ...HOST },
    payload: PRINCIPAL,
  })
  return { apikey, authorization: `Bearer ${session.json().access_token}` }
}

test('is for administrators only', async () => {
  for (const headers of [{}, { apikey: await anonKey() }]) {
    const guest = await ask(headers)
    expect(guest.statusCode).toBe(401)
    expect(guest.body).not.toContain('SITE_URL')
    expect((await confirm(headers)).statusCode).toBe(401)
  }
  const answer = await ask(await signIn())
  expect(answer.statusCode).toBe(200)
  expect(answer.json().gaps.map(({ code }: { code: string }) => code)).toEqual([
    'plain_http',
    'no_admin_url',
    'no_backups',
  ])
  expect(answer.json().problems).toEqual([])
})

test('reports a clock jump until an administrator confirms it, which is audited', async () => {
  const { db } = site.database
  await db.updateTable('site_state').set({ clock_seen_at: '2020-01-01T00:00:00.000Z' }).execute()
  const headers = await signIn()
  expect((await ask(headers)).json().problems).toEqual([
    { code: 'clock_jumped', message: expect.stringContaining('adiantado em relação') },
  ])
  expect((await confirm(headers)).statusCode).toBe(204)
  expect((await ask(headers)).json().problems).toEqual([])
  const { actor } = await db
    .selectFrom('audit_events')
    .select('actor')
    .where('action', '=', 'clock.confirmed')
    .executeTakeFirstOrThrow()
  expect(actor).toBe(PRINCIPAL.email)
})

test('knows which first steps are done, for each person', async () => {
  const { db } = site.database
  const headers = await signIn()
  const steps = async () => (await ask(headers)).json().first_steps
  expect(await steps()).toEqual({
    tested: false,
    second_factor: false,
    mail: true,
    https: false,
    data_contact: false,
    hidden: false,
  })
  await recordAudit(db, { actor_id: null, actor: 'x', action: 'tags.test' })
  const hide = await site.app.inject({
    method: 'PUT',
    url: '/auth/v1/user',
    headers: { ...HOST, ...headers },
    payload: { data: { hides_first_steps: true } },
  })
  expect(hide.statusCode).toBe(200)
  expect(await steps()).toMatchObject({ tested: true, hidden: true })
})

test('offers another password while the program made it, unless the person keeps it', async () => {
  const { db } = site.database
  const headers = await signIn()
  const isOffered = async () => (await ask(headers)).json().offers_password
  expect(await isOffered()).toBe(false)
  const marked = JSON.stringify({ provider: 'email', providers: ['email'], generated_password: true })
  await db.updateTable('auth_users').set({ app_metadata: marked }).execute()
  expect(await isOffered()).toBe(true)
  await site.app.inject({
    method: 'PUT',
    url: '/auth/v1/user',
    headers: { ...HOST, ...headers },
    payload: { data: { keeps_generated_password: true } },
  })
  expect(await isOffered()).toBe(false)
})
