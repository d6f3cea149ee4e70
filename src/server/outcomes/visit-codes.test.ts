import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OptionalCategory } from '#contract/consent.ts'
import { CONSENT_COOKIE, CONSENT_TEXT_VERSION, formatConsent } from '#contract/consent-choice.ts'
import { DAY_MS } from '#contract/durations.ts'
import { ENGINES } from '#tests/support/engines.ts'
import { sweepTable } from '#tests/support/sweep-table.ts'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { findVisit } from './visit-codes.ts'

const QUERY = 'utm_source=google&utm_medium=cpc&utm_campaign=Black%20Friday&gclid=G1&SCCID=S1&email=a%40b.co'
const makeCode = () => `v_${randomUUID().replaceAll('-', '')}`

describe.each(ENGINES)('visit codes, on %s', (engine) => {
  let site: TestApp
  beforeAll(async () => {
    site = await startTestApp({ engine })
  })
  afterAll(() => site.close())
  beforeEach(() => site.forgetLimits())

  const post = async (
    url: string,
    payload: object,
    granted: OptionalCategory[] | null,
    { id = randomUUID() as string, headers = {} } = {},
  ) => {
    const choice = { textVersion: CONSENT_TEXT_VERSION, granted: granted ?? [], asked: [], id }
    const cookie = granted === null ? {} : { cookie: `${CONSENT_COOKIE}=${formatConsent(choice)}` }
    return (
      await site.app.inject({
        method: 'POST',
        url,
        payload,
        headers: { origin: site.config.siteUrl, ...cookie, ...headers },
      })
    ).statusCode
  }
  const choose = (id: string, categories: OptionalCategory[]) =>
    post(
      '/api/consent',
      { id, action: 'save', categories, text_version: CONSENT_TEXT_VERSION, tag_set_version: 'abc' },
      categories,
      { id },
    )
  const find = (code: string, now = Date.now()) => findVisit(site.database.db, code, now)
  const countRows = async () =>
    (await site.database.db.selectFrom('visit_codes').select('id').execute()).length

  test('finds the visit of a code with its channel, campaign and click IDs', async () => {
    const [code, id] = [makeCode(), randomUUID()]
    expect(await post('/api/visits', { code, query: QUERY }, ['marketing'], { id })).toBe(204)
    expect(await find(code)).toEqual({
      consentId: id,
      channel: 'paid_search',
      campaign: 'black friday',
      clickIds: { gclid: 'G1', ScCid: 'S1' },
      at: expect.any(Number),
      secret: expect.any(Buffer),
    })
    const referred = makeCode()
    await post('/api/visits', { code: referred, referrer: 'l.instagram.com' }, ['desempenho'])
    expect(await find(referred)).toMatchObject({ channel: 'social', campaign: '', clickIds: {} })
  })

  test('stores neither code nor click ID in readable form, and no click ID without marketing', async () => {
    const [code, other] = [makeCode(), makeCode()]
    await post('/api/visits', { code, query: 'gclid=READABLE' }, ['desempenho', 'marketing'])
    const rows = await site.database.db.selectFrom('visit_codes').selectAll().execute()
    expect(rows.some(({ click_ids }) => click_ids !== null)).toBe(true)
    expect(JSON.stringify(rows)).not.toContain('READABLE')
    expect(JSON.stringify(rows)).not.toContain(code.slice(2))
    await post('/api/visits', { code: other, query: 'gclid=G1' }, ['desempenho'])
    expect((await find(other))?.clickIds).toEqual({})
  })

  test('leaves out click IDs that are too long, alone or together', async () => {
    const code = makeCode()
    const query = `gclid=${'g'.repeat(600)}&fbclid=${'f'.repeat(1_001)}&ttclid=${'t'.repeat(401)}&epik=e1&epik=e2`
    await post('/api/visits', { code, query }, ['marketing'])
    expect((await find(code))?.clickIds).toEqual({ gclid: 'g'.repeat(600), epik: 'e1' })
  })

  test('stores nothing without a choice, or for a visitor who refused', async () => {
    const before = await countRows()
    for (const granted of [null, [], ['funcionalidade']] as (OptionalCategory[] | null)[])
      expect(await post('/api/visits', { code: makeCode() }, granted)).toBe(204)
    expect(await countRows()).toBe(before)
  })

  test('a repeated call changes nothing, not even with another consent', async () => {
    const [code, id] = [makeCode(), randomUUID()]
    await post('/api/visits', { code, query: 'utm_campaign=um' }, ['marketing'], { id })
    const before = await countRows()
    expect(await post('/api/visits', { code, query: 'utm_campaign=dois' }, ['marketing'])).toBe(204)
    expect(await countRows()).toBe(before)
    expect(await find(code)).toMatchObject({ consentId: id, campaign: 'um' })
  })

  test('refuses other sites, codes of another form and unknown fields', async () => {
    const code = makeCode()
    const foreign = { headers: { origin: 'https://malvado.example' } }
    expect(await post('/api/visits', { code }, ['marketing'], foreign)).toBe(403)
    for (const body of [{}, { code: 'v_1' }, { code: code.toUpperCase() }, { code, id: 'x' }])
      expect(await post('/api/visits', body, ['marketing'])).toBe(400)
    expect(await find(code)).toBeNull()
    expect(await find("v_' or 1=1")).toBeNull()
  })

  test('a withdrawal deletes the visits of that consent only, and one of marketing their click IDs', async () => {
    const [id, other] = [randomUUID(), randomUUID()]
    const [first, second, kept] = [makeCode(), makeCode(), makeCode()]
    for (const code of [first, second])
      await post('/api/visits', { code, query: QUERY }, ['desempenho', 'marketing'], { id })
    await post('/api/visits', { code: kept, query: QUERY }, ['marketing'], { id: other })
    expect(await choose(id, ['marketing'])).toBe(204)
    expect((await find(first))?.clickIds).toEqual({ gclid: 'G1', ScCid: 'S1' })
    expect(await choose(id, ['desempenho'])).toBe(204)
    expect(await find(first)).toMatchObject({ campaign: 'black friday', clickIds: {} })
    expect(await choose(id, ['funcionalidade'])).toBe(204)
    expect([await find(first), await find(second)]).toEqual([null, null])
    expect((await find(kept))?.clickIds).toEqual({ gclid: 'G1', ScCid: 'S1' })
  })

  test('a code expires after 90 days, before and after its row is deleted', async () => {
    const code = makeCode()
    await post('/api/visits', { code }, ['marketing'])
    const now = Date.now()
    expect(await find(code, now + 89 * DAY_MS)).not.toBeNull()
    expect(await find(code, now + 90 * DAY_MS)).toBeNull()
    await sweepTable(site.database.db, 'visit_codes', { now: now + 89 * DAY_MS })
    expect(await find(code, now)).not.toBeNull()
    await sweepTable(site.database.db, 'visit_codes', { now: now + 90 * DAY_MS })
    expect(await find(code, now)).toBeNull()
  })
})
