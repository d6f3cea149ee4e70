import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type CreatedTest,
  type StartedTest,
  type TagTest,
  TEST_LIFE_MS,
  TEST_MAX_STEPS,
  type TestCopy,
  type TestStep,
  type TestSummary,
} from '#contract/tag-test.ts'
import type { Database } from '#server/db/database.ts'
import { registerErrors } from '#server/http/errors.ts'
import { RateCounter } from '#server/http/limits/counter.ts'
import { PublicLimits } from '#server/http/limits/public.ts'
import { createLogger } from '#server/http/logging/logger.ts'
import type { Caller } from '#server/http/security/administrators.ts'
import { registerAdminApiPart } from '#tests/support/admin-api.ts'
import { makeDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { TagCompiler } from '../compile/compiler.ts'
import { TagStore } from '../serve/tag-store.ts'
import { raiseTagsVersion } from '../serve/tag-version.ts'
import { registerTestAdmin } from './admin-routes.ts'
import { type CopiedEvent, registerTagTests } from './page-routes.ts'

const SITE = 'https://portico.example'
const log = createLogger('silent')
const administrator = (email: string): Caller & { kind: 'user' } => ({
  kind: 'user',
  userId: randomUUID(),
  email,
  sessionId: randomUUID(),
  role: 'admin',
  aal: 'aal1',
  needsSecondFactor: false,
})
const ANA = administrator('ana@portico.example')
const BIA = administrator('bia@portico.example')
const ACCEPTED: Omit<TestCopy, 'event'> = {
  message: 'A Meta recebeu.',
  check: {
    state: 'accepted',
    message: 'A Meta recebeu.',
    request: { method: 'POST', url: 'https://graph.facebook.com/', body: { data: [] } },
    response: { status: 200, body: '{}' },
  },
}

describe.each(TIER_ENGINES)('a test of a pixel, on %s', (engine) => {
  let database: Database
  /** Two processes with one database. */
  let replicas: { app: FastifyInstance; tags: TagStore }[]
  const compiler = new TagCompiler()
  let counter: RateCounter
  /** What the server was asked to send, and the answers it gets. */
  const copied: (CopiedEvent & { pixelId: string })[] = []
  let answer: (event: CopiedEvent) => Promise<Omit<TestCopy, 'event'>>
  let caller: Caller
  let pixel: string

  beforeAll(async () => {
    database = await makeDatabase(engine)
    const { db } = database
    counter = new RateCounter(db, log)
    const guard = { limits: new PublicLimits({ counter, log, config: { trustProxy: false } }), siteUrl: SITE }
    replicas = await Promise.all(
      [1, 2].map(async () => {
        const tags = new TagStore({
          db,
          log,
          compiler,
          ownHosts: new Set(['portico.example']),
          measureHead: () => 0,
          headers: {},
          swapPage: async () => {},
        })
        const app = Fastify()
        registerErrors(app, { 404: '', 500: '' }, () => 'service')
        const deps = { db, tags, siteUrl: SITE }
        await registerAdminApiPart(app, {
          caller: () => caller,
          origin: SITE,
          register: (scope) => registerTestAdmin(scope, deps),
        })
        registerTagTests(app, {
          ...deps,
          guard,
          log,
          copyTestEvent: async (pixelId, event) => {
            copied.push({ pixelId, ...event })
            return answer(event)
          },
        })
        return { app, tags }
      }),
    )
    for (const { userId, email } of [ANA, BIA]) await addAdministrator(userId, email)
  })
  afterAll(async () => {
    for (const { app } of replicas) await app.close()
    await counter.stop()
    await compiler.close()
    await database.close()
  })
  beforeEach(async () => {
    caller = ANA
    counter.clear()
    copied.length = 0
    answer = async () => ACCEPTED
    await database.db.deleteFrom('tracking_pixels').execute()
    pixel = await insertPixel(database.db, {
      type: 'google_analytics',
      pixel_id: 'G-ABC1234567',
      name: 'Site',
    })
    await refreshed()
  })

  async function addAdministrator(id: string, email: string) {
    const at = new Date().toISOString()
    await database.db
      .insertInto('auth_users')
      .values({ id, email, user_metadata: '{}', app_metadata: '{}', created_at: at, updated_at: at })
      .execute()
    await database.db
      .insertInto('admin_roles')
      .values({ user_id: id, role: 'admin', created_at: at, updated_at: at })
      .execute()
  }
  async function refreshed() {
    for (const { tags } of replicas) {
      await tags.refresh()
      await tags.recompile()
    }
  }
  const call = (method: 'GET' | 'POST', url: string, payload?: object, replica = 0) =>
    (replicas[replica] as (typeof replicas)[number]).app.inject({ method, url, ...(payload && { payload }) })
  const create = async (id = pixel) =>
    (await call('POST', `/admin/api/pixels/${id}/tests`)).json<CreatedTest>()
  const tokenOf = ({ url }: CreatedTest) => url.slice(url.indexOf('#teste=') + '#teste='.length)
  const set = () => replicas[0]?.tags.current.version ?? ''
  const start = (token: string, version = set(), replica = 1) =>
    call('POST', '/api/tag-tests', { token, set: version }, replica)
  const report = (key: string, steps: readonly Partial<TestStep>[], replica = 1) =>
    call('POST', '/api/tag-tests/steps', { key, steps: steps.map((step) => ({ at: 1, ...step })) }, replica)
  const read = ({ id }: CreatedTest, replica = 0) =>
    call('GET', `/admin/api/pixels/${pixel}/tests/${id}`, undefined, replica)
  const list = async () =>
    (await call('GET', `/admin/api/pixels/${pixel}/tests`)).json<{ tests: TestSummary[] }>().tests

  test('opens once by the link, on any process, and returns its steps to its maker', async () => {
    const created = await create()
    expect(created.url).toMatch(/^https:\/\/portico\.example\/\?teste#teste=[\w-]{43}$/)
    expect((await read(created)).json<TagTest>()).toMatchObject({
      state: 'waiting',
      steps: [],
      is_mine: true,
    })
    const started = await start(tokenOf(created))
    expect(started.headers['cache-control']).toBe('no-store')
    const { key, name, tag, testCalls, notice } = started.json<StartedTest>()
    expect(notice).toBe(
      'A tag roda de verdade, e a plataforma pode contar esta visita. Ela aparece em: DebugView, no Google Analytics.',
    )
    expect({ name, id: tag.id }).toEqual({ name: 'Site', id: pixel })
    // The catalogue knows the test mode of Google Analytics.
    expect(testCalls).toEqual([{ call: 'gtag', args: ['set', { debug_mode: true }] }])
    expect((await read(created)).json<TagTest>().state).toBe('open')
    const steps: TestStep[] = [
      { kind: 'opened', at: 0 },
      { kind: 'chosen', at: 900, ok: true },
      {
        kind: 'request',
        at: 1400,
        host: 'www.google-analytics.com',
        verdict: 'answered',
        status: 204,
        ok: true,
      },
    ]
    expect((await report(key, steps, 0)).statusCode).toBe(204)
    expect((await report(key, [{ kind: 'settled', at: 6000 }], 1)).statusCode).toBe(204)
    const done = (await read(created, 1)).json<TagTest>()
    expect(done.steps).toEqual([...steps, { kind: 'settled', at: 6000 }])
    expect(done).toMatchObject({ state: 'done', verdict: { health: 'working', confirmed: true } })
  })

  test('stores neither the token nor the key, and the link contains nothing else', async () => {
    const created = await create()
    const { key } = (await start(tokenOf(created))).json<StartedTest>()
    const rows = JSON.stringify(await database.db.selectFrom('tag_tests').selectAll().execute())
    const audit = JSON.stringify(await database.db.selectFrom('audit_events').selectAll().execute())
    for (const secret of [tokenOf(created), key]) expect(rows + audit).not.toContain(secret)
    expect(audit).toContain('tags.test')
  })

  test('refuses a second use of the link', async () => {
    const created = await create()
    const both = await Promise.all([start(tokenOf(created), set(), 0), start(tokenOf(created), set(), 1)])
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([200, 404])
    expect((await start(tokenOf(created))).statusCode).toBe(404)
  })

  test('refuses a late link, and reports after ten minutes', async () => {
    const unopened = await create()
    const opened = await create()
    const { key } = (await start(tokenOf(opened))).json<StartedTest>()
    vi.useFakeTimers({ now: Date.now() + TEST_LIFE_MS + 1000, toFake: ['Date'] })
    try {
      expect((await start(tokenOf(unopened))).statusCode).toBe(404)
      expect((await report(key, [{ kind: 'opened' }])).statusCode).toBe(404)
      expect((await read(unopened)).json<TagTest>()).toMatchObject({ state: 'expired', steps: [] })
      expect((await read(opened)).json<TagTest>()).toMatchObject({ state: 'left', steps: [] })
    } finally {
      vi.useRealTimers()
    }
  })

  test('hides its steps from other administrators, who see that it was made and its result', async () => {
    const created = await create()
    const { key } = (await start(tokenOf(created))).json<StartedTest>()
    await report(key, [{ kind: 'chosen', ok: false }])
    caller = BIA
    const refused = await read(created)
    expect(refused.statusCode).toBe(403)
    expect(refused.body).not.toContain('chosen')
    const [summary] = await list()
    expect(summary).toMatchObject({ by: ANA.email, is_mine: false, state: 'done' })
    expect(summary).not.toHaveProperty('steps')
    caller = { kind: 'service' }
    expect((await read(created)).statusCode).toBe(403)
  })

  test('ends when its maker loses the role', async () => {
    const lost = administrator('lost@portico.example')
    await addAdministrator(lost.userId, lost.email)
    caller = lost
    const created = await create()
    await database.db.deleteFrom('admin_roles').where('user_id', '=', lost.userId).execute()
    expect((await start(tokenOf(created))).statusCode).toBe(404)
  })

  test.each(['banned_until', 'deleted_at'] as const)(
    'ends with the account of its maker: %s',
    async (column) => {
      const banned = administrator(`${column}@portico.example`)
      await addAdministrator(banned.userId, banned.email)
      caller = banned
      const created = await create()
      await database.db
        .updateTable('auth_users')
        .set({ [column]: '2999-01-01T00:00:00.000Z' })
        .where('id', '=', banned.userId)
        .execute()
      expect((await start(tokenOf(created))).statusCode).toBe(404)
    },
  )

  test.each<[string, Caller, number]>([
    ['a guest', { kind: 'guest' }, 401],
    ['the public key alone', { kind: 'anon' }, 401],
    ['a person without a role', { ...ANA, role: null }, 403],
    ['a person who owes the second factor', { ...ANA, needsSecondFactor: true }, 403],
  ])('%s can neither create nor read one', async (_name, who, status) => {
    const created = await create()
    caller = who
    for (const answer of [
      await call('POST', `/admin/api/pixels/${pixel}/tests`),
      await call('GET', `/admin/api/pixels/${pixel}/tests`),
      await read(created),
    ])
      expect(answer.statusCode).toBe(status)
    expect(await database.db.selectFrom('tag_tests').select('id').execute()).toHaveLength(1)
  })

  test.each([
    ['a guessed token', '/api/tag-tests', { token: 'A'.repeat(43), set: 'x' }, 404],
    ['no token', '/api/tag-tests', {}, 400],
    ['a guessed key', '/api/tag-tests/steps', { key: 'A'.repeat(43), steps: [] }, 404],
    ['no key', '/api/tag-tests/steps', { steps: [] }, 400],
    [
      'something that is no step',
      '/api/tag-tests/steps',
      { key: 'A', steps: [{ kind: 'html', at: 0 }] },
      400,
    ],
  ])('refuses a stranger with %s', async (_name, path, body, status) => {
    const created = await create()
    expect((await call('POST', path, body)).statusCode).toBe(status)
    expect((await read(created)).json<TagTest>()).toMatchObject({ state: 'waiting', steps: [] })
  })

  test("accepts the link's token only as a token, and the key only as a key", async () => {
    const created = await create()
    const token = tokenOf(created)
    expect((await report(token, [{ kind: 'opened' }])).statusCode).toBe(404)
    const { key } = (await start(token)).json<StartedTest>()
    expect((await report(token, [{ kind: 'opened' }])).statusCode).toBe(404)
    expect((await start(key)).statusCode).toBe(404)
  })

  test('keeps public hosts, short texts and a limited number of steps', async () => {
    const created = await create()
    const { key } = (await start(tokenOf(created))).json<StartedTest>()
    await report(key, [
      { kind: 'error', text: `a\n<b>${'x'.repeat(500)}` },
      { kind: 'request', host: 'localhost', verdict: 'sent' },
    ])
    for (let batch = 0; batch < 4; batch++) await report(key, Array(40).fill({ kind: 'cookie', text: '_ga' }))
    const { steps } = (await read(created)).json<TagTest>()
    expect(steps).toHaveLength(TEST_MAX_STEPS)
    expect(steps[0]?.text).toMatch(/^a <b>x{195}$/)
    expect(steps[1]).not.toHaveProperty('host')
  })

  test('refuses a pixel that is off, in the trash or not on the page', async () => {
    const off = await insertPixel(database.db, { type: 'meta', is_active: false })
    const empty = await insertPixel(database.db, { type: 'custom', code: '' })
    await refreshed()
    const made = (id: string) => call('POST', `/admin/api/pixels/${id}/tests`)
    expect((await made(off)).json()).toMatchObject({ error: 'pixel_off' })
    expect((await made(empty)).json()).toMatchObject({ error: 'not_on_page' })
    expect((await made(randomUUID())).statusCode).toBe(404)
    await database.db.updateTable('tracking_pixels').set({ deleted_at: new Date().toISOString() }).execute()
    expect((await made(pixel)).statusCode).toBe(404)
  })

  async function tell(delivery: 'server' | 'both') {
    await database.db
      .updateTable('tracking_pixels')
      .set({ type: 'meta', pixel_id: '482910377165024', delivery })
      .where('id', '=', pixel)
      .execute()
    await raiseTagsVersion(database.db, [pixel])
    await refreshed()
  }
  const createWith = async (test_event_code?: string) =>
    (await call('POST', `/admin/api/pixels/${pixel}/tests`, { test_event_code })).json<CreatedTest>()
  const untilCopied = (created: CreatedTest, count: number) =>
    vi.waitFor(async () => {
      const test = (await read(created, 0)).json<TagTest>()
      const copies = test.steps.flatMap(({ copy }) => copy ?? [])
      expect(copies).toHaveLength(count)
      expect(test.awaits_copies).toBe(false)
      return { ...test, copies }
    }, 30_000)

  test('for a pixel sent by the server: runs nothing on the page and lists the answers among the steps', async () => {
    await tell('server')
    const created = await createWith('TEST48213')
    const { key, runs, tag, testCalls, notice } = (await start(tokenOf(created))).json<StartedTest>()
    expect(notice).toContain('o servidor envia a conversão de teste')
    expect({ runs, steps: tag.steps, testCalls }).toEqual({ runs: false, steps: [], testCalls: [] })
    const id = randomUUID()
    await report(key, [{ kind: 'opened' }, { kind: 'chosen', ok: true }], 1)
    await report(key, [{ kind: 'conversion', conversion: 'lead', id }, { kind: 'settled' }], 1)
    const { copies, delivery, verdict } = await untilCopied(created, 2)
    expect(copies.map(({ event, check }) => [event, check?.response?.status]).sort()).toEqual([
      ['lead', 200],
      ['page_view', 200],
    ])
    expect(delivery).toBe('server')
    expect(verdict).toMatchObject({ health: 'working', confirmed: true })
    expect(copied.map(({ event, testCode, pixelId }) => [event, testCode, pixelId])).toEqual([
      ['page_view', 'TEST48213', pixel],
      ['lead', 'TEST48213', pixel],
    ])
    expect(copied[1]?.eventId).toBe(id)
    // A second test of the same person needs no code; another person's does.
    for (const [who, code] of [
      [ANA, 'TEST48213'],
      [BIA, undefined],
    ] as const) {
      caller = who
      const again = await createWith()
      const started = (await start(tokenOf(again))).json<StartedTest>()
      await report(started.key, [{ kind: 'chosen', ok: true }])
      await vi.waitFor(() => expect(copied.at(-1)?.testCode).toBe(code), 30_000)
    }
  })

  test('for a pixel sent by both: the server sends only conversions, and none after a refusal', async () => {
    await tell('both')
    const created = await createWith('TEST1')
    const { key, runs } = (await start(tokenOf(created))).json<StartedTest>()
    expect(runs).toBe(true)
    await report(key, [{ kind: 'conversion', conversion: 'contact', ok: true }])
    await report(key, [{ kind: 'chosen', ok: false }])
    await report(key, [{ kind: 'conversion', conversion: 'contact', ok: true }])
    await report(key, [{ kind: 'chosen', ok: true }])
    await report(key, [{ kind: 'conversion', conversion: 'sign_up', ok: true }])
    const { copies } = await untilCopied(created, 1)
    expect(copies[0]).toEqual({ event: 'sign_up', ...ACCEPTED })
  })

  test('pages cannot report a server event, nor cause more than eight', async () => {
    await tell('server')
    const created = await createWith('TEST1')
    const { key } = (await start(tokenOf(created))).json<StartedTest>()
    const forged = { kind: 'copy', copy: { event: 'lead', ...ACCEPTED } } as Partial<TestStep>
    expect((await report(key, [forged])).statusCode).toBe(400)
    await report(key, [{ kind: 'chosen', ok: true, ...({ copy: forged.copy } as object) }])
    await report(key, Array(30).fill({ kind: 'conversion', conversion: 'lead' }), 0)
    await report(key, Array(30).fill({ kind: 'conversion', conversion: 'lead' }), 1)
    await untilCopied(created, 8)
    expect(copied).toHaveLength(8)
  })

  test('waits for an answer, and reports failures', async () => {
    await tell('server')
    const given = Promise.withResolvers<Omit<TestCopy, 'event'>>()
    answer = () => given.promise
    const created = await createWith('TEST1')
    const { key } = (await start(tokenOf(created))).json<StartedTest>()
    await report(key, [{ kind: 'chosen', ok: true }, { kind: 'settled' }, { kind: 'left' }])
    expect((await read(created)).json<TagTest>()).toMatchObject({
      awaits_copies: true,
      verdict: { title: 'O servidor está enviando' },
    })
    await vi.waitFor(() => expect(copied).toHaveLength(1), 30_000)
    given.resolve({ check: null, message: 'Falta o token.' })
    const { verdict } = await untilCopied(created, 1)
    expect(verdict).toMatchObject({ health: 'waiting', text: 'Falta o token.' })
  })

  test('does not start on a page whose policy was made for other tags', async () => {
    const created = await create()
    expect((await start(tokenOf(created), 'of-long-ago')).statusCode).toBe(404)
    // The token is not used up by that.
    expect((await start(tokenOf(created))).statusCode).toBe(200)
  })

  test('keeps five tests per pixel', async () => {
    const other = await insertPixel(database.db, { type: 'meta' })
    await refreshed()
    await create(other)
    const made = []
    for (let count = 0; count < 7; count++) {
      vi.useFakeTimers({ now: Date.now() + count * 1000, toFake: ['Date'] })
      made.push((await create()).id)
      vi.useRealTimers()
    }
    expect((await list()).map(({ id }) => id)).toEqual(made.slice(2).reverse())
    expect(await database.db.selectFrom('tag_tests').select('id').execute()).toHaveLength(6)
  })

  test('counts nothing: no report, no observation, no consent', async () => {
    const created = await create()
    const { key } = (await start(tokenOf(created))).json<StartedTest>()
    await report(key, [{ kind: 'conversion', conversion: 'lead', ok: true }])
    for (const table of ['counts', 'tag_last_seen', 'consent_records', 'blocked_hosts'] as const)
      expect(await database.db.selectFrom(table).selectAll().execute()).toEqual([])
  })
})
