import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#contract/durations.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import { OTHERS, type VisitReport } from '#contract/visit-report.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { QUICK_WORK } from '#tests/support/quick-work.ts'
import { startTestApp } from '#tests/support/test-app.ts'
import { ensurePrincipal } from '../auth/accounts/principal.ts'
import { createAuth } from '../auth/auth.ts'
import { parseConfig } from '../config.ts'
import { RateCounter } from '../http/limits/counter.ts'
import { PublicLimits } from '../http/limits/public.ts'
import { renderEmail } from '../mail/email.ts'
import type { OutgoingMail } from '../mail/transport.ts'
import { decryptContent } from '../outbox/enqueue.ts'
import { AlertWatch, type WatchDeps } from './alerts.ts'
import { storeSummaryChoice } from './summary.ts'
import { summaryEmail } from './summary-email.ts'
import { registerUnsubscribe } from './unsubscribe.ts'

const ADDRESS = 'principal@exemplo.com.br'
/** A Monday; eight in the morning in Brasília. */
const EIGHT = Date.parse('2026-11-16T11:00:00.000Z')

function report(visits: readonly number[], more: Partial<VisitReport> = {}): VisitReport {
  const total = visits.reduce((sum, count) => sum + count, 0)
  const clicks = { lead: Math.round(total / 20), contact: 3 }
  return {
    is_on: true,
    since: '2026-01-01T03:00:00.000Z',
    totals: { views: total, visits: total, visitors: total, clicks, subscriptions: 2, robots: 1 },
    series: visits.map((count, day) => ({
      at: new Date(Date.parse('2026-11-09T03:00:00.000Z') + day * DAY_MS).toISOString(),
      visits: count,
      visitors: count,
      clicks: { lead: 0, contact: 0 },
    })),
    rows: [],
    pages: [],
    estimated_days: [],
    hides_addresses: false,
    ...more,
  }
}
const WEEK = report([300, 400, 100, 100, 100, 0, 24])
const BEFORE = report([100, 100, 100, 100, 100, 100, 200])

describe('the text of the summary', () => {
  const textOf = (facts: Partial<Parameters<typeof summaryEmail>[0]>) => {
    const email = summaryEmail(
      { week: WEEK, before: BEFORE, tags: [], ...facts },
      'https://painel.exemplo.com.br',
    )
    const { subject, text, html } = renderEmail(email, 'Arco')
    expect(subject.length).toBeLessThanOrEqual(60)
    for (const said of [subject, text, html, email.preview ?? '']) {
      expect(said).not.toMatch(/undefined|null|NaN/)
      expect(said).not.toContain('[object')
    }
    return { subject, text, html }
  }

  test('compares the week, names its best day and counts clicks', () => {
    const { subject, text, html } = textOf({})
    expect(subject).toBe('Sua semana: 1.024 visitas')
    expect(text).toContain('28% a mais que na semana anterior, que teve 800. O melhor dia foi terça-feira.')
    expect(text).toContain('seg 300, ter 400, qua 100')
    expect(text).toContain('Cliques em Abrir Conta: 51 (5 a cada 100 visitas; antes 40)')
    expect(text).toContain('Nenhuma tag com problema agora.')
    expect(html.match(/height="76"/g)).toHaveLength(1)
  })

  test.each([
    [[12], [10], 'A semana anterior teve 10 visitas.'],
    [[40], [40], 'O mesmo que na semana anterior.'],
    [[30], [60], '50% a menos que na semana anterior, que teve 60.'],
    [[1_000], [1_001], 'Quase o mesmo que na semana anterior, que teve 1.001.'],
    [[0], [50], 'A semana anterior teve 50 visitas.'],
  ])('says of %j after %j: %s', (now, then, sentence) => {
    expect(textOf({ week: report(now), before: report(then) }).text).toContain(sentence)
  })

  test('compares with no week in which nobody counted', () => {
    const week = report([50], { since: '2026-11-10T12:00:00.000Z' })
    const { text } = textOf({ week })
    expect(text).toContain('Ainda não há uma semana anterior para comparar.')
    expect(text).not.toMatch(/\bantes\b/)
  })

  test('gives no share of few visits, no small numbers of a campaign, and escapes names', () => {
    const row = (key: string, visits: number | null, lead: number | null) => ({
      key,
      visits,
      visitors: visits,
      clicks: { lead, contact: 0 },
      rate: null,
    })
    const rows = [
      row('', 900, 9),
      row('a<b', 80, null),
      row(OTHERS, 70, 7),
      row('bf', 6, 0),
      row('x', null, 0),
    ]
    const { text, html } = textOf({ week: report([20], { rows }) })
    expect(text).not.toContain('a cada 100')
    expect(text).toContain('a<b: 80 visitas (Cliques em Abrir Conta: menos de 5)')
    expect(text).toContain('bf: 6 visitas (Cliques em Abrir Conta: 0)')
    expect(text).not.toMatch(/Outros|^x:/m)
    expect(html).not.toContain('a<b')
  })

  test('counts no visitors behind a proxy that hides them, and nothing if counting is off', () => {
    expect(textOf({ week: report([50], { hides_addresses: true }) }).text).not.toContain('Visitantes')
    const { subject, text } = textOf({ week: report([0], { is_on: false }) })
    expect(subject).toBe('Sua semana: como estão as tags')
    expect(text).not.toMatch(/visita/)
  })

  test('lists tags with a problem, five at most', () => {
    const tags = Array.from({ length: 7 }, (_, at) => ({ name: `Tag ${at}`, reason: 'Nada chegou à Meta.' }))
    const { text } = textOf({ tags })
    expect(text).toContain('Tag 4 (Nada chegou à Meta.)')
    expect(text).not.toContain('Tag 5')
    expect(text).toContain('E mais 2 tags.')
  })
})

describe.each(ENGINES)('the summary of the week, on %s', (engine) => {
  let database: TestDatabase
  let app: FastifyInstance
  let deps: WatchDeps
  let userId: string
  const asked: [string, string][] = []
  beforeAll(async () => {
    database = await makeDatabase(engine)
    const { db, secrets } = database
    const config = parseConfig({ PRINCIPAL_ADMIN_EMAIL: ADDRESS })
    const auth = await createAuth(config, db, secrets, QUICK_WORK)
    await ensurePrincipal(auth.context)
    userId = (await db.selectFrom('auth_users').select('id').executeTakeFirstOrThrow()).id
    const broken = await insertPixel(db, { type: 'meta', name: 'Loja' })
    await insertPixel(db, { type: 'meta', name: 'Blog' })
    deps = {
      db,
      secrets,
      adminUrl: 'https://painel.exemplo.com.br',
      brandName: 'Arco',
      canSend: true,
      log: { warn: () => {} },
      wakeOutbox: () => {},
      readFileChanges: async () => [],
      readOverview: async () =>
        ({
          pixels: [
            { pixel_id: broken, health: 'broken', reasons: [{ code: 'x', message: 'Nada chegou à Meta.' }] },
          ],
          blocked_hosts: [],
        }) as unknown as TagOverview,
      summary: {
        siteUrl: 'https://exemplo.com.br',
        readVisits: async (from, to) => {
          asked.push([from, to])
          return from === '2026-11-09' ? WEEK : BEFORE
        },
      },
    }
    const counter = new RateCounter(db, { error: () => {}, warn: () => {} } as never)
    const limits = new PublicLimits({ counter, log: { warn: () => {} }, config })
    app = Fastify()
    registerUnsubscribe(app, { db, limits, renderPage: (state) => state })
    app.addHook('onClose', () => counter.stop())
  })
  afterAll(async () => {
    await app.close()
    await database.close()
  })
  beforeEach(async () => {
    asked.length = 0
    for (const table of ['summary_weeks', 'summary_choices', 'deliveries'] as const)
      await database.db.deleteFrom(table).execute()
  })

  const choose = async (isOn = true, at = EIGHT - 1) => {
    await storeSummaryChoice(database.db, userId, isOn)
    if (isOn)
      await database.db
        .updateTable('summary_choices')
        .set({ chosen_at: new Date(at).toISOString() })
        .execute()
  }
  /** Two processes at the same moment, started just now. */
  const look = async (now: number) => {
    const replicas = [new AlertWatch(deps), new AlertWatch(deps)]
    await Promise.all(replicas.map((replica) => replica.mailSummary(now)))
  }
  const mails = async () => {
    const rows = await database.db.selectFrom('deliveries').select(['id', 'sealed', 'expires_at']).execute()
    return Promise.all(
      rows.map(async (row) => ({
        ...(await decryptContent<OutgoingMail>(database.secrets, row)),
        expiresAt: row.expires_at,
      })),
    )
  }

  test('is stored once by two processes, at eight on Monday, and expires with the day', async () => {
    await choose()
    await look(EIGHT - MINUTE_MS)
    expect(await mails()).toEqual([])
    await look(EIGHT)
    await look(EIGHT + MINUTE_MS)
    await look(EIGHT + 10 * HOUR_MS)
    expect(await mails()).toMatchObject([
      {
        to: ADDRESS,
        subject: 'Sua semana: 1.024 visitas',
        expiresAt: '2026-11-17T03:00:00.000Z',
        text: expect.stringContaining('Loja (Nada chegou à Meta.)'),
      },
    ])
    expect(asked.slice(0, 2)).toEqual([
      ['2026-11-09', '2026-11-15'],
      ['2026-11-02', '2026-11-08'],
    ])
  })

  test.each([
    ['late on Monday', EIGHT + 15 * HOUR_MS + 59 * MINUTE_MS, 1],
    ['on Tuesday', EIGHT + DAY_MS, 0],
    ['on Sunday', EIGHT - DAY_MS, 0],
  ])('of a process that was down is sent %s: %i', async (_when, now, count) => {
    await choose()
    await look(now)
    expect(await mails()).toHaveLength(count)
  })

  test('is off until somebody wants it, and waits a week for those who come later', async () => {
    await look(EIGHT)
    await choose(true, EIGHT + 1)
    await look(EIGHT + MINUTE_MS)
    await choose(false)
    await look(EIGHT + 7 * DAY_MS)
    expect(await mails()).toEqual([])
  })

  test.each([
    ['banned', { banned_until: new Date(EIGHT + HOUR_MS).toISOString() }],
    ['deleted', { deleted_at: new Date(EIGHT - HOUR_MS).toISOString() }],
  ])('is not sent to a %s administrator', async (_state, columns) => {
    await choose()
    await database.db.updateTable('auth_users').set(columns).execute()
    await look(EIGHT)
    await database.db.updateTable('auth_users').set({ banned_until: null, deleted_at: null }).execute()
    expect(await mails()).toEqual([])
  })

  test('is not sent to somebody who lost the role, nor without a mail server', async () => {
    await choose()
    await new AlertWatch({ ...deps, canSend: false }).mailSummary(EIGHT)
    const roles = await database.db.deleteFrom('admin_roles').returningAll().execute()
    await look(EIGHT)
    await database.db.insertInto('admin_roles').values(roles).execute()
    expect(await mails()).toEqual([])
  })

  test('ends by its link: GET asks, POST acts, without a sign-in, in the forms of RFC 8058', async () => {
    await choose()
    await look(EIGHT)
    const [mail] = await mails()
    expect(mail?.unsubscribeUrl).toMatch(/^https:\/\/exemplo\.com\.br\/api\/resumo-semanal\?codigo=/)
    const url = mail?.unsubscribeUrl?.slice('https://exemplo.com.br'.length) ?? ''
    const isOn = async () =>
      (await database.db.selectFrom('summary_choices').select('chosen_at').executeTakeFirstOrThrow())
        .chosen_at !== null
    const shown = await app.inject({ url })
    expect([shown.statusCode, shown.body, shown.headers['referrer-policy']]).toEqual([
      200,
      'ask',
      'no-referrer',
    ])
    expect(await isOn()).toBe(true)
    for (const [type, payload] of [
      ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
      [
        'multipart/form-data; boundary=b',
        '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
      ],
    ] as const) {
      await choose()
      const done = await app.inject({ method: 'POST', url, headers: { 'content-type': type }, payload })
      expect([done.statusCode, done.body]).toEqual([200, 'done'])
      expect(await isOn()).toBe(false)
    }
    // Once more, and after it was switched on again: the link of an earlier email still works.
    expect((await app.inject({ method: 'POST', url })).statusCode).toBe(200)
  })

  test.each([
    ['', 404],
    ['?codigo=', 404],
    ['?codigo=a&codigo=b', 404],
    ['?codigo=00000000-0000-4000-8000-000000000000.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 404],
  ])('does not end by %j', async (query, status) => {
    await choose()
    for (const method of ['GET', 'POST'] as const)
      expect((await app.inject({ method, url: `/api/resumo-semanal${query}` })).statusCode).toBe(status)
  })

  test('does not end by the signature of another person', async () => {
    await choose()
    await look(EIGHT)
    const url = ((await mails())[0]?.unsubscribeUrl ?? '').slice('https://exemplo.com.br'.length)
    const forged = url.slice(0, -1) + (url.endsWith('A') ? 'B' : 'A')
    expect((await app.inject({ method: 'POST', url: forged })).statusCode).toBe(404)
  })
})

test('the page that ends the summary is served as a page of the site, and nothing indexes it', async () => {
  const site = await startTestApp()
  const answer = await site.app.inject({ url: '/api/resumo-semanal?codigo=x' })
  expect(answer.statusCode).toBe(404)
  expect(answer.body).toContain('Este link não vale mais')
  expect(answer.body).toContain('noindex')
  expect(answer.headers['content-security-policy']).toMatch(/form-action http/)
  await site.close()
})
