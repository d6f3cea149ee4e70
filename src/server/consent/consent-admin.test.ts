import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { HtmlValidate } from 'html-validate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConsentOverview } from '#contract/consent.ts'
import { DAY_MS } from '#contract/durations.ts'
import type { Dossier } from '#contract/inventory.ts'
import { renderDossier } from '#landing/pages/render.tsx'
import { registerAdminApiPart } from '#tests/support/admin-api.ts'
import { makeDatabase, type TestDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { registerErrors } from '../http/errors.ts'
import type { Caller } from '../http/security/administrators.ts'
import { registerConsentAdmin } from './admin-routes.ts'
import { addToCheckpoint } from './checkpoints.ts'
import { isConsistent } from './proof/merkle-tree.ts'
import { consentCode } from './records.ts'

const SITE = {
  siteUrl: 'https://arco.example',
  brandName: 'Arco <&> Co',
  contactEmail: 'oi@arco.example',
  contactPhone: '',
  whatsappNumber: '',
  loginUrl: '',
  registerUrl: '',
  linkedinUrl: null,
  instagramUrl: null,
  legalName: 'Arco Pagamentos S.A.',
  cnpj: '12.345.678/0001-90',
  dpoEmail: null,
  retention: { consentDays: 1826, auditDays: 730, failedLoginDays: 90, reportDays: 396, visitDays: 761 },
  countsVisits: true,
  logsRequests: false,
}
const ADMIN: Caller = {
  kind: 'user',
  userId: randomUUID(),
  email: 'ana@exemplo.com.br',
  sessionId: randomUUID(),
  role: 'admin',
  aal: 'aal1',
  needsSecondFactor: false,
}
const KEPT = ['id', 'consent_id'] as const
const BOTH = 'from=2026-11-10&to=2026-11-11'
const DAY = Date.parse('2026-11-10T12:00:00.000Z')
const ALL = '["desempenho","funcionalidade","marketing"]'

describe.each(TIER_ENGINES)('consent for administrators, on %s', (engine) => {
  let database: TestDatabase
  let app: FastifyInstance
  let caller: Caller = ADMIN
  let known: Record<(typeof KEPT)[number], string>
  const pixel = randomUUID()
  beforeAll(async () => {
    database = await makeDatabase(engine)
    const { db } = database
    const choose = async (at: number, action: string, categories: string, text_version = 1) => {
      const row = { id: randomUUID(), consent_id: randomUUID() }
      await db
        .insertInto('consent_records')
        .values({
          ...row,
          action,
          categories,
          text_version,
          tag_set_version: 'v',
          created_at: new Date(at).toISOString(),
          schema_version: 1,
          notice_hash: 'n',
          parties_hash: 'p',
          retention_days: 1826,
        })
        .execute()
      return row
    }
    await choose(DAY - DAY_MS, 'accept_all', ALL)
    await addToCheckpoint(db, { now: DAY - DAY_MS + 60_000 })
    known = await choose(DAY, 'save', '["desempenho"]')
    await choose(DAY + 1, 'accept_all', ALL)
    await choose(DAY + 2, 'reject', '[]')
    await addToCheckpoint(db, { now: DAY + 60_000 })
    await choose(DAY + DAY_MS, 'accept_all', ALL, 2)
    await addToCheckpoint(db, { now: DAY + DAY_MS + 60_000 })
    const notice = { language: 'pt-BR', html: '<p>Aceita?</p>', first_served_at: new Date(DAY).toISOString() }
    await db
      .insertInto('consent_notices')
      .values([
        { hash: 'n1', version: 1, text: 'Aceita <script>alert(1)</script>?', ...notice },
        { hash: 'n9', version: 9, text: 'depois', ...notice, first_served_at: '2026-11-14T00:00:00.000Z' },
      ])
      .execute()
    const period = (started_at: number, ended_at: number | null, more: object = {}) => ({
      id: randomUUID(),
      pixel_id: pixel,
      revision: 'r',
      type: 'custom' as const,
      vendors: '["hotjar"]',
      account: '1234567',
      consent_category: 'desempenho' as const,
      told_by: '["browser"]',
      hosts: '["*.hotjar.com"]',
      files: '[{"kind":"own","path":"/tags/a.js","sha256":"ff"}]',
      started_at: new Date(started_at).toISOString(),
      ended_at: ended_at === null ? null : new Date(ended_at).toISOString(),
      ...more,
    })
    await db
      .insertInto('tag_periods')
      .values([
        period(DAY - 5 * DAY_MS, DAY - 4 * DAY_MS, { account: 'antes' }),
        period(DAY - DAY_MS, DAY),
        period(DAY, null, { account: 'depois-do-começo' }),
        period(DAY + 9 * DAY_MS, DAY + 9 * DAY_MS, { account: 'futuro' }),
      ])
      .execute()
    await db
      .insertInto('served_headers')
      .values([
        {
          id: randomUUID(),
          headers_hash: 'h0',
          tag_set_version: '',
          is_unasked: false,
          since: new Date(DAY - 5 * DAY_MS).toISOString(),
        },
        {
          id: randomUUID(),
          headers_hash: 'h1',
          tag_set_version: '',
          is_unasked: true,
          since: new Date(DAY).toISOString(),
        },
      ])
      .execute()
    app = Fastify()
    registerErrors(app, { 404: '', 500: '' }, () => 'service')
    await registerAdminApiPart(app, {
      caller: () => caller,
      origin: 'https://arco.example',
      register: (scope) =>
        registerConsentAdmin(scope, {
          db,
          site: SITE,
          keptDays: 1826,
          describeVendor: (id) => ({
            id,
            name: 'Hotjar',
            company: 'Hotjar Ltd.',
            country: 'MT',
            purpose: 'Grava.',
          }),
          renderDossier,
        }),
    })
  })
  afterAll(async () => {
    await app.close()
    await database.close()
  })
  const get = (path: string) => app.inject({ url: `/admin/api/consent${path}` })
  const trail = async () =>
    await database.db
      .selectFrom('audit_events')
      .select(['action', 'actor', 'after'])
      .orderBy('created_at')
      .execute()

  test('returns figures, notices and checkpoints of a period', async () => {
    const overview = (await get(`?${BOTH}`)).json<ConsentOverview>()
    expect(
      overview.counts.map(({ day, choice, text_version, count }) => [day, choice, text_version, count]),
    ).toEqual([
      ['2026-11-10', 'accepted', 1, 1],
      ['2026-11-10', 'refused', 1, 1],
      ['2026-11-10', 'partial', 1, 1],
      ['2026-11-11', 'accepted', 2, 1],
    ])
    expect(overview.notices.map(({ version }) => version)).toEqual([9, 1])
    expect(overview.seals).toMatchObject({ waiting: 0, last: { sequence: 3, tree_size: 5 } })
    expect(overview.recent.map(({ sequence }) => sequence)).toEqual([3, 2, 1])
  })

  test.each([
    ['', 400],
    ['?from=2026-11-11&to=2026-11-10', 400],
    ['?from=2026-02-31&to=2026-11-10', 400],
    ['?from=1999-01-01&to=1999-01-02', 400],
    ['?from=2024-01-01&to=2026-11-10', 400],
    ['?from=2999-01-01&to=2999-01-02', 400],
    [`/dossier?${BOTH}`, 400],
    [`/dossier?${BOTH}&format=pdf`, 400],
    ['/records?code=nada', 400],
    ['/records', 400],
  ])('refuses %s with %i', async (path, status) => {
    expect((await get(path)).statusCode).toBe(status)
  })

  test('finds a record by the code that its visitor sees', async () => {
    const { records } = (await get(`/records?code=${consentCode(known.consent_id)}`)).json()
    expect(records).toMatchObject([{ record: { record_id: known.id, state: 'partial' }, leaf: { seal: 2 } }])
    expect((await get('/records?code=0000-0000-0000')).json()).toEqual({ records: [] })
  })

  test.each([
    `?${BOTH}`,
    '/records?code=0000-0000-0000',
    `/export?${BOTH}`,
    `/records/export?${BOTH}`,
    `/dossier?${BOTH}&format=html`,
  ])('%s is refused to everybody but administrators', async (path) => {
    const before = (await trail()).length
    caller = { kind: 'guest' }
    expect((await get(path)).statusCode).toBe(401)
    caller = { ...ADMIN, role: null }
    expect((await get(path)).statusCode).toBe(403)
    caller = ADMIN
    expect(await trail()).toHaveLength(before)
  })

  test('records the download of figures in the audit trail', async () => {
    const answer = await get(`/export?${BOTH}`)
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(answer.body.split('\r\n')).toContain('"2026-11-10","1","save","aceitou em parte","1"')
    expect((await trail()).at(-1)).toMatchObject({
      action: 'consent.export',
      actor: ADMIN.email,
      after: { from: '2026-11-10', to: '2026-11-11' },
    })
  })

  test('exports records that verify, and records the download', async () => {
    const answer = await get(`/records/export?${BOTH}`)
    expect(answer.headers['content-type']).toBe('application/ld+json; charset=utf-8')
    const file = JSON.parse(answer.body)
    const records = file['@graph'].filter((node: { '@type': string }) => node['@type'] === 'ConsentRecord')
    expect(records.map(({ record_id }: { record_id: string }) => record_id)).toContain(known.id)
    expect((await trail()).at(-1)).toMatchObject({ action: 'consent.records_export' })
  })

  test('composes a dossier of the period, with a valid proof between its checkpoints', async () => {
    const answer = await get(`/dossier?${BOTH}&format=json`)
    const dossier = answer.json<Dossier>()
    expect(dossier.figures.total).toEqual({ accepted: 2, partial: 1, refused: 1 })
    expect(dossier.figures.days).toEqual([
      { day: '2026-11-10', accepted: 1, partial: 1, refused: 1 },
      { day: '2026-11-11', accepted: 1, partial: 0, refused: 0 },
    ])
    expect(dossier.notices.map(({ version }) => version)).toEqual([1])
    expect(dossier.tags.map(({ account }) => account)).toEqual(['1234567', 'depois-do-começo'])
    expect(dossier.tags[0]).toMatchObject({
      name: null,
      hosts: ['*.hotjar.com'],
      vendors: [{ company: 'Hotjar Ltd.' }],
    })
    expect(dossier.headers.map(({ hash, unasked }) => [hash, unasked])).toEqual([
      ['h0', false],
      ['h1', true],
    ])
    const { before, last, days, consistency } = dossier.seals
    expect([before?.sequence, days.map(({ sequence }) => sequence), last?.sequence]).toEqual([1, [2, 3], 3])
    if (before === null || last === null) throw new Error('there are no checkpoints')
    const [first, second] = [before, last].map(({ tree_size: size, root }) => ({ size, root })) as [
      { size: number; root: string },
      { size: number; root: string },
    ]
    expect(isConsistent(first, second, consistency)).toBe(true)
    expect(isConsistent({ ...first, root: second.root }, second, consistency)).toBe(false)
    expect(dossier.made_by).toBe(ADMIN.email)
    expect((await trail()).at(-1)).toMatchObject({ action: 'consent.dossier', after: { format: 'json' } })
  })

  test('renders valid HTML without external files or unsupported claims', async () => {
    const answer = await get(`/dossier?${BOTH}&format=html`)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.headers['content-disposition']).toContain('attachment')
    const html = answer.body
    const report = await new HtmlValidate({
      extends: ['html-validate:standard', 'html-validate:a11y'],
    }).validateString(html)
    expect(
      report.results.flatMap(({ messages }) =>
        messages.map(({ ruleId, message }) => `${ruleId}: ${message}`),
      ),
    ).toEqual([])
    expect(html).not.toMatch(/<(script|link|img|iframe|object)\b|\bsrc=|url\(|@import/)
    for (const words of [
      'Arco &lt;&amp;&gt; Co',
      'Aceita &lt;script&gt;',
      '10/11/2026 a 11/11/2026',
      '*.hotjar.com',
      'não se aplicam',
      'RFC 6962',
    ])
      expect(html).toContain(words)
    expect(html).not.toMatch(/certificad|em conformidade|garanti/i)
  })
})

const EMPTY_DOSSIER: Dossier = {
  format: 'portico-dossier/1',
  site: 'https://arco.example',
  controller: { name: 'Arco', legal_name: null, cnpj: null, contact: 'oi@arco.example' },
  from: '2026-11-10',
  to: '2026-11-11',
  made_at: '2026-11-16T06:00:00.000Z',
  made_by: 'ana@exemplo.com.br',
  kept_days: 1826,
  figures: { total: { accepted: 0, partial: 0, refused: 0 }, days: [], notices: [] },
  tags_known_since: null,
  tags: [],
  headers: [],
  notices: [],
  seals: { before: null, days: [], last: null, consistency: [] },
}

test('renders a valid dossier for a period without data', async () => {
  const html = renderDossier(EMPTY_DOSSIER)
  for (const words of [
    'Nenhuma resposta registrada',
    'Nenhuma tag esteve no site',
    'Nenhum selo neste período',
  ])
    expect(html).toContain(words)
  expect(html).not.toMatch(/null|undefined|NaN/)
  const report = await new HtmlValidate({
    extends: ['html-validate:standard', 'html-validate:a11y'],
  }).validateString(html)
  expect(report.valid).toBe(true)
})

test.each([
  [['browser'], null],
  [['server'], 'Envio só pelo nosso servidor.'],
  [['browser', 'server'], 'Envio pela página e pelo nosso servidor.'],
])('describes a tag sent by %j', (told_by, sentence) => {
  const html = renderDossier({
    ...EMPTY_DOSSIER,
    tags: [
      {
        pixel_id: 'a',
        name: 'Meta',
        type: 'meta',
        vendors: [],
        account: null,
        category: 'marketing',
        told_by,
        hosts: [],
        files: [],
        started_at: '2026-11-10T06:00:00.000Z',
        ended_at: null,
        reason: null,
      },
    ],
  })
  expect(/Envio [^<]*/.exec(html)?.[0] ?? null).toBe(sentence)
})
