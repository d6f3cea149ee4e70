import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { makeStorage } from '#tests/support/engines.ts'
import { freePort } from '#tests/support/free-port.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { queuedEvent } from '#tests/support/queued-event.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { type Db, openDatabase } from '../db/database.ts'
import { Metrics } from './metrics.ts'

const TOKEN = 'um-segredo-bem-longo'

let site: TestApp | null = null
afterEach(async () => {
  await site?.close()
  site = null
})

async function read(url: string, token?: string): Promise<{ status: number; type: string; text: string }> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/metrics`, { headers })
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() }
}

/** The value of a line by name and labels. */
function valueIn(text: string, line: string): number {
  const found = text.split('\n').find((candidate) => candidate.startsWith(`${line} `))
  return Number(found?.slice(line.length + 1) ?? Number.NaN)
}

test('requires the token and reports what happened', async () => {
  const metrics = new Metrics()
  site = await startTestApp({ listen: true, env: { METRICS_TOKEN: TOKEN }, metrics })
  for (const token of [undefined, '', `${TOKEN}x`, TOKEN.slice(1), TOKEN.toUpperCase()]) {
    const refused = await read(site.url, token)
    expect(refused.status).toBe(401)
    expect(refused.text).not.toContain('portico_')
  }
  await waitSinceAnHour(site.database.db)
  for (let visit = 0; visit < 3; visit++) await fetch(site.url)
  const { etag = '' } = Object.fromEntries((await fetch(site.url)).headers)
  await fetch(site.url, { headers: { 'if-none-match': etag } })
  await fetch(`${site.url}/healthz`)
  const post = (path: string, body: object, headers = {}) =>
    fetch(`${site?.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  for (let call = 0; call < 12; call++) await post('/api/newsletter', { email: `a${call}@exemplo.com.br` })
  const apikey = /"anonKey":"([^"]+)"/.exec(await (await fetch(`${site.url}/admin`)).text())?.[1] ?? ''
  const signIn = (password: string) =>
    post('/auth/v1/token?grant_type=password', { email: PRINCIPAL.email, password }, { apikey })
  expect((await signIn(PRINCIPAL.password)).status).toBe(200)
  expect((await signIn('outra-senha-qualquer-9')).status).toBe(400)

  const { status, type, text } = await read(site.url, TOKEN)
  expect(status).toBe(200)
  expect(type).toMatch(/^text\/plain; version=0\.0\.4/)
  expect(valueIn(text, 'portico_memory_requests_total{status="200"}')).toBe(4)
  expect(valueIn(text, 'portico_memory_requests_total{status="304"}')).toBe(1)
  expect(valueIn(text, 'portico_requests_total{class="shared",status="200"}')).toBe(1)
  expect(valueIn(text, 'portico_request_duration_seconds_count{class="shared"}')).toBeGreaterThan(0)
  expect(valueIn(text, 'portico_refusals_total{limit="/api/newsletter"}')).toBe(2)
  expect(valueIn(text, 'portico_newsletter_queue{status="pending"}')).toBe(10)
  expect(valueIn(text, 'portico_newsletter_queue_age_seconds')).toBeGreaterThanOrEqual(0)
  expect(valueIn(text, 'portico_deliveries_waiting{kind="newsletter"}')).toBe(10)
  expect(valueIn(text, 'portico_deliveries_waiting{kind="mail"}')).toBe(0)
  expect(valueIn(text, 'portico_deliveries_waiting{kind="meta"}')).toBe(1)
  expect(valueIn(text, 'portico_deliveries_oldest_seconds{kind="meta"}')).toBeGreaterThan(3_500)
  expect(valueIn(text, 'portico_sign_ins_total{outcome="succeeded"}')).toBe(1)
  expect(valueIn(text, 'portico_sign_ins_total{outcome="failed"}')).toBe(1)
  expect(valueIn(text, 'process_resident_memory_bytes')).toBeGreaterThan(1e7)
  expect(valueIn(text, 'nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0)
  expect(text).toContain('portico_build_info{version="')
  for (const personal of ['exemplo.com.br', PRINCIPAL.email, '127.0.0.1', apikey])
    expect(text).not.toContain(personal)
})

/** An event of a pixel that is off. */
async function waitSinceAnHour(db: Db): Promise<void> {
  const at = new Date(Date.now() - 3_600_000).toISOString()
  const pixel_id = await insertPixel(db, { type: 'meta', is_active: false })
  await db.updateTable('tracking_pixels').set({ delivery: 'server' }).execute()
  await db.insertInto('deliveries').values(queuedEvent(pixel_id, at)).execute()
}

test('is on its own port only, if configured', async () => {
  const port = await freePort()
  site = await startTestApp({ listen: true, env: { METRICS_PORT: String(port) }, metrics: new Metrics() })
  const { status, text } = await read(`http://127.0.0.1:${port}`)
  expect(status).toBe(200)
  expect(text).toContain('portico_memory_requests_total')
  expect((await read(site.url)).status).toBe(404)
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
})

test('counts statements by kind, and failed ones', async () => {
  const metrics = new Metrics()
  const storage = await makeStorage('sqlite')
  const { db, close } = openDatabase({ ...storage, onStatement: metrics.onStatement })
  await sql`create table site_state (id integer)`.execute(db)
  await db.selectFrom('site_state').select('id').execute()
  await expect(
    db
      .selectFrom('nothing' as 'site_state')
      .select('id')
      .execute(),
  ).rejects.toThrow()
  await close()
  await storage.remove()
  const text = await metrics.text()
  expect(valueIn(text, 'portico_statement_duration_seconds_count{kind="select"}')).toBe(2)
  expect(valueIn(text, 'portico_statement_failures_total{kind="select"}')).toBe(1)
})

test('counts deliveries by kind and result', async () => {
  const metrics = new Metrics()
  metrics.countDelivery('newsletter', 'accepted')
  metrics.countDelivery('meta', 'accepted')
  metrics.countDelivery('meta', 'refused')
  expect(valueIn(await metrics.text(), 'portico_deliveries_total{kind="meta",outcome="accepted"}')).toBe(1)
})
