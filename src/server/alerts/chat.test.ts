import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ALERT_KINDS, type AlertWebhookAnswer } from '#contract/alerts.ts'
import { chatFormatOf, chatUrlProblem } from '#contract/chat-url.ts'
import { HOUR_MS } from '#contract/durations.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import { registerAdminApiPart } from '#tests/support/admin-api.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { untilBlocked } from '#tests/support/until-blocked.ts'
import { locked } from '../db/dialect.ts'
import { registerErrors } from '../http/errors.ts'
import { type Answer, NOT_PUBLIC, type OutgoingClient } from '../http/outgoing.ts'
import type { Caller } from '../http/security/administrators.ts'
import { OutboxWorker } from '../outbox/worker.ts'
import { AlertWatch, registerAlerts, type WatchDeps } from './alerts.ts'
import { chatChannel, postMessage } from './chat.ts'
import { nextMorning } from './emails.ts'

/** Ten in the morning in Brasília. */
const NOW = Date.parse('2026-11-15T13:00:00.000Z')
const SLACK = 'https://hooks.slack.com/services/T0/B0/segredo'

test.each([
  [SLACK, null, 'slack'],
  ['https://discord.com/api/webhooks/1/x', null, 'discord'],
  ['https://canary.discord.com/api/webhooks/1/x', null, 'discord'],
  ['https://avisos.exemplo.com.br/x', null, null],
  ['https://hooks.slack.com.exemplo.com.br/x', null, null],
  ['http://hooks.slack.com/x', /https/, null],
  ['hooks.slack.com/x', /https/, null],
  ['https://ana:1@exemplo.com.br/x', /sem usuário/, null],
  ['https://10.0.0.1/x', /público/, null],
  ['https://[::1]/x', /público/, null],
  ['https://chat.local/x', /público/, null],
  ['https://exemplo.com.br:8443/x', /porta/, null],
  [`https://exemplo.com.br/${'x'.repeat(1_000)}`, /longo/, null],
])('judges the address %s', (url, problem, format) => {
  if (problem === null) expect(chatUrlProblem(url)).toBeNull()
  else expect(chatUrlProblem(url)).toMatch(problem)
  expect(chatFormatOf(url)).toBe(format)
})

describe('a message', () => {
  const message = {
    kind: 'alert' as const,
    title: 'O pixel <!channel> *Loja* & @everyone',
    lines: ['Loja: não está funcionando.', 'x'.repeat(3_000)],
    action: { label: 'Ver o pixel', url: 'https://painel.exemplo.com.br/admin/pixels/1' },
  }
  const bodyOf = async (format: 'slack' | 'discord' | 'json') => {
    let sent = ''
    const client = {
      post: async (_url: string, _headers: object, body: string) => {
        sent = body
        return answer(200)
      },
    } as unknown as OutgoingClient
    const signal = new AbortController().signal
    await postMessage({ client, brandName: 'Arco' }, { url: SLACK, format, message, id: 'x', signal })
    return JSON.parse(sent)
  }

  test('calls nobody and links nowhere in Slack', async () => {
    const { text, ...more } = await bodyOf('slack')
    expect(more).toEqual({})
    expect(text).toContain('*O pixel &lt;!channel&gt; *Loja* &amp; @everyone*')
    expect(text).toContain('<https://painel.exemplo.com.br/admin/pixels/1|Ver o pixel>')
  })

  test('calls nobody in Discord and fits into its limit, link included', async () => {
    const { content, allowed_mentions } = await bodyOf('discord')
    expect(allowed_mentions).toEqual({ parse: [] })
    expect(content).toHaveLength(2_000)
    expect(content).toContain('**O pixel <!channel\\> \\*Loja\\* & @everyone**')
    expect(content.endsWith('…\nVer o pixel: <https://painel.exemplo.com.br/admin/pixels/1>')).toBe(true)
  })

  test('is plain JSON for other programs', async () => {
    expect(await bodyOf('json')).toEqual({
      type: 'alert',
      site: 'Arco',
      title: message.title,
      text: message.lines.join('\n'),
      lines: message.lines,
      url: message.action.url,
    })
  })
})

function answer(status: number, headers: Record<string, string> = {}): Answer {
  return { kind: 'answer', status, headers, body: '' }
}

describe.each(ENGINES)('the chat of alerts, on %s', (engine) => {
  let database: TestDatabase
  let app: FastifyInstance
  let deps: WatchDeps
  let pixels: [string, string]
  let caller: Caller
  let overview: TagOverview
  let worker: OutboxWorker | null = null
  /** What the chat answers, in order; then 200. */
  let answers: Answer[]
  let posts: { url: string; text: string }[]
  const lines: string[] = []
  const client = {
    post: async (url: string, _headers: object, body: string) => {
      posts.push({ url, text: JSON.parse(body).text })
      return answers.shift() ?? answer(200)
    },
  } as unknown as OutgoingClient
  beforeAll(async () => {
    database = await makeDatabase(engine)
    const { db, secrets } = database
    pixels = [
      await insertPixel(db, { type: 'meta', name: 'Loja', is_active: false }),
      await insertPixel(db, { type: 'meta', name: 'Blog', is_active: false }),
    ]
    deps = {
      db,
      secrets,
      adminUrl: 'https://painel.exemplo.com.br',
      canSend: false,
      log: { warn: () => {} },
      brandName: 'Arco',
      wakeOutbox: () => {},
      readOverview: async () => overview,
      readFileChanges: async () => [],
    }
    app = Fastify()
    registerErrors(app, { 404: '', 500: '' }, () => 'service')
    await registerAdminApiPart(app, {
      caller: () => caller,
      exceptions: ' /admin/api/alerts',
      register: (scope) => registerAlerts(scope, { ...deps, client }),
    })
  })
  afterAll(async () => {
    await app.close()
    await database.close()
  })
  beforeEach(async () => {
    caller = { kind: 'service' }
    answers = []
    posts = []
    lines.length = 0
    tell([])
    for (const table of [
      'alert_posts',
      'alert_states',
      'alert_webhooks',
      'served_headers',
      'deliveries',
      'lane_rests',
      'audit_events',
    ] as const)
      await database.db.deleteFrom(table).execute()
  })
  afterEach(async () => {
    await worker?.stop()
    worker = null
  })

  function tell(broken: readonly string[]) {
    overview = {
      pixels: pixels.map((pixel_id) => ({
        pixel_id,
        health: broken.includes(pixel_id) ? 'broken' : 'working',
        reasons: [{ code: 'x', message: 'Nenhuma visita chegou à Meta.' }],
      })),
      blocked_hosts: [],
    } as unknown as TagOverview
  }
  const call = (method: 'GET' | 'PUT' | 'DELETE' | 'POST', path = '', payload?: object) =>
    app.inject({
      method,
      url: `/admin/api/alerts/webhook${path}`,
      ...(payload === undefined ? {} : { payload }),
    })
  const connect = (more: object = {}) =>
    call('PUT', '', { url: SLACK, format: 'slack', kinds: [...ALERT_KINDS], ...more })
  const shown = async () => (await call('GET')).json<AlertWebhookAnswer>().webhook
  /** Two processes look at the same moment; then the outbox sends what is due. */
  const round = async (now: number) => {
    const replicas = [new AlertWatch(deps), new AlertWatch(deps)]
    await Promise.all(replicas.map((replica) => replica.look(now)))
    await Promise.all(replicas.map((replica) => replica.mailDue(now)))
    await send(now)
  }
  const send = async (now: number) => {
    const log = { error: () => {}, warn: (facts: unknown) => void lines.push(JSON.stringify(facts)) }
    const channels = [chatChannel({ ...deps, client, log })]
    worker = new OutboxWorker({ db: database.db, channels, log, now: () => now })
    await worker.runDue()
  }
  const audited = async () =>
    (await database.db.selectFrom('audit_events').select(['action', 'before', 'after']).execute()).filter(
      ({ action }) => action.startsWith('alerts.'),
    )

  test('is connected, changed and removed by administrators; its address is encrypted and never returned', async () => {
    expect(await shown()).toBeNull()
    const connected = await connect()
    expect(connected.json()).toEqual({
      webhook: { format: 'slack', kinds: [...ALERT_KINDS], changed_at: expect.any(String), last: null },
    })
    const changed = await connect({ url: undefined, format: 'json', kinds: ['broken', 'broken'] })
    expect(changed.json().webhook).toMatchObject({ format: 'json', kinds: ['broken'] })
    const rows = await database.db.selectFrom('alert_webhooks').selectAll().execute()
    expect(rows).toHaveLength(1)
    await round(NOW)
    tell([pixels[0]])
    await round(NOW + 1)
    expect(posts.map(({ url }) => url)).toEqual([SLACK])
    expect((await call('DELETE')).json()).toEqual({ webhook: null })
    expect(await audited()).toMatchObject([
      { action: 'alerts.webhook_set' },
      { action: 'alerts.webhook_changed' },
      { action: 'alerts.webhook_removed' },
    ])
    for (const seen of [connected.body, changed.body, rows, await audited()])
      expect(JSON.stringify(seen)).not.toMatch(/segredo|hooks\.slack/)
  })

  test.each([
    [{ kind: 'guest' }, 401],
    [{ kind: 'anon' }, 401],
    [user({ role: null }), 403],
    [user({ needsSecondFactor: true }), 403],
    [user({}), 200],
  ] as [Caller, number][])('answers %j with %i', async (who, status) => {
    await connect()
    caller = who
    for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const)
      expect(
        (await call(method, method === 'POST' ? '/test' : '', { format: 'slack', kinds: [] })).statusCode,
      ).toBe(status)
    expect(posts).toHaveLength(status === 200 ? 1 : 0)
  })

  test('refuses an address that is not https, and a first one without an address', async () => {
    const plain = await connect({ url: 'http://hooks.slack.com/x' })
    expect(plain.statusCode).toBe(400)
    expect(plain.json().message).toBe('O endereço precisa começar com https://.')
    expect((await connect({ url: undefined })).statusCode).toBe(409)
    expect((await call('POST', '/test')).statusCode).toBe(409)
    expect(await shown()).toBeNull()
  })

  test('gets one message from two processes, without a mail server, and only news', async () => {
    tell([pixels[0]])
    await connect()
    await round(NOW)
    expect(posts).toEqual([])
    tell(pixels)
    await round(NOW + HOUR_MS)
    await round(NOW + 2 * HOUR_MS)
    expect(posts.map(({ text }) => text)).toEqual([
      `*O pixel Blog não está funcionando*\nBlog: Não está funcionando. Nenhuma visita chegou à Meta.\n<https://painel.exemplo.com.br/admin/pixels/${pixels[1]}|Ver o pixel>`,
    ])
    expect((await shown())?.last).toEqual({ at: new Date(NOW + HOUR_MS).toISOString(), problem: null })
  })

  test('gets at most one message per day and pixel, and the rest the next morning', async () => {
    await connect()
    for (const [hour, broken] of [[pixels[0]], [], [pixels[0]], pixels].entries()) {
      tell(broken)
      await round(NOW + hour * HOUR_MS)
    }
    expect(posts.map(({ text }) => text.split('\n')[0])).toEqual([
      '*O pixel Loja não está funcionando*',
      '*O pixel Blog não está funcionando*',
    ])
    await round(nextMorning(NOW) - 1)
    expect(posts).toHaveLength(2)
    await round(nextMorning(NOW))
    expect(posts).toHaveLength(3)
    expect(posts[2]?.text).toContain('Loja: Não está funcionando.')
  })

  test('gets one message about all due lines while another process holds one of them', async () => {
    await connect()
    tell(pixels)
    const watch = new AlertWatch(deps)
    await watch.look(NOW)
    let posting = Promise.resolve()
    await database.db.transaction().execute(async (trx) => {
      await locked(
        trx,
        trx.selectFrom('alert_posts').select('id').where('pixel_id', '=', pixels[1]),
      ).execute()
      posting = watch.mailDue(NOW)
      await untilBlocked(database.db)
    })
    await posting
    await round(NOW)
    expect(posts.map(({ text }) => text.split('\n')[0])).toEqual(['*Avisos sobre 2 pixels*'])
  })

  test('gets only the chosen alerts, and those of the page’s headers', async () => {
    await connect({ kinds: ['headers_changed'] })
    await database.db
      .updateTable('alert_webhooks')
      .set({ changed_at: new Date(NOW).toISOString() })
      .execute()
    tell(pixels)
    const since = new Date(NOW + 1).toISOString()
    await database.db
      .insertInto('served_headers')
      .values({ id: randomUUID(), headers_hash: 'x', tag_set_version: 'x', is_unasked: true, since })
      .execute()
    await round(NOW + 2)
    await round(NOW + 3)
    expect(posts.map(({ text }) => text.split('\n')[0])).toEqual([
      '*A segurança da página mudou sem mudança de tag*',
    ])
  })

  test('gets a message again after failures, and none once it is removed or refuses', async () => {
    await connect()
    await round(NOW)
    tell([pixels[0]])
    answers = [answer(503), { kind: 'failed', code: 'ECONNREFUSED', written: false }]
    await round(NOW + 1)
    expect((await shown())?.last?.problem).toContain('código 503')
    await send(NOW + 60_000)
    expect((await shown())?.last?.problem).toBe('Não foi possível conectar a este endereço.')
    await send(NOW + 2 * HOUR_MS)
    expect(posts).toHaveLength(3)
    expect((await shown())?.last?.problem).toBeNull()

    tell(pixels)
    answers = [answer(404)]
    await round(NOW + 3 * HOUR_MS)
    await send(NOW + 4 * HOUR_MS)
    expect(posts).toHaveLength(4)
    expect((await shown())?.last?.problem).toContain('recusou o endereço (código 404)')
    expect(lines.join()).not.toMatch(/segredo|slack/)

    tell([])
    await round(NOW + 24 * HOUR_MS)
    tell(pixels)
    const watch = new AlertWatch(deps)
    await watch.look(NOW + 25 * HOUR_MS)
    await watch.mailDue(NOW + 25 * HOUR_MS)
    await call('DELETE')
    await send(NOW + 25 * HOUR_MS)
    expect(posts).toHaveLength(4)
    expect(await database.db.selectFrom('deliveries').selectAll().execute()).toEqual([])
  })

  test.each([
    [answer(200), null],
    [answer(204), null],
    [answer(302), /redireciona para outro/],
    [answer(400), /formato/],
    [answer(410), /Crie outro/],
    [answer(429, { 'retry-after': '3' }), /esperar/],
    [{ kind: 'failed', code: NOT_PUBLIC, written: false }, /rede interna/],
    [{ kind: 'failed', code: 'ENOTFOUND', written: false }, /não existe/],
    [{ kind: 'failed', code: 'UND_ERR_CONNECT_TIMEOUT', written: false }, /a tempo/],
    [{ kind: 'failed', code: 'DEPTH_ZERO_SELF_SIGNED_CERT', written: false }, /certificado/],
  ] as [Answer, RegExp | null][])('is tested now: %j', async (given, problem) => {
    await connect()
    answers = [given]
    const result = (await call('POST', '/test')).json()
    if (problem === null) expect(result).toEqual({ problem: null })
    else expect(result.problem).toMatch(problem)
    expect((await shown())?.last?.problem).toBe(result.problem)
    expect(posts).toMatchObject([{ url: SLACK, text: expect.stringContaining('Teste dos avisos de Arco') }])
    expect((await audited()).at(-1)?.action).toBe('alerts.webhook_tested')
  })
})

function user(more: object): Caller {
  const id = randomUUID()
  return {
    kind: 'user',
    userId: id,
    email: 'ana@exemplo.com.br',
    sessionId: id,
    role: 'admin',
    aal: 'aal1',
    needsSecondFactor: false,
    ...more,
  }
}
