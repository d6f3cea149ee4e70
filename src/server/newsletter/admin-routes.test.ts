import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Subscription, SubscriptionPage } from '#contract/newsletter.ts'
import { registerAdminApiPart } from '#tests/support/admin-api.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { registerErrors } from '../http/errors.ts'
import type { Caller } from '../http/security/administrators.ts'
import { registerSubscriptions } from './admin-routes.ts'

const ADMIN: Caller = {
  kind: 'user',
  userId: '00000000-0000-4000-8000-000000000001',
  email: 'marina@exemplo.com.br',
  sessionId: '00000000-0000-4000-8000-0000000000aa',
  role: 'admin',
  aal: 'aal1',
  needsSecondFactor: false,
}

describe.each(ENGINES)('subscriptions in the dashboard, on %s', (engine) => {
  let database: TestDatabase
  let app: FastifyInstance
  let caller: Caller
  let woken = 0
  beforeAll(async () => {
    database = await makeDatabase(engine)
    app = Fastify()
    registerErrors(app, { 404: '', 500: '' }, () => 'service')
    await registerAdminApiPart(app, {
      caller: () => caller,
      register: (scope) =>
        registerSubscriptions(scope, { db: database.db, delivers: true, onRequeued: () => woken++ }),
    })
  })
  afterAll(async () => {
    await app.close()
    await database.close()
  })
  beforeEach(async () => {
    caller = ADMIN
    woken = 0
    await database.db.deleteFrom('newsletter_subscriptions').execute()
    await database.db.deleteFrom('audit_events').execute()
  })

  const insert = async (emails: readonly string[], change: Partial<Subscription> = {}) => {
    const rows = emails.map((email, index) => ({
      id: randomUUID(),
      email,
      status: 'delivered' as const,
      delivery_key: randomUUID(),
      attempts: 1,
      next_attempt_at: '2026-11-15T12:00:00.000Z',
      // Three per second, so that pages end within one.
      created_at: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 3) * 1000).toISOString(),
      ...change,
    }))
    for (let from = 0; from < rows.length; from += 500)
      await database.db
        .insertInto('newsletter_subscriptions')
        .values(rows.slice(from, from + 500))
        .execute()
    return rows
  }
  const get = (query = '') => app.inject({ url: `/admin/api/subscriptions${query}` })
  const list = async (query = '') => (await get(query)).json<SubscriptionPage>()
  const post = (what: string, payload: object = {}) =>
    app.inject({ method: 'POST', url: `/admin/api/subscriptions/${what}`, payload })
  const stored = () =>
    database.db.selectFrom('newsletter_subscriptions').select(['email', 'status', 'attempts']).execute()
  const trail = () => database.db.selectFrom('audit_events').selectAll().execute()

  test('are for administrators', async () => {
    const calls = () => [get(), get('/export'), post('retry'), post('erase', { email: 'ana@exemplo.com.br' })]
    await insert(['ana@exemplo.com.br'])
    for (const [who, status] of [
      [{ kind: 'guest' }, 401],
      [{ kind: 'anon' }, 401],
      [{ ...ADMIN, role: null }, 403],
      [{ ...ADMIN, needsSecondFactor: true }, 403],
    ] as [Caller, number][]) {
      caller = who
      for (const answer of await Promise.all(calls())) {
        expect(answer.statusCode).toBe(status)
        expect(answer.body).not.toContain('ana@')
      }
    }
    expect(await stored()).toHaveLength(1)
    expect(await trail()).toEqual([])
  })

  test('are listed newest first, each once, page by page', async () => {
    const rows = await insert(Array.from({ length: 121 }, (_, n) => `pessoa${n}@exemplo.com.br`))
    const seen: string[] = []
    let next: string | null = null
    let pages = 0
    do {
      const page: SubscriptionPage = await list(next === null ? '' : `?before=${encodeURIComponent(next)}`)
      expect(page.counts).toEqual(pages === 0 ? { pending: 0, delivered: 121, failed: 0 } : undefined)
      seen.push(...page.subscriptions.map(({ id }) => id))
      next = page.next
      pages++
    } while (next !== null)
    expect(pages).toBe(3)
    const sorted = rows.toSorted((a, b) => (`${a.created_at}${a.id}` < `${b.created_at}${b.id}` ? 1 : -1))
    expect(seen).toEqual(sorted.map(({ id }) => id))
    expect((await get('?before=ontem')).statusCode).toBe(400)
    expect((await get(`?before=2026-11-15T12:00:00.000Z_${'-'.repeat(36)}`)).statusCode).toBe(400)
    expect((await get('?status=novo')).statusCode).toBe(400)
    expect((await get('?search=a%00b')).statusCode).toBe(400)
  })

  test('are found by part of the address and by state', async () => {
    await insert(['ana@loja.com.br', 'bia_100%@loja.com.br', 'caio@outra.com.br'])
    await insert(['duda@loja.com.br'], { status: 'failed', last_error: 'HTTP 500', attempts: 12 })
    const emails = async (query: string) => (await list(query)).subscriptions.map(({ email }) => email).sort()
    expect(await emails('?search=LOJA')).toEqual([
      'ana@loja.com.br',
      'bia_100%@loja.com.br',
      'duda@loja.com.br',
    ])
    expect(await emails('?search=100%25')).toEqual(['bia_100%@loja.com.br'])
    expect(await emails('?search=%25')).toEqual(['bia_100%@loja.com.br'])
    expect(await emails('?search=_')).toEqual(['bia_100%@loja.com.br'])
    expect(await emails('?status=failed')).toEqual(['duda@loja.com.br'])
    expect(await emails('?status=failed&search=ana')).toEqual([])
    expect((await list('?status=failed')).subscriptions[0]).toMatchObject({
      last_error: 'HTTP 500',
      attempts: 12,
    })
  })

  test('are exported as CSV, and the download is audited', async () => {
    await insert(['ana@exemplo.com.br', 'bia@exemplo.com.br'])
    const answer = await get('/export')
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('no-store')
    const lines = answer.body.trimEnd().split('\r\n')
    expect(lines).toHaveLength(3)
    expect(lines[1]).toMatch(/^"ana@exemplo\.com\.br","entregue"/)
    expect(await trail()).toMatchObject([{ action: 'newsletter.export', actor: ADMIN.email }])
  })

  test('are retried, one or all, and delivered ones stay delivered', async () => {
    const [failed, other] = await insert(['ana@exemplo.com.br', 'bia@exemplo.com.br'], {
      status: 'failed',
      attempts: 12,
    })
    const [done] = await insert(['caio@exemplo.com.br'])
    expect((await post('retry', { id: failed?.id })).statusCode).toBe(204)
    expect((await list('?status=pending')).subscriptions).toMatchObject([
      { email: 'ana@exemplo.com.br', attempts: 0 },
    ])
    expect((await post('retry', { id: done?.id })).statusCode).toBe(404)
    expect((await post('retry', { id: 'x' })).statusCode).toBe(400)
    expect(woken).toBe(1)
    expect((await post('retry')).statusCode).toBe(204)
    expect((await list('?status=pending')).subscriptions.map(({ id }) => id).sort()).toEqual(
      [failed?.id, other?.id].sort(),
    )
    expect(await stored()).toContainEqual({ email: 'bia@exemplo.com.br', status: 'pending', attempts: 0 })
    expect(woken).toBe(2)
    expect((await trail()).map(({ action }) => action)).toEqual(['newsletter.retry', 'newsletter.retry'])
  })

  test('are erased by address, and the audit trail names the administrator, not the address', async () => {
    await insert(['ana@exemplo.com.br'])
    await insert(['bia@exemplo.com.br'], { status: 'pending', attempts: 0 })
    expect((await post('erase', { email: ' ANA@exemplo.com.br ' })).json()).toEqual({ was_delivered: true })
    expect((await post('erase', { email: 'bia@exemplo.com.br' })).json()).toEqual({ was_delivered: false })
    for (const email of ['ana@exemplo.com.br', 'nada']) {
      const again = await post('erase', { email })
      expect(again.statusCode).toBe(404)
      expect(again.json()).toMatchObject({ message: 'Nenhuma inscrição com este e-mail.' })
    }
    expect(await stored()).toEqual([])
    const events = await trail()
    expect(events).toMatchObject([
      { action: 'newsletter.erase', actor: ADMIN.email, actor_id: ADMIN.userId },
      { action: 'newsletter.erase' },
    ])
    expect(JSON.stringify(events)).not.toMatch(/ana@|bia@/)
  })
})
