import { request } from 'undici'
import { afterEach, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { sumCounts } from '../stats/counts.ts'

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36'

let site: TestApp
afterEach(() => site.close())

async function totals(): Promise<Record<string, number>> {
  const rows = await sumCounts(site.database.db, { series: 'visit', resolution: 'day', from: 0 })
  return Object.fromEntries(
    rows.filter(({ key, count }) => count > 0 && key !== 'unresolved').map(({ key, count }) => [key, count]),
  )
}

/** `fetch` would say that no person opens the page. */
async function get(
  url: string,
  { method = 'GET', headers = {} }: { method?: 'GET' | 'HEAD'; headers?: object } = {},
) {
  const answer = await request(url, { method, headers: { 'user-agent': AGENT, ...headers } })
  await answer.body.dump()
  return answer.headers
}

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(site.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': AGENT, origin: site.url, ...headers },
    body: JSON.stringify(body),
  })

test('counts a GET of the page, a view without a request, and clicks of everybody', async () => {
  site = await startTestApp({ listen: true, env: { VISIT_COUNTS: 'on' } })
  const page = `${site.url}/?utm_source=google&utm_medium=cpc`
  const { etag } = await get(page)
  await get(page, { headers: { 'if-none-match': String(etag) } })
  await get(page, { method: 'HEAD' })
  await get(`${site.url}/robots.txt`)
  const campaign = { utm_source: 'google', utm_medium: 'cpc' }
  expect((await post('/api/views', {})).status).toBe(204)
  expect((await post('/api/clicks', { name: 'lead', campaign })).status).toBe(204)
  expect((await post('/api/clicks', { name: 'lead', campaign })).status).toBe(204)
  const referer = `${site.url}/?gclid=x&email=maria@exemplo.com.br`
  expect((await post('/api/clicks', { name: 'contact' }, { referer })).status).toBe(204)
  await vi.waitFor(
    async () =>
      expect(await totals()).toEqual({
        views: 3,
        visits: 1,
        visitors: 1,
        'click:lead': 2,
        'click:contact': 1,
      }),
    { timeout: 30_000 },
  )
  const sources = await sumCounts(site.database.db, { series: 'visit.source', resolution: 'day', from: 0 })
  expect(Object.fromEntries(sources.map(({ key, count }) => [key, count]))).toMatchObject({
    'visits ["paid_search","google","cpc","","","desktop"]': 1,
    'lead ["paid_search","google","cpc","","","desktop"]': 2,
    'contact ["paid_search","google","","","","desktop"]': 1,
  })
})

test('counts a view without a request under the page that calls', async () => {
  const env = { VISIT_COUNTS: 'on', SITE_CONTENT_FILE: 'src/server/demo/site.json' }
  site = await startTestApp({ listen: true, env })
  for (const path of ['/nichos/gaming?utm_source=ig', '/nichos/inventado', '/', null])
    expect((await post('/api/views', {}, path === null ? {} : { referer: site.url + path })).status).toBe(204)
  const pages = async () => {
    const rows = await sumCounts(site.database.db, { series: 'visit.page', resolution: 'day', from: 0 })
    return Object.fromEntries(rows.map(({ key, count }) => [key, count]))
  }
  await vi.waitFor(async () => expect(await pages()).toEqual({ '/nichos/gaming': 1, '/': 3 }), 30_000)
})

test('refuses calls of other sites, unknown names and identifiers', async () => {
  site = await startTestApp({ listen: true, env: { VISIT_COUNTS: 'on' } })
  expect((await post('/api/clicks', { name: 'lead' }, { origin: 'https://evil.example' })).status).toBe(403)
  expect((await post('/api/clicks', { name: 'sign_up' })).status).toBe(400)
  expect((await post('/api/clicks', { name: 'lead', campaign: { gclid: 'x' } })).status).toBe(400)
  expect((await post('/api/views', { id: 'x' })).status).toBe(400)
})

test('counts nothing with VISIT_COUNTS=off', async () => {
  site = await startTestApp({ listen: true, env: { VISIT_COUNTS: 'off' } })
  await get(site.url)
  expect((await post('/api/clicks', { name: 'lead' })).status).toBe(204)
  expect(
    await site.database.db.selectFrom('counts').selectAll().where('series', 'like', 'visit%').execute(),
  ).toEqual([])
  expect(await site.database.db.selectFrom('visit_secrets').selectAll().execute()).toEqual([])
})
