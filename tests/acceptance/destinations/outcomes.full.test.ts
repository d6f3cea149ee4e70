import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { OptionalCategory } from '#contract/consent.ts'
import type { PixelDeliveries } from '#contract/conversions.ts'
import type {
  CreatedOutcomeKey,
  OutcomeDeliveries,
  OutcomeDeliveryState,
  OutcomeReport,
} from '#contract/outcomes.ts'
import { siteDate } from '#contract/site.ts'
import type { VisitReport } from '#contract/visit-report.ts'
import { DESTINATIONS as ALL_DESTINATIONS } from '#server/conversions/destinations/destinations.ts'
import { ALL, DESTINATIONS, prepareEventSite, prepareVendorsAndMail } from '#tests/support/event-site.ts'

const surroundings = prepareVendorsAndMail()

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const QUERY =
  '?utm_campaign=black-friday&utm_source=x&gclid=GCLICK&fbclid=FCLICK&ttclid=TCLICK&li_fat_id=LCLICK&epik=ECLICK'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/
const AT = new Date(Date.now() - 3_600_000)
const SECONDS = Math.floor(AT.getTime() / 1000)

interface Case {
  pixel: object
  host: string
  event: string
  category: OptionalCategory
  /** How its events end. */
  state: 'accepted' | 'unconfirmed'
  /** Everything that the vendor gets about the outcome. */
  body: (value: boolean) => object
  /** It can match an outcome without a click on its own ad. */
  needsNoClick?: true
  /** It takes outcomes of the last 90 days. */
  takesOld?: true
}

const CASES: Record<string, Case> = {
  meta: {
    pixel: DESTINATIONS.meta,
    host: 'graph.facebook.com',
    event: 'ContaAprovada',
    category: 'marketing',
    state: 'accepted',
    body: (value) => ({
      data: [
        {
          event_name: 'ContaAprovada',
          event_time: SECONDS,
          event_id: expect.stringMatching(UUID),
          action_source: 'system_generated',
          user_data: { fbc: expect.stringMatching(/^fb\.1\.\d{13}\.FCLICK$/) },
          ...(value && { custom_data: { value: 189.9, currency: 'BRL' } }),
        },
      ],
    }),
  },
  google_analytics: {
    pixel: { ...DESTINATIONS.google, consent_category: 'desempenho' },
    host: 'www.google-analytics.com',
    event: 'qualify_lead',
    category: 'desempenho',
    state: 'unconfirmed',
    needsNoClick: true,
    body: (value) => ({
      client_id: expect.stringMatching(/^\d{1,10}\.\d{10}$/),
      timestamp_micros: AT.getTime() * 1000,
      consent: { ad_user_data: 'GRANTED', ad_personalization: 'GRANTED' },
      events: [
        {
          name: 'qualify_lead',
          timestamp_micros: AT.getTime() * 1000,
          params: {
            ...(value && { value: 189.9, currency: 'BRL' }),
            session_id: expect.stringMatching(/^\d{10}$/),
            engagement_time_msec: 1,
            page_location: 'https://www.exemplo.com.br/?gclid=GCLICK',
          },
        },
      ],
    }),
  },
  webhook: {
    pixel: DESTINATIONS.hook,
    host: 'hooks.exemplo.com.br',
    takesOld: true,
    event: 'outcome.primeira_venda',
    category: 'funcionalidade',
    state: 'accepted',
    needsNoClick: true,
    body: (value) => ({
      type: 'outcome.primeira_venda',
      timestamp: AT.toISOString(),
      data: {
        event_id: expect.stringMatching(UUID),
        name: 'primeira_venda',
        ...(value && { value: '189.90', currency: 'BRL' }),
      },
    }),
  },
  tiktok: {
    pixel: {
      name: 'TikTok',
      type: 'custom',
      destination: 'tiktok',
      destination_account: 'C1ABCDEF2GHIJKLMNOP0',
      delivery: 'server',
      access_token: 'good-token',
    },
    host: 'business-api.tiktok.com',
    event: 'ApplicationApproval',
    category: 'marketing',
    state: 'accepted',
    body: (value) => ({
      event_source: 'web',
      event_source_id: 'C1ABCDEF2GHIJKLMNOP0',
      data: [
        {
          event: 'ApplicationApproval',
          event_time: SECONDS,
          event_id: expect.stringMatching(UUID),
          user: { ttclid: 'TCLICK' },
          ...(value && { properties: { value: 189.9, currency: 'BRL' } }),
        },
      ],
    }),
  },
  google_ads: {
    pixel: {
      name: 'Google Ads',
      type: 'custom',
      destination: 'google_ads',
      destination_account: '123-456-7890',
      event_ids: { lead: '987654321' },
      delivery: 'server',
      access_token: JSON.stringify({
        client_email: 'good-outcomes@projeto.iam.gserviceaccount.com',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      }),
    },
    host: 'datamanager.googleapis.com',
    takesOld: true,
    event: '987654399',
    category: 'marketing',
    state: 'unconfirmed',
    body: (value) => ({
      destinations: [
        {
          operatingAccount: { accountType: 'GOOGLE_ADS', accountId: '1234567890' },
          productDestinationId: '987654399',
        },
      ],
      consent: { adUserData: 'CONSENT_GRANTED', adPersonalization: 'CONSENT_GRANTED' },
      events: [
        {
          eventTimestamp: AT.toISOString(),
          eventSource: 'WEB',
          transactionId: expect.stringMatching(UUID),
          adIdentifiers: { gclid: 'GCLICK' },
          ...(value && { conversionValue: 189.9, currency: 'BRL' }),
        },
      ],
    }),
  },
  linkedin: {
    pixel: {
      name: 'LinkedIn',
      type: 'custom',
      destination: 'linkedin',
      event_ids: { lead: '104012' },
      delivery: 'server',
      access_token: 'good-token',
    },
    host: 'api.linkedin.com',
    takesOld: true,
    event: '104099',
    category: 'marketing',
    state: 'accepted',
    body: (value) => ({
      conversion: 'urn:lla:llaPartnerConversion:104099',
      conversionHappenedAt: AT.getTime(),
      eventId: expect.stringMatching(UUID),
      user: { userIds: [{ idType: 'LINKEDIN_FIRST_PARTY_ADS_TRACKING_UUID', idValue: 'LCLICK' }] },
      ...(value && { conversionValue: { currencyCode: 'BRL', amount: '189.90' } }),
    }),
  },
}

const LABELS = { primeira_venda: 'Primeira venda', conta_aprovada: 'Conta aprovada' }

const site = prepareEventSite('sqlite', surroundings)
let key: string
beforeEach(async () => {
  for (const [name, label] of Object.entries(LABELS))
    await site.admin('POST', '/outcomes/names', { name, label })
  key = (await site.admin<CreatedOutcomeKey>('POST', '/outcomes/keys', { name: 'Loja', mode: 'live' })).key
})
afterEach(async () => {
  const { db } = site.database
  for (const table of [
    'outcomes',
    'outcome_values',
    'outcome_keys',
    'outcome_names',
    'visit_codes',
    'outcome_campaign_values',
  ] as const)
    await db.deleteFrom(table).execute()
  await db.deleteFrom('counts').where('series', 'like', 'outcome%').execute()
})

/** Somebody who chose, and used a link to the app. */
const visit = async (granted: readonly OptionalCategory[], query = QUERY) => {
  const person = await site.visitor(granted)
  const code = `v_${randomUUID().replaceAll('-', '')}`
  const answer = await site.app.inject({
    method: 'POST',
    url: '/api/visits',
    headers: { cookie: person.cookie, origin: 'https://www.exemplo.com.br' },
    payload: { code, query },
  })
  expect(answer.statusCode).toBe(204)
  return { ...person, code }
}
const report = async (
  payload: object | object[],
  bearer = key,
): Promise<{ id: string; status: string; code?: string }[]> => {
  const answer = await site.app.inject({
    method: 'POST',
    url: '/api/outcomes',
    headers: { authorization: `Bearer ${bearer}` },
    payload,
  })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().results
}
const sale = (visitCode: string, change: object = {}) => ({
  name: 'primeira_venda',
  id: randomUUID(),
  visit: visitCode,
  value: '189.90',
  currency: 'BRL',
  time: AT.toISOString(),
  ...change,
})
const choose = async (
  pixelId: string,
  event: string | null,
  sends_value = false,
  name = 'primeira_venda',
) => {
  const answer = await site.app.inject({
    method: 'PUT',
    url: `/admin/api/outcomes/names/${name}/destinations/${pixelId}`,
    headers: site.headers,
    payload: { event, sends_value },
  })
  return { status: answer.statusCode, message: answer.body === '' ? '' : answer.json().message }
}
const deliveriesOf = async (pixelId: string, name = 'primeira_venda'): Promise<OutcomeDeliveries> => {
  const { rows } = await site.admin<OutcomeReport>('GET', '/outcomes?days=90')
  const row = rows.find((each) => each.name === name)
  const found = row?.deliveries.find(({ pixel_id }) => pixel_id === pixelId)
  if (row === undefined || found === undefined) throw new Error('no such row')
  // Every outcome that is tied to a visit is in exactly one state.
  const sum = Object.values(found.states).reduce((total, count) => total + count, found.not_sent)
  expect(sum).toBe(row.tied)
  return found
}
const statesOf = async (
  pixelId: string,
  name?: string,
): Promise<Partial<Record<OutcomeDeliveryState, number>>> =>
  Object.fromEntries(
    Object.entries((await deliveriesOf(pixelId, name)).states).filter(([, count]) => count > 0),
  )

/** Jobs failed once and wait for the next attempt. */
const untilTried = () =>
  vi.waitFor(async () => {
    const rows = await site.events().select(['attempts', 'leased_until']).execute()
    expect(rows.every(({ attempts, leased_until }) => attempts > 0 && leased_until === null)).toBe(true)
  }, 30_000)

test('covers every destination that takes outcomes', () => {
  const taking = ALL_DESTINATIONS.filter(({ outcomes }) => outcomes !== undefined).map(({ id }) => id)
  expect(Object.keys(CASES).sort()).toEqual(taking.sort())
})

describe.each(Object.entries(CASES))(
  'an outcome for %s',
  (_id, { pixel, host, event, category, state, body, needsNoClick, takesOld }) => {
    test.each([false, true])(
      'is sent field by field, with the value only if switched on: %s',
      async (value) => {
        const { id } = await site.addRow(pixel)
        expect(await choose(id, event, value)).toMatchObject({ status: 204 })
        const { code } = await visit(ALL)
        expect(await report(sale(code))).toMatchObject([{ status: 'accepted' }])
        await site.untilEmpty()
        expect(site.to(host).map((request) => request.body)).toEqual([body(value)])
        expect(await statesOf(id)).toEqual({ [state]: 1 })
        const { deliveries } = await site.admin<PixelDeliveries>('GET', `/pixels/${id}/deliveries`)
        expect(deliveries).toMatchObject([
          { event: 'outcome:primeira_venda', outcome_label: LABELS.primeira_venda, state },
        ])
        // The pixel's own figures have it too.
        expect(await site.counts(id)).toEqual({ [state]: 1 })
      },
    )

    test.each<[string, OptionalCategory[], boolean]>([
      ['given', ALL, true],
      ['given in part, with its category', ['marketing', 'desempenho', category], true],
      ['given in part, without it', ALL.filter((each) => each !== category), false],
    ])('with consent %s', async (_what, granted, isSent) => {
      const { id } = await site.addRow(pixel)
      await choose(id, event)
      const { code } = await visit(granted)
      expect(await report(sale(code))).toMatchObject([{ status: 'accepted' }])
      await site.untilEmpty()
      expect(site.to(host)).toHaveLength(isSent ? 1 : 0)
      expect(await statesOf(id)).toEqual({ [isSent ? state : 'withheld']: 1 })
    })

    test('with consent refused there is no visit to tie it to', async () => {
      const { id } = await site.addRow(pixel)
      await choose(id, event)
      const { code } = await visit([])
      expect(await report(sale(code))).toMatchObject([{ status: 'no_visit' }])
      expect(site.apis.tunnels).toEqual([])
      expect(await statesOf(id)).toEqual({})
    })

    test('with consent withdrawn while it waits', async () => {
      const { id } = await site.addRow(pixel)
      await choose(id, event)
      site.apis.isDown = true
      const person = await visit(ALL)
      await report(sale(person.code))
      expect(await site.waiting()).toBe(1)
      await site.choose(
        person.id,
        ALL.filter((each) => each !== category),
        person.cookie,
      )
      expect(await site.waiting()).toBe(0)
      const { withheld = 0, unconfirmed = 0 } = await statesOf(id)
      expect(withheld + unconfirmed).toBe(1)
      expect(site.apis.received).toEqual([])
    })

    test('without a click on an ad of the vendor', async () => {
      const { id } = await site.addRow(pixel)
      await choose(id, event)
      const { code } = await visit(ALL, '?utm_campaign=boletim')
      await report(sale(code))
      await site.untilEmpty()
      expect(await statesOf(id)).toEqual({ [needsNoClick ? state : 'unmatched']: 1 })
    })

    test('that happened 80 days ago', async () => {
      const { id } = await site.addRow(pixel)
      await choose(id, event)
      const { code } = await visit(ALL)
      await report(sale(code, { time: new Date(Date.now() - 80 * 86_400_000).toISOString() }))
      await site.untilEmpty()
      expect(await statesOf(id)).toEqual({ [takesOld ? state : 'expired']: 1 })
    })
  },
)

test('gives Google Analytics what it demands of a purchase and of a lead', async () => {
  const { id } = await site.add('google')
  expect(await choose(id, 'purchase')).toMatchObject({
    status: 400,
    message: expect.stringContaining('valor'),
  })
  expect(await choose(id, 'purchase', true)).toMatchObject({ status: 204 })
  expect(await choose(id, 'generate_lead', false, 'conta_aprovada')).toMatchObject({ status: 204 })
  const { code } = await visit(ALL)
  await report([sale(code), sale(code, { name: 'conta_aprovada' })])
  await site.untilEmpty()
  const sent = site.to('www.google-analytics.com').flatMap(({ body }) => body.events)
  expect(sent).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        name: 'purchase',
        params: expect.objectContaining({
          transaction_id: expect.stringMatching(UUID),
          items: [{ item_id: 'primeira_venda' }],
          value: 189.9,
          currency: 'BRL',
        }),
      }),
      expect.objectContaining({
        name: 'generate_lead',
        params: expect.objectContaining({ value: 0, currency: 'BRL' }),
      }),
    ]),
  )
})

test('delivers nothing of a test key, of an unknown visit, of another name, or twice', async () => {
  const { id } = await site.add('meta')
  await choose(id, 'ContaAprovada')
  const { code } = await visit(ALL)
  const testKey = await site.admin<CreatedOutcomeKey>('POST', '/outcomes/keys', { name: 'T', mode: 'test' })
  expect(await report(sale(code), testKey.key)).toMatchObject([{ status: 'accepted' }])
  expect(await report(sale(`v_${'0'.repeat(32)}`))).toMatchObject([{ status: 'no_visit' }])
  expect(await report(sale(code, { name: 'conta_aprovada' }))).toMatchObject([{ status: 'accepted' }])
  expect(await site.waiting()).toBe(0)
  const outcome = sale(code)
  expect(await report([outcome, outcome])).toMatchObject([{ status: 'accepted' }, { status: 'duplicate' }])
  await site.untilEmpty()
  expect(site.metaEvents()).toHaveLength(1)
  expect(await statesOf(id)).toEqual({ accepted: 1 })
  expect((await deliveriesOf(id, 'conta_aprovada')).not_sent).toBe(1)
})

test('counts results and value by the campaign of the visit, without those of test keys', async () => {
  const testKey = await site.admin<CreatedOutcomeKey>('POST', '/outcomes/keys', { name: 'T', mode: 'test' })
  const { code } = await visit(ALL)
  const time = new Date().toISOString()
  await report(Array.from({ length: 5 }, () => sale(code, { time })))
  await report(
    Array.from({ length: 5 }, () => sale(code, { time })),
    testKey.key,
  )
  await report(Array.from({ length: 5 }, () => sale(`v_${'0'.repeat(32)}`, { time })))
  const today = siteDate(Date.now())
  const { rows } = await site.admin<VisitReport>('GET', `/visits?from=${today}&to=${today}&by=campaign`)
  expect(rows).toMatchObject([
    { key: 'black-friday', results: 5, values: [{ currency: 'BRL', total: '949.50' }] },
  ])
})

test('gives the same outcome the same ID at one destination, and another at the next', async () => {
  const first = await site.add('meta')
  const second = await site.add('both')
  for (const { id } of [first, second]) await choose(id, 'ContaAprovada')
  const { code } = await visit(ALL)
  const outcome = sale(code)
  await report(outcome)
  await site.untilEmpty()
  // As after a restore of an older copy.
  await site.database.db.deleteFrom('outcomes').execute()
  await report(outcome)
  await site.untilEmpty()
  const ids = site.metaEvents().map(({ event_id }) => event_id)
  expect(ids).toHaveLength(4)
  expect(new Set(ids).size).toBe(2)
})

test('gets the click IDs no more once marketing is refused while it waits', async () => {
  const { id } = await site.addRow({ ...DESTINATIONS.google, consent_category: 'desempenho' })
  await choose(id, 'close_convert_lead')
  site.apis.isDown = true
  const person = await visit(ALL)
  await report(sale(person.code))
  await untilTried()
  await site.choose(person.id, ['desempenho'], person.cookie)
  site.apis.isDown = false
  await site.admin('POST', `/pixels/${id}/deliveries/retry`)
  await site.untilEmpty()
  const [request, ...others] = site.to('www.google-analytics.com')
  expect(others).toEqual([])
  expect(request?.body.consent).toEqual({ ad_user_data: 'DENIED', ad_personalization: 'DENIED' })
  expect(JSON.stringify(request?.body)).not.toContain('CLICK')
})

test('stops sending the value at once when it is switched off', async () => {
  const { id } = await site.add('meta')
  await choose(id, 'Purchase', true)
  site.apis.isDown = true
  const { code } = await visit(ALL)
  await report(sale(code))
  await untilTried()
  await choose(id, 'VendaFeita', false)
  site.apis.isDown = false
  await site.admin('POST', `/pixels/${id}/deliveries/retry`)
  await site.untilEmpty()
  expect(site.metaEvents()).toMatchObject([{ event_name: 'VendaFeita' }])
  expect(site.metaEvents()[0]).not.toHaveProperty('custom_data')
})

test("shows a refusal in Portuguese, with the vendor's code", async () => {
  const { id } = await site.add('meta')
  await choose(id, 'ContaAprovada')
  site.apis.answer = () => ({
    status: 400,
    body: JSON.stringify({ error: { code: 100, error_subcode: 2804050, message: 'echo' } }),
  })
  const { code } = await visit(ALL)
  await report(sale(code))
  await site.untilEmpty()
  expect(await deliveriesOf(id)).toMatchObject({
    states: { refused: 1 },
    refusals: [{ reason: '100/2804050', count: 1, message: expect.stringContaining('dados suficientes') }],
  })
})

describe('the choice of an event', () => {
  test('is suggested, checked, kept and audited', async () => {
    const { id, name } = await site.add('meta')
    expect(await deliveriesOf(id)).toMatchObject({
      event: null,
      suggestion: 'PrimeiraVenda',
      sends_value: false,
    })
    expect(await choose(id, 'não pode!')).toMatchObject({
      status: 400,
      message: expect.stringContaining('Evento na Meta'),
    })
    expect(await choose(id, 'Purchase')).toMatchObject({
      status: 400,
      message: expect.stringContaining('valor'),
    })
    expect(await choose(id, 'Purchase', true)).toMatchObject({ status: 204 })
    expect(await deliveriesOf(id)).toMatchObject({ event: 'Purchase', suggestion: null, sends_value: true })
    expect(await choose(id, null)).toMatchObject({ status: 204 })
    expect(await deliveriesOf(id)).toMatchObject({ event: null, suggestion: null })
    const trail = await site.database.db
      .selectFrom('audit_events')
      .select(['after'])
      .where('action', '=', 'outcomes.event_chosen')
      .orderBy('created_at')
      .execute()
    expect(trail.map(({ after }) => after)).toEqual([
      { name: 'primeira_venda', pixel: name, event: 'Purchase', sends_value: true },
      { name: 'primeira_venda', pixel: name, event: null, sends_value: false },
    ])
  })

  test('is refused for names, pixels and vendors that take none', async () => {
    const { id } = await site.addRow({
      name: 'Pinterest',
      type: 'custom',
      destination: 'pinterest',
      destination_account: '549755885175',
      delivery: 'server',
      access_token: 'good-token',
    })
    expect(await choose(id, 'lead')).toMatchObject({ status: 400 })
    expect(await choose(randomUUID(), 'lead')).toMatchObject({ status: 404 })
    const meta = await site.add('meta')
    expect(await choose(meta.id, 'Lead', false, 'outra_coisa')).toMatchObject({ status: 404 })
  })

  test('is forgotten with the destination', async () => {
    const { id } = await site.addRow(CASES.tiktok?.pixel as object)
    await choose(id, 'Purchase')
    await site.patch(id, {
      destination: 'linkedin',
      destination_account: null,
      event_ids: { lead: '104012' },
      access_token: 'good-token',
    })
    await vi.waitFor(async () => expect((await deliveriesOf(id)).event).toBeNull(), 30_000)
  })
})
