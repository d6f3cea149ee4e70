import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { OptionalCategory } from '#contract/consent.ts'
import {
  CONSENT_TEXT_VERSION,
  EMAIL_RECIPIENTS,
  type EmailRecipient,
  textVersionFor,
} from '#contract/consent-choice.ts'
import type { CreatedOutcomeKey } from '#contract/outcomes.ts'
import { DESTINATIONS } from '#server/conversions/destinations/destinations.ts'
import { ENGINES } from '#tests/support/engines.ts'
import {
  ALL,
  DESTINATIONS as PIXELS,
  prepareEventSite,
  prepareVendorsAndMail,
} from '#tests/support/event-site.ts'
import { googleAdsPixel } from '#tests/support/vendor-apis/google-ads.ts'
import { linkedinPixel } from '#tests/support/vendor-apis/linkedin.ts'
import { pinterestPixel } from '#tests/support/vendor-apis/pinterest.ts'
import { tiktokPixel } from '#tests/support/vendor-apis/tiktok.ts'

const ADDRESS = ' Contato+News@Gmail.com'
const ORDINARY = 'ab1dc4a853625ad83eaac513f46cc02fa696fa969c99837e68cf5a6d4b41bf8b'
const GOOGLE = '61a9437f178ce629c6d1b78b7ebebdc3cca56a27aa326ca089f9acbaed88db6e'
const CLICKS = '?gclid=GCLICK&fbclid=FCLICK&ttclid=TCLICK&li_fat_id=LCLICK&epik=ECLICK'

interface Case {
  pixel: object
  host: string
  hash: string
  /** The vendor's event for an outcome; absent if it takes none. */
  outcome?: string
  /** The field with the hash, in an event and in an outcome. */
  read: (body: Body) => unknown
}
// biome-ignore lint/suspicious/noExplicitAny: bodies of five vendors.
type Body = any

const CASES: Record<EmailRecipient, Case> = {
  meta: {
    pixel: PIXELS.meta,
    host: 'graph.facebook.com',
    hash: ORDINARY,
    outcome: 'ContaAprovada',
    read: ({ data }) => data[0].user_data.em?.[0],
  },
  tiktok: {
    pixel: tiktokPixel,
    host: 'business-api.tiktok.com',
    hash: ORDINARY,
    outcome: 'ApplicationApproval',
    read: ({ data }) => data[0].user.email,
  },
  google_ads: {
    pixel: googleAdsPixel,
    host: 'datamanager.googleapis.com',
    hash: GOOGLE,
    outcome: '987654399',
    read: ({ events, encoding }) =>
      encoding === 'HEX' ? events[0].userData.userIdentifiers[0].emailAddress : events[0].userData,
  },
  pinterest: {
    pixel: pinterestPixel,
    host: 'api.pinterest.com',
    hash: ORDINARY,
    read: ({ data }) => data[0].user_data.em?.[0],
  },
  linkedin: {
    pixel: linkedinPixel,
    host: 'api.linkedin.com',
    hash: ORDINARY,
    outcome: '104099',
    read: ({ user }) =>
      user.userIds.find(({ idType }: { idType: string }) => idType === 'SHA256_EMAIL')?.idValue,
  },
}

test('every destination that takes hashed addresses is tried, and each has its place in the text', () => {
  const takers = DESTINATIONS.flatMap(({ email }) => email?.recipient ?? [])
  expect(takers.toSorted()).toEqual(EMAIL_RECIPIENTS.toSorted())
  expect(Object.keys(CASES).toSorted()).toEqual(takers.toSorted())
})

const surroundings = prepareVendorsAndMail()

describe.each(ENGINES)('hashed addresses, on %s', (engine) => {
  const site = prepareEventSite(engine, surroundings)
  let key: string
  beforeEach(async () => {
    await site.admin('POST', '/outcomes/names', { name: 'conta', label: 'Conta' })
    const made = await site.admin<CreatedOutcomeKey>('POST', '/outcomes/keys', { name: 'Loja', mode: 'live' })
    key = made.key
  })
  afterEach(async () => {
    for (const table of ['outcomes', 'outcome_keys', 'outcome_names', 'visit_codes'] as const)
      await site.database.db.deleteFrom(table).execute()
  })

  interface Person {
    id: string
    cookie: string
  }

  /** A subscription with its conversion. */
  const subscribe = async ({ cookie }: Person, query = CLICKS) => {
    await site.subscribe(ADDRESS, cookie)
    await site.send({ name: 'sign_up', path: `/${query}` }, cookie)
  }

  /** An outcome of a visit, as the customer's own system reports it. */
  const report = async ({ cookie }: Person, query = CLICKS) => {
    const code = `v_${randomUUID().replaceAll('-', '')}`
    const origin = 'https://www.exemplo.com.br'
    await site.app.inject({
      method: 'POST',
      url: '/api/visits',
      headers: { cookie, origin },
      payload: { code, query },
    })
    const answer = await site.app.inject({
      method: 'POST',
      url: '/api/outcomes',
      headers: { authorization: `Bearer ${key}` },
      payload: {
        name: 'conta',
        id: randomUUID(),
        visit: code,
        email_sha256: ORDINARY,
        email_sha256_google: GOOGLE,
      },
    })
    expect(answer.json().results[0].status).toBe('accepted')
  }

  const addPixel = async ({ pixel, outcome }: Case, change: object = {}) => {
    const { id } = await site.addRow({ ...pixel, send_hashed_email: true, ...change })
    if (outcome === undefined) return id
    const answer = await site.app.inject({
      method: 'PUT',
      url: `/admin/api/outcomes/names/conta/destinations/${id}`,
      headers: site.headers,
      payload: { event: outcome, sends_value: false },
    })
    expect(answer.statusCode).toBe(204)
    return id
  }

  /** What the vendor got, and no hash besides. */
  const received = ({ host, hash, read }: Case) => {
    const bodies = site.to(host).map(({ body }) => body)
    const others = JSON.stringify(bodies)
    expect(others).not.toContain(hash === GOOGLE ? ORDINARY : GOOGLE)
    const found = bodies.map((body) => read(body))
    expect(others.includes(hash)).toBe(found.includes(hash))
    return found
  }

  const untilTried = () => vi.waitFor(() => expect(site.apis.tunnels.length).toBeGreaterThan(0), 30_000)

  /** Lets the waiting jobs out. */
  const letOut = async (pixelId: string) => {
    site.apis.isDown = false
    site.apis.answer = () => undefined
    await vi.waitFor(async () => {
      await site.admin('POST', `/pixels/${pixelId}/deliveries/retry`)
      expect(await site.waiting()).toBe(0)
    }, 30_000)
  }

  describe.each(EMAIL_RECIPIENTS)('%s', (recipient) => {
    const own = CASES[recipient]
    const named = textVersionFor([recipient])
    const more = textVersionFor([...EMAIL_RECIPIENTS])
    const others = textVersionFor(EMAIL_RECIPIENTS.filter((id) => id !== recipient))
    const ways = own.outcome === undefined ? (['sign-up'] as const) : (['sign-up', 'outcome'] as const)

    describe.each(ways)('by %s', (way) => {
      const send = way === 'sign-up' ? subscribe : report
      // The text that names Meta alone speaks of subscribers only.
      const ofText = way === 'outcome' && recipient === 'meta' ? undefined : own.hash

      test.each<[string, number, OptionalCategory[], object, unknown[]]>([
        ['accepted, named alone', named, ALL, {}, [ofText]],
        ['accepted, named with others', more, ALL, {}, [own.hash]],
        ['accepted on the text that names all others', others, ALL, {}, [undefined]],
        ['accepted on the text that names nobody', CONSENT_TEXT_VERSION, ALL, {}, [undefined]],
        ['accepted on a text of another release', 900, ALL, {}, []],
        [
          'marketing refused, and the pixel in another category',
          more,
          ['desempenho'],
          { consent_category: 'desempenho' },
          [undefined],
        ],
        ['accepted, and not switched on', more, ALL, { send_hashed_email: false }, [undefined]],
      ])('%s', async (_what, textVersion, granted, change, expected) => {
        await addPixel(own, change)
        const person = await site.visitor(granted, textVersion)
        if (textVersion === 900) {
          await site.send({ name: 'sign_up', path: `/${CLICKS}` }, person.cookie)
          expect(await site.waiting()).toBe(0)
        } else await send(person)
        await site.untilEmpty()
        // Whom it may not reach by clicks of marketing has no outcome for a vendor that needs one.
        const isSent = !(way === 'outcome' && granted !== ALL)
        expect(received(own)).toEqual(isSent ? expected : [])
      })

      test('refused', async () => {
        const id = await addPixel(own)
        const person = await site.visitor([], more)
        await subscribe(person)
        expect(await site.waiting()).toBe(0)
        expect(await site.counts(id)).toEqual({})
        expect(site.apis.tunnels).toEqual([])
      })

      test.each<[string, number, OptionalCategory[]]>([
        ['another choice, on a text without it,', others, ALL],
        ['marketing withdrawn, and the pixel in another category,', more, ['desempenho']],
      ])('%s while it waits', async (_what, textVersion, granted) => {
        const id = await addPixel(own, { consent_category: 'desempenho' })
        // A connection that breaks would settle LinkedIn's events.
        site.apis.answer = ({ host }) => (host === own.host ? { status: 429 } : undefined)
        const person = await site.visitor(ALL, more)
        await send(person)
        await vi.waitFor(() => expect(site.to(own.host)).toHaveLength(1), 30_000)
        await site.choose(person.id, granted, person.cookie, textVersion)
        site.apis.received.length = 0
        await letOut(id)
        expect(received(own)).toEqual([undefined])
      })

      test('withdrawn while it waits', async () => {
        const id = await addPixel(own)
        site.apis.isDown = true
        const person = await site.visitor(ALL, more)
        await send(person)
        await untilTried()
        await site.choose(person.id, [], person.cookie, more)
        expect(await site.waiting()).toBe(0)
        const { withheld = 0, unconfirmed = 0 } = await site.counts(id)
        expect(withheld + unconfirmed).toBe(1)
        expect(site.apis.received).toEqual([])
      })
    })
  })

  test('an erased person’s waiting events go, whichever hash they have', async () => {
    for (const recipient of ['meta', 'google_ads'] as const) await addPixel(CASES[recipient])
    site.apis.isDown = true
    const person = await site.visitor(ALL, textVersionFor(EMAIL_RECIPIENTS))
    await subscribe(person)
    await report(person)
    expect(await site.waiting()).toBe(4)
    await site.admin('POST', '/subscriptions/erase', { email: 'contato+news@gmail.com' })
    expect(await site.waiting()).toBe(0)
  })

  test.each(['sign-up', 'outcome'] as const)(
    'Google matches by the address alone, until the switch is off: %s',
    async (way) => {
      const send = way === 'sign-up' ? subscribe : report
      const id = await addPixel(CASES.google_ads)
      const text = textVersionFor(['google_ads'])
      await send(await site.visitor(ALL, text), '?utm_source=x')
      await site.untilEmpty()
      expect(received(CASES.google_ads)).toEqual([GOOGLE])
      expect(site.to(CASES.google_ads.host)[0]?.body.events[0]).not.toHaveProperty('adIdentifiers')
      site.apis.isDown = true
      await send(await site.visitor(ALL, text), '?utm_source=x')
      await untilTried()
      await site.patch(id, { send_hashed_email: false })
      await letOut(id)
      expect(received(CASES.google_ads)).toHaveLength(1)
      expect(await site.counts(id)).toMatchObject({ unconfirmed: 1, withheld: 1 })
    },
  )

  test('Google gets the event again without the address where the account may not send it', async () => {
    const id = await addPixel(CASES.google_ads)
    const reason = 'DESTINATION_ACCOUNT_ENHANCED_CONVERSIONS_TERMS_NOT_SIGNED'
    site.apis.answer = ({ host, body }) =>
      host === CASES.google_ads.host && body.events?.[0].userData !== undefined
        ? {
            status: 400,
            body: JSON.stringify({ error: { status: 'INVALID_ARGUMENT', details: [{ reason }] } }),
          }
        : undefined
    const text = textVersionFor(['google_ads'])
    await subscribe(await site.visitor(ALL, text))
    await site.untilEmpty()
    expect(received(CASES.google_ads)).toEqual([GOOGLE, undefined])
    await subscribe(await site.visitor(ALL, text), '?utm_source=x')
    await site.untilEmpty()
    expect(await site.counts(id)).toEqual({ unconfirmed: 1, refused: 1 })
  })
})
