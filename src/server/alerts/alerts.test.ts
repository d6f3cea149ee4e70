import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AlertChoice, AlertKind } from '#contract/alerts.ts'
import { HOUR_MS } from '#contract/durations.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import { registerAdminApiPart } from '#tests/support/admin-api.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { QUICK_WORK } from '#tests/support/quick-work.ts'
import { untilBlocked } from '#tests/support/until-blocked.ts'
import { ensurePrincipal } from '../auth/accounts/principal.ts'
import { type Auth, createAuth } from '../auth/auth.ts'
import { parseConfig } from '../config.ts'
import { locked } from '../db/dialect.ts'
import { runSweeps } from '../db/sweep.ts'
import { registerErrors } from '../http/errors.ts'
import { OutgoingClient } from '../http/outgoing.ts'
import type { Caller } from '../http/security/administrators.ts'
import type { FileChange } from '../inventory/vendor-files.ts'
import type { OutgoingMail } from '../mail/transport.ts'
import { decryptContent } from '../outbox/enqueue.ts'
import { AlertWatch, registerAlerts, type WatchDeps } from './alerts.ts'
import { type AlertLine, alertEmail, headersEmail, nextMorning } from './emails.ts'

const ADDRESS = 'principal@exemplo.com.br'
/** Ten in the morning in Brasília. */
const NOW = Date.parse('2026-11-15T13:00:00.000Z')

test.each([
  ['2026-11-15T13:00:00.000Z', '2026-11-16T11:00:00.000Z'],
  // Six in the morning, and one minute before midnight, in Brasília.
  ['2026-11-15T09:00:00.000Z', '2026-11-16T11:00:00.000Z'],
  ['2026-11-16T02:59:00.000Z', '2026-11-16T11:00:00.000Z'],
])('the morning after %s is %s', (now, morning) => {
  expect(new Date(nextMorning(Date.parse(now))).toISOString()).toBe(morning)
})

describe.each(ENGINES)('alerts by mail, on %s', (engine) => {
  let database: TestDatabase
  let auth: Auth
  const received: OutgoingMail[] = []
  let userId: string
  let pixels: [string, string]
  let app: FastifyInstance
  let caller: Caller
  let overview: TagOverview
  let fileChanges: FileChange[]
  let deps: WatchDeps
  beforeAll(async () => {
    database = await makeDatabase(engine)
    const config = parseConfig({ PRINCIPAL_ADMIN_EMAIL: ADDRESS })
    auth = await createAuth(config, database.db, database.secrets, QUICK_WORK)
    await ensurePrincipal(auth.context)
    const { db } = database
    userId = (await db.selectFrom('auth_users').select('id').executeTakeFirstOrThrow()).id
    pixels = [
      await insertPixel(db, { type: 'meta', name: 'Loja', is_active: false }),
      await insertPixel(db, { type: 'meta', name: 'Blog', is_active: false }),
    ]
    deps = {
      db,
      adminUrl: 'https://painel.exemplo.com.br',
      canSend: true,
      log: { warn: () => {} },
      secrets: database.secrets,
      brandName: 'Arco',
      wakeOutbox: () => {},
      readOverview: async () => overview,
      readFileChanges: async () => fileChanges,
    }
    app = Fastify()
    runSweeps(app, database.db)
    registerErrors(app, { 404: '', 500: '' }, () => 'service')
    await registerAdminApiPart(app, {
      caller: () => caller,
      exceptions: '/alerts',
      register: (scope) => registerAlerts(scope, { ...deps, client: new OutgoingClient(config.outgoing) }),
    })
  })
  afterAll(async () => {
    await app.close()
    await database.close()
  })
  beforeEach(async () => {
    received.length = 0
    caller = {
      kind: 'user',
      userId,
      email: ADDRESS,
      sessionId: userId,
      role: 'admin',
      aal: 'aal1',
      needsSecondFactor: false,
    }
    tell([])
    fileChanges = []
    for (const table of [
      'alert_mails',
      'alert_states',
      'alert_choices',
      'served_headers',
      'deliveries',
    ] as const)
      await database.db.deleteFrom(table).execute()
  })

  /** Sets the health of the tags, as the overview returns it. */
  function tell(
    broken: readonly string[],
    hosts: readonly [string, string][] = [],
    refused: readonly string[] = [],
  ) {
    const status = (pixel_id: string) => ({
      pixel_id,
      health: broken.includes(pixel_id) ? 'broken' : 'working',
      reasons: refused.includes(pixel_id)
        ? [{ code: 'token_refused', message: 'A Meta recusou o token.' }]
        : [{ code: 'x', message: 'Nenhuma visita chegou à Meta.' }],
    })
    overview = {
      pixels: pixels.map(status),
      blocked_hosts: hosts.map(([pixel_id, host]) => ({ host, pixel_ids: [pixel_id] })),
    } as unknown as TagOverview
  }
  const choose = (kinds: AlertKind[]) =>
    app.inject({ method: 'PUT', url: '/admin/api/alerts', payload: { kinds } })
  const chosen = async () => (await app.inject({ url: '/admin/api/alerts' })).json<AlertChoice>()
  /** Two processes at the same moment. */
  const round = async (now: number) => {
    const replicas = [new AlertWatch(deps), new AlertWatch(deps)]
    await Promise.all(replicas.map((replica) => replica.look(now)))
    await Promise.all(replicas.map((replica) => replica.mailDue(now)))
    const rows = await database.db
      .deleteFrom('deliveries')
      .returning(['id', 'sealed', 'created_at'])
      .execute()
    for (const row of rows.sort((a, b) => a.created_at.localeCompare(b.created_at)))
      received.push(await decryptContent<OutgoingMail>(database.secrets, row))
  }
  const unsent = () =>
    database.db.selectFrom('alert_mails').select('id').where('sent_at', 'is', null).execute()
  const subjects = () => received.map(({ subject }) => subject)

  test('are chosen by each person, and not by keys', async () => {
    expect(await chosen()).toEqual({ kinds: [], weekly_summary: false, can_send: true })
    expect((await choose(['broken', 'new_host', 'broken'])).json()).toEqual({
      kinds: ['broken', 'new_host'],
      weekly_summary: false,
      can_send: true,
    })
    expect((await chosen()).kinds).toEqual(['broken', 'new_host'])
    expect((await choose(['outro' as AlertKind])).statusCode).toBe(400)
    await choose([])
    expect((await chosen()).kinds).toEqual([])
    for (const [who, status] of [
      [{ kind: 'guest' }, 401],
      [{ kind: 'service' }, 403],
      [{ ...caller, role: null }, 403],
    ] as [Caller, number][]) {
      caller = who
      expect((await choose(['broken'])).statusCode).toBe(status)
      expect((await app.inject({ url: '/admin/api/alerts' })).statusCode).toBe(status)
    }
  })

  test('sends one email when a pixel stops working, from two processes, and none while it stays so', async () => {
    await choose(['broken'])
    tell([pixels[0]], [[pixels[0], 'x.example']], [pixels[1]])
    await round(NOW)
    expect(subjects()).toEqual(['O pixel Loja não está funcionando'])
    const [mail] = received
    expect(mail?.to).toBe(ADDRESS)
    expect(mail?.text).toContain('Loja: Não está funcionando. Nenhuma visita chegou à Meta.')
    expect(mail?.text).toContain(`https://painel.exemplo.com.br/admin/pixels/${pixels[0]}`)
    // It contains only chosen alerts.
    expect(mail?.text).not.toContain('x.example')
    await round(NOW + HOUR_MS)
    expect(received).toHaveLength(1)
  })

  test('sends at most one email per day and pixel, and the rest in the next morning’s digest', async () => {
    await choose(['broken', 'token_refused', 'new_host'])
    tell([pixels[0]])
    await round(NOW)
    // It recovers and breaks again; its token is refused; both tags try a new host.
    tell([])
    await round(NOW + HOUR_MS)
    tell(
      [pixels[0]],
      [
        [pixels[0], 'x.example'],
        [pixels[1], 'y.example'],
      ],
    )
    await round(NOW + 2 * HOUR_MS)
    tell(
      [],
      [
        [pixels[0], 'x.example'],
        [pixels[1], 'y.example'],
      ],
      [pixels[0]],
    )
    await round(NOW + 3 * HOUR_MS)
    expect(subjects()).toEqual([
      'O pixel Loja não está funcionando',
      'O site bloqueou um domínio novo no pixel Blog',
    ])
    expect(received[1]?.text).toContain('Blog: Tentou acessar y.example')
    await round(nextMorning(NOW) - 1)
    expect(received).toHaveLength(2)
    await round(nextMorning(NOW))
    expect(received).toHaveLength(3)
    const digest = received[2]?.text ?? ''
    for (const line of [
      'Loja: Não está funcionando.',
      'Loja: Tentou acessar x.example',
      'Loja: A Meta recusou o token.',
    ])
      expect(digest).toContain(line)
    expect(digest).not.toContain('y.example')
  })

  test('sends one email about all due lines while another process holds one of them', async () => {
    const { db } = database
    await choose(['broken'])
    tell(pixels)
    const watch = new AlertWatch(deps)
    await watch.look(NOW)
    let mailing = Promise.resolve()
    await db.transaction().execute(async (trx) => {
      await locked(
        trx,
        trx.selectFrom('alert_mails').select('id').where('pixel_id', '=', pixels[1]),
      ).execute()
      mailing = watch.mailDue(NOW)
      await untilBlocked(db)
    })
    await mailing
    await round(NOW)
    expect(subjects()).toEqual(['Avisos sobre 2 pixels'])
  })

  test('emails each change of a vendor’s file once, only to people who chose it', async () => {
    await choose(['broken'])
    const changeTo = (sha256: string) => {
      fileChanges = [{ pixelId: pixels[0], url: 'https://vendor.example/tag.js', sha256 }]
    }
    changeTo('a')
    await round(NOW)
    expect(subjects()).toEqual([])
    await choose(['script_changed'])
    changeTo('b')
    await round(NOW + 1)
    await round(NOW + 2)
    expect(subjects()).toEqual(['Um arquivo do pixel Loja mudou'])
    expect(received[0]?.text).toContain('https://vendor.example/tag.js')
    expect(received[0]?.text).toContain('https://painel.exemplo.com.br/admin/inventario')
    changeTo('c')
    await round(NOW + 26 * HOUR_MS)
    expect(subjects()).toHaveLength(2)
  })

  test('emails changed headers once, at most once a day, only to people who chose it', async () => {
    const { db } = database
    const changeAt = (time: number, is_unasked = true) =>
      db
        .insertInto('served_headers')
        .values({
          id: randomUUID(),
          headers_hash: String(time),
          tag_set_version: 'set',
          is_unasked,
          since: new Date(time).toISOString(),
        })
        .execute()
    await choose(['broken'])
    await changeAt(NOW)
    await round(NOW + 1)
    expect(received).toEqual([])
    // Changes from before the choice are not reported.
    await choose(['headers_changed'])
    await db
      .updateTable('alert_choices')
      .set({ changed_at: new Date(NOW + 2).toISOString() })
      .execute()
    await round(NOW + 3)
    expect(received).toEqual([])
    await changeAt(NOW + 4, false)
    await changeAt(NOW + 5)
    await round(NOW + 6)
    await round(NOW + 7)
    expect(received).toMatchObject([
      {
        to: ADDRESS,
        subject: 'A segurança da página mudou sem mudança de tag',
        text: expect.stringContaining('15/11/2026, 10:00'),
      },
    ])
    for (const hours of [1, 2]) await changeAt(NOW + hours * HOUR_MS)
    await round(NOW + 3 * HOUR_MS)
    expect(received).toHaveLength(1)
    await round(nextMorning(NOW))
    await round(nextMorning(NOW) + 1)
    expect(received).toHaveLength(2)
    expect(received[1]?.text).toContain('15/11/2026, 11:00; 15/11/2026, 12:00')
    // A line from a wrong clock suppresses nothing.
    const later = nextMorning(NOW) + 25 * HOUR_MS
    await db
      .insertInto('audit_events')
      .values({
        id: randomUUID(),
        actor: 'inventory',
        action: 'inventory.headers_told',
        created_at: new Date(later + 9_000 * HOUR_MS).toISOString(),
      })
      .execute()
    await changeAt(later)
    await round(later + 1)
    expect(received).toHaveLength(3)
    await db.deleteFrom('audit_events').where('created_at', '>', new Date(later).toISOString()).execute()
    const trail = await db
      .selectFrom('audit_events')
      .select('action')
      .where('action', 'like', 'inventory.%')
      .execute()
    expect(trail).toHaveLength(2)
  })

  test('does not report what existed when somebody subscribed', async () => {
    tell([pixels[0]], [[pixels[1], 'x.example']])
    await choose(['broken', 'new_host'])
    await round(NOW)
    expect(received).toEqual([])
    tell([pixels[0], pixels[1]], [[pixels[1], 'x.example']])
    await round(NOW + HOUR_MS)
    expect(subjects()).toEqual(['O pixel Blog não está funcionando'])
  })

  test('leaves a line that an earlier release holds, and emails it once when the lease ends', async () => {
    const { db } = database
    await choose(['broken'])
    tell(pixels)
    await new AlertWatch(deps).look(NOW)
    await db
      .updateTable('alert_mails')
      .set({ leased_until: new Date(NOW + 120_000).toISOString(), attempts: 3 })
      .execute()
    await round(NOW + 60_000)
    expect(received).toEqual([])
    await round(NOW + 120_001)
    await round(NOW + 120_002)
    expect(subjects()).toEqual(['Avisos sobre 2 pixels'])
    // The earlier release looks for lines without a time.
    expect(await unsent()).toEqual([])
  })

  test('leaves the lines of a killed process to the next one', async () => {
    await choose(['broken'])
    tell([pixels[0]])
    const encrypt = () => Promise.reject(new Error('killed'))
    const killed = new AlertWatch({ ...deps, secrets: { ...deps.secrets, encrypt } })
    await killed.look(NOW)
    await expect(killed.mailDue(NOW)).rejects.toThrow('killed')
    expect(await unsent()).toHaveLength(1)
    await round(NOW + 1)
    expect(subjects()).toEqual(['O pixel Loja não está funcionando'])
  })

  test('a line that a wrong clock put far ahead is due when the clock is right', async () => {
    await choose(['broken'])
    tell([pixels[0]])
    await new AlertWatch(deps).look(NOW + 30 * 24 * HOUR_MS)
    await round(NOW)
    expect(subjects()).toEqual(['O pixel Loja não está funcionando'])
  })

  test('emails nobody without access, and nothing about a deleted pixel', async () => {
    const { db } = database
    await choose(['broken'])
    tell([pixels[0]])
    await new AlertWatch(deps).look(NOW)
    await db
      .updateTable('tracking_pixels')
      .set({ deleted_at: new Date(NOW).toISOString() })
      .where('id', '=', pixels[0])
      .execute()
    await round(NOW + 1)
    await db.updateTable('tracking_pixels').set({ deleted_at: null }).execute()
    const roles = await db.deleteFrom('admin_roles').returningAll().execute()
    tell([pixels[1]])
    await round(NOW + 2)
    await db.insertInto('admin_roles').values(roles).execute()
    expect(received).toEqual([])
  })

  test.each([
    ['banned', { banned_until: new Date(NOW + HOUR_MS).toISOString() }],
    ['deleted', { deleted_at: new Date(NOW - HOUR_MS).toISOString() }],
  ])('emails nothing to a %s administrator, new or pending', async (_state, columns) => {
    const { db } = database
    await choose(['broken', 'headers_changed'])
    await db
      .updateTable('alert_choices')
      .set({ changed_at: new Date(NOW).toISOString() })
      .execute()
    tell([pixels[0]])
    await new AlertWatch(deps).look(NOW)
    await db.updateTable('auth_users').set(columns).execute()
    tell(pixels)
    await db
      .insertInto('served_headers')
      .values({
        id: randomUUID(),
        headers_hash: 'other',
        tag_set_version: 'set',
        is_unasked: true,
        since: new Date(NOW + 1).toISOString(),
      })
      .execute()
    await round(NOW + 2)
    await db.updateTable('auth_users').set({ banned_until: null, deleted_at: null }).execute()
    expect(received).toEqual([])
    expect(await unsent()).toEqual([])
  })
})

describe('the text of an alert', () => {
  const URL = 'https://painel.exemplo.com.br'
  const times = (count: number) => Array.from({ length: count }, (_, n) => new Date(NOW + n).toISOString())
  test.each([
    [20, /10:00 \(horário/],
    [21, /; e mais 1 vez \(horário/],
    [25, /; e mais 5 vezes \(horário/],
  ])('lists or counts %d changes of headers', (count, expected) => {
    expect(headersEmail(times(count), URL).paragraphs.join(' ')).toMatch(expected)
  })

  const line = (change: Partial<AlertLine> = {}): AlertLine => ({
    pixelId: 'a',
    pixelName: 'Loja',
    kind: 'broken',
    text: 'Texto.',
    ...change,
  })
  test.each<[AlertLine[], string, string]>([
    [[line()], 'O pixel Loja não está funcionando', '/admin/pixels/a'],
    [[line({ kind: 'token_refused' })], 'O token de acesso do pixel Loja foi recusado', '/admin/pixels/a'],
    [[line({ kind: 'new_host' })], 'O site bloqueou um domínio novo no pixel Loja', '/admin/pixels/a'],
    [[line({ kind: 'script_changed' })], 'Um arquivo do pixel Loja mudou', '/admin/inventario'],
    [[line(), line({ kind: 'script_changed' })], 'Avisos sobre o pixel Loja', '/admin/pixels/a'],
    [[line({ kind: null })], 'Avisos sobre o pixel Loja', '/admin/pixels/a'],
    [[line(), line({ pixelId: 'b' })], 'Avisos sobre 2 pixels', '/admin/problemas'],
    [
      [line({ kind: 'script_changed' }), line({ kind: 'script_changed', pixelId: 'b' })],
      'Avisos sobre 2 pixels',
      '/admin/inventario',
    ],
  ])('%j has its subject and a link to where it can be seen', (lines, subject, path) => {
    expect(alertEmail(lines, URL)).toMatchObject({ subject, action: { url: URL + path } })
  })

  test.each<[AlertLine[], string]>([
    [[line()], 'Texto.'],
    [[line(), line({ pixelId: 'b', pixelName: 'Chat' })], 'Loja e Chat.'],
    [
      ['a', 'b', 'c'].map((id) => line({ pixelId: id, pixelName: `Pixel ${id}` })),
      'Pixel a, Pixel b e mais 1.',
    ],
  ])('the preview of %j says why, or names the pixels', (lines, preview) => {
    expect(alertEmail(lines, URL).preview).toBe(preview)
  })

  test.each([
    [20, []],
    [21, ['E mais 1 aviso. Veja todos no painel.']],
    [22, ['E mais 2 avisos. Veja todos no painel.']],
  ])('lists up to twenty of %d alerts', (count, rest) => {
    expect(
      alertEmail(
        Array.from({ length: count }, () => line()),
        URL,
      ).paragraphs.slice(20),
    ).toEqual(rest)
  })
})
