import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appRoutes } from '../support/app-routes.ts'
import { dashboardRequests } from '../support/dashboard-requests.ts'
import { TIER_ENGINES } from '../support/engines.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { findScans, LARGE_TABLES, statementsOn } from '../support/sent-statements.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { type AuthCall, call } from './auth-http.ts'
import { readKeys } from './auth-keys.ts'

const NOT_REACHED = [
  'consent_tree_nodes',
  'delivery_counts',
  'site_counts',
  'tag_evidence',
  'tag_reports',
  'visit_keys_even',
  'visit_keys_odd',
]

/** Valid calls with filters that change the statement, and bodies that reach the database. */
function calls(pixelId: string): AuthCall[] {
  const consent = { id: randomUUID(), action: 'save', categories: ['desempenho'], text_version: 1 }
  const code = '0B6E1C9A-8A53'
  const days = 'from=2026-08-20&to=2026-11-17'
  const get = (path: string): AuthCall => ({ path })
  const post = (path: string, body: object): AuthCall => ({ method: 'POST', path, body })
  const patch = (body: object): AuthCall => ({
    method: 'PATCH',
    path: `/rest/v1/tracking_pixels?id=eq.${pixelId}`,
    body,
  })
  const rows = { pixel: pixelId, before: '2026-11-15T10:00:00.000Z', event: pixelId }
  return [
    ...dashboardRequests(rows).map(([, path]) => get(path)),
    get('/admin/api/activity?by=a@b.co&search=x'),
    get(`/admin/api/consent/records?code=${code}`),
    get(`/admin/api/consent/export?${days}`),
    get(`/admin/api/consent/dossier?${days}`),
    get('/.well-known/portico-seals?before=5'),
    post('/api/newsletter', { email: 'ana@exemplo.com.br' }),
    post('/api/consent', { ...consent, tag_set_version: 'abc' }),
    post('/api/tags/report', { results: [] }),
    post('/api/events', { id: randomUUID(), name: 'lead', path: '/' }),
    post('/auth/v1/token?grant_type=password', PRINCIPAL),
    post('/auth/v1/token?grant_type=refresh_token', { refresh_token: 'unknown-token' }),
    post('/auth/v1/recover', { email: PRINCIPAL.email }),
    post('/auth/v1/otp', { email: PRINCIPAL.email, create_user: false }),
    post('/auth/v1/verify', { type: 'recovery', token_hash: 'unknown' }),
    post('/admin/api/subscriptions/erase', { email: 'ana@exemplo.com.br' }),
    post('/rest/v1/tracking_pixels', { name: 'Novo', type: 'meta', pixel_id: '123456789012345' }),
    patch({ name: 'Outro' }),
    patch({ is_active: true }),
    patch({ is_active: false }),
  ]
}

describe.each(TIER_ENGINES)('every route on %s', (engine) => {
  let site: TestApp
  let everyCall: AuthCall[]
  beforeAll(async () => {
    site = await startTestApp({
      engine,
      env: { AUTH_SIGNUP: 'open', METRICS_TOKEN: 'metrics-token-0123456789' },
    })
    const { service } = await readKeys(site)
    const pixelId = await insertPixel(site.database.db, { type: 'meta', is_active: false })
    const session = await call(site, {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: service,
      body: PRINCIPAL,
    })
    const bearer = session.body.access_token as string
    const person = { apikey: service, bearer }
    const routes = appRoutes(site.app, pixelId)
      .filter(({ method, path }) => method !== 'OPTIONS' && method !== 'HEAD' && !path.endsWith('/logout'))
      .map(({ method, path }) => ({
        method: method as 'GET',
        path,
        ...(method === 'GET' ? {} : { body: {} }),
      }))
    const outcomes = '/admin/api/outcomes'
    const declared = { name: 'primeira_venda', label: 'Primeira venda' }
    await call(site, { method: 'POST', path: `${outcomes}/names`, ...person, body: declared })
    const made = { method: 'POST', path: `${outcomes}/keys`, body: { name: 'Teste', mode: 'test' } } as const
    const { key } = (await call(site, { ...made, ...person })).body
    everyCall = [...calls(pixelId), ...routes].map((each) => ({ ...person, ...each }))
    const factor = await call(site, {
      method: 'POST',
      path: '/auth/v1/factors',
      ...person,
      body: { factor_type: 'totp', friendly_name: 'Celular' },
    })
    const challenge = `/auth/v1/factors/${factor.body.id}/challenge`
    everyCall.unshift({ method: 'POST', path: challenge, ...person, body: {} })
    const sale = { name: 'primeira_venda', id: 'pedido-1', value: 1, currency: 'BRL' }
    everyCall.push({ method: 'POST', path: '/api/outcomes', bearer: key, body: [sale, sale] })
    everyCall.push({ method: 'POST', path: '/api/outcomes', bearer: key, body: sale })
    everyCall.push({ path: '/metrics', bearer: 'metrics-token-0123456789' })
    everyCall.push({ method: 'POST', path: '/auth/v1/logout', ...person, body: {} })
  })
  afterAll(() => site.close())

  test('reads no large table from end to end', async () => {
    const statements = []
    for (const each of everyCall) {
      statements.push(...(await statementsOn(site.storage, () => call(site, each))))
      await site.forgetLimits()
    }
    const texts = statements.map(({ sql }) => sql).join('\n')
    // Checkpoints read the tree (`large-tables.test.ts`), visits are stored later, and older processes wrote the others.
    expect([...LARGE_TABLES].filter((table) => !texts.includes(`"${table}"`))).toEqual(NOT_REACHED)
    expect(await findScans(site.storage, statements)).toEqual([])
  })

  test('and a statement that did would be found', async () => {
    const { db } = site.database
    const byValue = db.selectFrom('audit_events as event').selectAll().where('event.before', 'is not', null)
    const statements = await statementsOn(site.storage, () => byValue.execute())
    expect(await findScans(site.storage, statements)).toHaveLength(1)
  })
})
