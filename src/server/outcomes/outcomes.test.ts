import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { OptionalCategory } from '#contract/consent.ts'
import { CONSENT_COOKIE, CONSENT_TEXT_VERSION, formatConsent } from '#contract/consent-choice.ts'
import type { CreatedOutcomeKey, OutcomeReport, OutcomeResult } from '#contract/outcomes.ts'
import { type AuthKeys, readKeys } from '#tests/acceptance/auth-keys.ts'
import { ENGINES, type EngineName } from '#tests/support/engines.ts'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { readEvents } from '../activity/events.ts'
import { OUTCOME_RATE, PUBLIC_CALLS } from '../http/limits/limits.ts'
import { hashOpaqueToken } from '../secrets/tokens.ts'

/** Calls of one site: as an administrator's program, and as the customer's server. */
function callsOf(site: TestApp, { service }: AuthKeys) {
  const admin = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) => {
    const answer = await site.app.inject({
      method,
      url: `/admin/api/outcomes${path}`,
      headers: { apikey: service, authorization: `Bearer ${service}` },
      ...(payload === undefined ? {} : { payload }),
    })
    return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() }
  }
  const send = async (key: string, payload: unknown, headers: Record<string, string> = {}) => {
    const answer = await site.app.inject({
      method: 'POST',
      url: '/api/outcomes',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    })
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
  }
  return {
    admin,
    send,
    statuses: async (key: string, payload: unknown) =>
      (await send(key, payload)).body.results.map(({ status, code }: OutcomeResult) => code ?? status),
    makeKey: async (mode: 'live' | 'test' = 'live'): Promise<CreatedOutcomeKey> =>
      (await admin('POST', '/keys', { name: `Chave ${randomUUID()}`, mode })).body,
    declare: async (...names: string[]) => {
      for (const name of names) await admin('POST', '/names', { name, label: name })
    },
    report: async (query = ''): Promise<OutcomeReport> => (await admin('GET', query)).body,
  }
}

async function forget(site: TestApp): Promise<void> {
  await site.forgetLimits()
  for (const table of ['outcomes', 'outcome_values', 'outcome_keys', 'outcome_names', 'counts'] as const)
    await site.database.db.deleteFrom(table).execute()
  await site.database.db.deleteFrom('outcome_test_calls').execute()
}

const sale = (id: string, change: object = {}) => ({
  name: 'primeira_venda',
  id,
  value: '189.90',
  currency: 'BRL',
  ...change,
})

describe.each(ENGINES)('outcomes, on %s', (engine: EngineName) => {
  let site: TestApp
  let on: ReturnType<typeof callsOf>
  let key: string
  beforeAll(async () => {
    site = await startTestApp({ engine })
    on = callsOf(site, await readKeys(site))
  })
  afterAll(() => site.close())
  beforeEach(async () => {
    await forget(site)
    await on.declare('primeira_venda', 'conta_aprovada')
    key = (await on.makeKey()).key
  })

  test('ties an outcome to a visit whose visitor agreed, until the consent is withdrawn', async () => {
    const visit = `v_${randomUUID().replaceAll('-', '')}`
    const id = randomUUID()
    const choose = (granted: OptionalCategory[], url: string, payload: object) =>
      site.app.inject({
        method: 'POST',
        url,
        payload,
        headers: {
          origin: site.config.siteUrl,
          cookie: `${CONSENT_COOKIE}=${formatConsent({ textVersion: CONSENT_TEXT_VERSION, granted, asked: [], id })}`,
        },
      })
    await choose(['marketing'], '/api/visits', { code: visit })
    expect(await on.statuses(key, sale('a', { visit }))).toEqual(['accepted'])
    const record = { id, action: 'revoke', categories: [], text_version: CONSENT_TEXT_VERSION }
    await choose([], '/api/consent', { ...record, tag_set_version: 'abc' })
    expect(await on.statuses(key, sale('b', { visit }))).toEqual(['no_visit'])
    const { totals } = await on.report()
    expect(totals).toMatchObject({ count: 2, tied: 1 })
    expect(totals.values).toEqual([{ currency: 'BRL', total: '379.80', tied: '189.90' }])
  })

  test('counts one object or several, by name and currency', async () => {
    const { status, body } = await on.send(key, sale('a'))
    expect([status, body]).toEqual([200, { results: [{ id: 'a', status: 'no_visit' }] }])
    expect(
      await on.statuses(key, [
        sale('b', { value: 0.1 }),
        sale('c', { value: 0.2 }),
        sale('d', { value: '5', currency: 'USD', visit: 'v_unknown' }),
        { name: 'conta_aprovada', id: 'e' },
      ]),
    ).toEqual(['no_visit', 'no_visit', 'no_visit', 'no_visit'])
    const { totals, rows } = await on.report()
    expect(totals).toMatchObject({ count: 5, tied: 0, duplicates: 0, refused: 0 })
    expect(totals.values).toEqual([
      { currency: 'BRL', total: '190.20', tied: '0.00' },
      { currency: 'USD', total: '5.00', tied: '0.00' },
    ])
    expect(rows).toMatchObject([
      { name: 'primeira_venda', count: 4 },
      { name: 'conta_aprovada', count: 1, values: [] },
    ])
  })

  test('counts the same id once, and refuses it with other content', async () => {
    expect(await on.statuses(key, sale('a'))).toEqual(['no_visit'])
    expect(await on.statuses(key, sale('a', { value: 189.9 }))).toEqual(['duplicate'])
    expect(
      await on.statuses(key, [sale('a', { value: 1 }), sale('b'), sale('b'), sale('b', { value: 2 })]),
    ).toEqual(['conflict', 'no_visit', 'duplicate', 'conflict'])
    const { totals } = await on.report()
    expect(totals).toMatchObject({ count: 2, duplicates: 2, refused: 2 })
    expect(totals.values).toEqual([{ currency: 'BRL', total: '379.80', tied: '0.00' }])
  })

  test('refuses items one by one, with code and field', async () => {
    const { status, body } = await on.send(key, [
      sale('a', { name: 'outra_coisa' }),
      sale('b', { currency: undefined }),
      'x',
      sale('c'),
    ])
    expect(status).toBe(200)
    expect(body.results).toMatchObject([
      { id: 'a', status: 'refused', code: 'unknown_name', field: 'name', message: expect.any(String) },
      { id: 'b', status: 'refused', code: 'missing_field', field: 'currency' },
      { id: null, status: 'refused', code: 'not_an_object' },
      { id: 'c', status: 'no_visit' },
    ])
    await vi.waitFor(async () => expect((await on.report()).totals).toMatchObject({ count: 1, refused: 3 }), {
      timeout: 30_000,
    })
    // A refused one may be corrected and sent again.
    expect(await on.statuses(key, sale('b'))).toEqual(['no_visit'])
  })

  test('counts outcomes out of order on the day they happened', async () => {
    const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    const sent = [
      ['now', 0],
      ['old', 60],
      ['week', 10],
    ] as const
    for (const [id, days] of sent)
      expect(await on.statuses(key, sale(id, { time: at(days) }))).toEqual(['no_visit'])
    const counts = await Promise.all(
      [7, 30, 90].map(async (days) => (await on.report(`?days=${days}`)).totals),
    )
    expect(counts.map(({ count }) => count)).toEqual([1, 2, 3])
    expect(counts.map(({ values }) => values[0]?.total)).toEqual(['189.90', '379.80', '569.70'])
  })

  test('test keys check and count apart', async () => {
    const test = (await on.makeKey('test')).key
    expect(await on.statuses(test, [sale('a'), sale('a'), sale('b', { name: 'nova' })])).toEqual([
      'no_visit',
      'duplicate',
      'unknown_name',
    ])
    expect(await on.statuses(key, sale('a', { value: 7 }))).toEqual(['no_visit'])
    expect((await on.report()).totals).toMatchObject({ count: 1, values: [{ total: '7.00' }] })
    expect((await on.report()).test_calls).toEqual([])
    const report = await on.report('?mode=test')
    expect(report.totals).toMatchObject({ count: 1, values: [{ total: '189.90' }] })
    expect(report.test_calls).toMatchObject([
      { name: 'nova', outcome_id: 'b', status: 'refused', code: 'unknown_name', field: 'name' },
      { name: 'primeira_venda', outcome_id: 'a', status: 'duplicate', code: null },
      { name: 'primeira_venda', outcome_id: 'a', status: 'no_visit', value: '189.90', currency: 'BRL' },
    ])
    const many = Array.from({ length: 60 }, (_, n) => sale(`many-${n}`))
    await on.send(test, many)
    expect((await on.report('?mode=test')).test_calls[0]).toMatchObject({ outcome_id: 'many-59' })
    const kept = await site.database.db.selectFrom('outcome_test_calls').select('id').execute()
    expect(kept).toHaveLength(50)
  })

  test('stores 500 at once, and the same 500 from several calls once', async () => {
    const many = Array.from({ length: 500 }, (_, n) => sale(`p-${n}`, { value: '0.01' }))
    const answers = await Promise.all([many, many.toReversed(), many].map((items) => on.statuses(key, items)))
    expect(answers.flat().filter((status) => status === 'no_visit')).toHaveLength(500)
    expect(answers.flat().filter((status) => status === 'duplicate')).toHaveLength(1_000)
    expect((await on.report()).totals).toMatchObject({ count: 500, values: [{ total: '5.00' }] })
  })

  test('two processes at once count each id once; a restart forgets nothing', async () => {
    // SQLite has one process: there the second one starts when the first has stopped.
    const isShared = engine === 'postgres'
    const own = await startTestApp({ engine })
    const first = callsOf(own, await readKeys(own))
    await first.declare('primeira_venda')
    const live = (await first.makeKey()).key
    const items = Array.from({ length: 40 }, (_, n) => sale(`p-${n}`))
    const before = isShared ? [] : await first.statuses(live, items)
    if (!isShared) {
      await own.app.close()
      await own.database.close()
    }
    const other = await startTestApp({ engine, beside: own })
    const second = callsOf(other, await readKeys(other))
    const answers = await Promise.all([
      ...(isShared ? items.map((item) => first.statuses(live, item)) : [before]),
      ...items.toReversed().map((item) => second.statuses(live, item)),
    ])
    expect(answers.flat().toSorted()).toEqual([...Array(40).fill('duplicate'), ...Array(40).fill('no_visit')])
    expect((await second.report()).totals).toMatchObject({ count: 40, values: [{ total: '7596.00' }] })
    await other.close()
    if (isShared) await own.close()
    else await own.storage.remove()
  })

  test('makes at most 10 keys, also for several administrators at once, and stores hashes', async () => {
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, n) => on.admin('POST', '/keys', { name: `Sistema ${n}`, mode: 'live' })),
    )
    expect(made.map(({ status }) => status).toSorted()).toEqual([
      ...Array(9).fill(201),
      ...Array(3).fill(409),
    ])
    const keys = await site.database.db.selectFrom('outcome_keys').selectAll().execute()
    expect(keys).toHaveLength(10)
    const { body } = made.find(({ status }) => status === 201) ?? { body: null }
    expect(body.key).toMatch(/^prt_live_[\w-]{43}$/)
    expect(keys.find(({ id }) => id === body.id)).toMatchObject({
      key_hash: hashOpaqueToken(body.key),
      hint: body.key.slice(-4),
    })
    expect(JSON.stringify(await on.report())).not.toContain(body.key)
    expect(JSON.stringify(keys)).not.toContain(body.key)
  })
})

describe('POST /api/outcomes', () => {
  let site: TestApp
  let on: ReturnType<typeof callsOf>
  let key: CreatedOutcomeKey
  beforeAll(async () => {
    site = await startTestApp()
    on = callsOf(site, await readKeys(site))
  })
  afterAll(() => site.close())
  beforeEach(async () => {
    await forget(site)
    await on.declare('primeira_venda')
    key = await on.makeKey()
  })
  afterEach(() => vi.useRealTimers())

  test('is for servers only: a browser gets 403, even from our own page', async () => {
    for (const headers of [
      { origin: site.url },
      { origin: 'https://app.exemplo.com.br' },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
    ])
      expect(await on.send(key.key, sale('a'), headers as Record<string, string>)).toMatchObject({
        status: 403,
        body: { error: 'servers_only' },
      })
    expect((await on.report()).totals.count).toBe(0)
  })

  test.each([
    ['no key', undefined],
    ['another scheme', 'Basic cHJ0X2xpdmVfeA=='],
    ['a key that does not exist', `Bearer prt_live_${'x'.repeat(43)}`],
    ['a key with another prefix', 'swapped'],
  ])('refuses %s with 401', async (_what, authorization) => {
    const swapped = `Bearer ${key.key.replace('prt_live_', 'prt_test_')}`
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await site.app.inject({
      method: 'POST',
      url: '/api/outcomes',
      headers: authorization === 'swapped' ? { authorization: swapped } : headers,
      payload: sale('a'),
    })
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, 'Bearer'])
  })

  test('refuses a revoked key at once, and a key opens nothing else', async () => {
    for (const path of ['/admin/api/outcomes', '/rest/v1/tracking_pixels', '/auth/v1/user']) {
      const headers = { authorization: `Bearer ${key.key}`, apikey: key.key }
      expect((await site.app.inject({ url: path, headers })).statusCode, path).toBe(401)
    }
    expect((await on.send(key.key, sale('a'))).status).toBe(200)
    expect((await on.admin('DELETE', `/keys/${key.id}`)).status).toBe(204)
    expect((await on.send(key.key, sale('b'))).status).toBe(401)
    expect((await on.admin('DELETE', `/keys/${key.id}`)).status).toBe(404)
  })

  test.each([
    ['an empty list', '[]', 400],
    ['501 outcomes', JSON.stringify(Array.from({ length: 501 }, (_, n) => sale(`p-${n}`))), 400],
    ['a number', '1', 400],
    ['null', 'null', 400],
    ['half a body', '{"name":', 400],
    ['nothing', '', 400],
    ['more than 512 KB', JSON.stringify(sale('a', { visit: 'x'.repeat(524_288) })), 413],
  ])('refuses %s with its status', async (_what, body, status) => {
    expect((await on.send(key.key, body)).status).toBe(status)
    expect((await on.report()).totals.count).toBe(0)
  })

  test('answers 429 with Retry-After past the rate of a key, and for guesses at keys', async () => {
    const many = Array.from({ length: 500 }, () => 1)
    for (let sent = 0; sent < OUTCOME_RATE.max; sent += 500)
      expect((await on.send(key.key, many)).status).toBe(200)
    const refused = await on.send(key.key, sale('a'))
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await on.send((await on.makeKey()).key, sale('b'))).status).toBe(200)
    const statuses = new Set<number>()
    for (let guess = 0; guess <= PUBLIC_CALLS['outcome-unknown'].perAddress.max; guess++)
      statuses.add((await on.send(`prt_live_${'y'.repeat(43)}`, sale('c'))).status)
    expect([...statuses]).toEqual([401, 429])
    expect((await on.send((await on.makeKey()).key, sale('c'))).status).toBe(200)
  })

  test('notes the last use of a key once a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const lastUse = async () => (await on.report()).keys.find(({ id }) => id === key.id)?.last_used_at
    expect(await lastUse()).toBeNull()
    await on.send(key.key, sale('a'))
    const first = await lastUse()
    vi.setSystemTime(Date.now() + 59_000)
    await on.send(key.key, sale('b'))
    expect(await lastUse()).toBe(first)
    vi.setSystemTime(Date.now() + 2_000)
    await on.send(key.key, sale('c'))
    expect(await lastUse()).not.toBe(first)
  })

  test('declares names once, changes labels only, and records who did what', async () => {
    expect((await on.admin('POST', '/names', { name: 'primeira_venda', label: 'x' })).status).toBe(409)
    for (const body of [
      { name: 'Primeira', label: 'x' },
      { name: '1a', label: 'x' },
      { name: 'a', label: ' ' },
      { name: 'a', label: 'x\u0007' },
      { name: 'a', label: 'x'.repeat(61) },
      { name: 'a', label: 'x', other: 1 },
    ])
      expect((await on.admin('POST', '/names', body)).status, JSON.stringify(body)).toBe(400)
    expect((await on.admin('PUT', '/names/primeira_venda', { label: ' 1ª venda ' })).body).toEqual({
      name: 'primeira_venda',
      label: '1ª venda',
    })
    expect((await on.admin('PUT', '/names/nada', { label: 'x' })).status).toBe(404)
    expect(await on.statuses(key.key, sale('a'))).toEqual(['no_visit'])
    expect((await on.report()).rows).toMatchObject([{ name: 'primeira_venda', label: '1ª venda', count: 1 }])
    expect((await on.admin('POST', '/keys', { name: key.name, mode: 'live' })).status).toBe(409)
    await on.admin('DELETE', `/keys/${key.id}`)
    const trail = await site.database.db
      .selectFrom('audit_events')
      .select(['action', 'actor'])
      .where('action', 'like', 'outcomes.%')
      .where('subject', 'in', ['primeira_venda', key.id])
      .orderBy('created_at', 'desc')
      .limit(4)
      .execute()
    expect(trail.map(({ action }) => action).toSorted()).toEqual([
      'outcomes.key_made',
      'outcomes.key_revoked',
      'outcomes.name_declared',
      'outcomes.name_relabelled',
    ])
    const texts = (
      await readEvents(site.database.db, {
        before: { at: '9999-12-31T00:00:00.000Z', id: '' },
        limit: 100,
      })
    ).map(({ text }) => text)
    expect(texts).toEqual(
      expect.arrayContaining(['criou o resultado 1ª venda', 'renomeou o resultado 1ª venda']),
    )
    expect(texts.join()).not.toContain('resultado primeira_venda')
  })
})
