import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { textVersionFor } from '#contract/consent-choice.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import {
  ADDRESS,
  AGENT,
  ALL,
  DESTINATIONS,
  type DestinationName,
  type EventSite,
} from '#tests/support/event-site.ts'
import type { Received } from '#tests/support/vendor-apis/start-vendor-apis.ts'

/** The text that names Meta alone. */
const META_TEXT = textVersionFor(['meta'])

/** What each vendor gets, field by field. */
export function testPayloads(site: EventSite): void {
  const { add, send, visitor, subscribe, untilEmpty, to } = site

  test.each<[ServerEventName, string, string | undefined, string, object]>([
    ['page_view', 'PageView', undefined, 'page_view', {}],
    [
      'lead',
      'Lead',
      'abrir_conta',
      'generate_lead',
      { currency: 'BRL', value: 0, lead_source: 'abrir_conta' },
    ],
    ['contact', 'Contact', 'whatsapp', 'contact', { method: 'whatsapp' }],
    ['sign_up', 'CompleteRegistration', 'newsletter', 'sign_up', { method: 'newsletter' }],
  ])('sends %s each way, field by field', async (name, metaName, content, googleName, params) => {
    for (const destination of Object.keys(DESTINATIONS)) await add(destination as DestinationName)
    const { cookie } = await visitor(ALL, META_TEXT)
    await subscribe('  Maria.Silva@Example.COM.BR ', cookie)
    const id = randomUUID()
    const before = Math.floor(Date.now() / 1000)
    const query =
      '?UTM_Source=&utm_source=news&utm_source=x&FBCLID=IwAR0AbCdEf_123&gclid=g1&ttclid=t1&utm_email=maria%40exemplo.com.br&cpf=1'
    const answer = await send(
      { id, name, title: 'Início', path: `https://www.exemplo.com.br/${query}#fim` },
      `${cookie}; _ga=GA1.1.1873645021.1794737900`,
    )
    expect(answer.statusCode).toBe(204)
    await untilEmpty()

    const url = 'https://www.exemplo.com.br/?utm_source=news'
    const metaRequests = to('graph.facebook.com').sort((a, b) => (a.path < b.path ? -1 : 1))
    // The browser's page view has no ID for merging duplicates.
    expect(metaRequests.map(({ path }) => path)).toEqual(
      name === 'page_view'
        ? ['/v26.0/482910377165024/events']
        : ['/v26.0/482910377165024/events', '/v26.0/582910377165024/events'],
    )
    for (const { headers: sent, body, path } of metaRequests) {
      const [event] = body.data
      expect(sent.authorization).toBe(path.includes('/4829') ? 'Bearer good-token' : 'Bearer good-token-2')
      expect(event.event_time).toBeGreaterThanOrEqual(before)
      const hashed = '6fe0396647598bff88a6cecfb6434f11e5a79b8e0eceb9a95158e63540b23892'
      expect(body).toEqual({
        data: [
          {
            event_name: metaName,
            event_time: expect.any(Number),
            event_id: id,
            action_source: 'website',
            event_source_url: url,
            user_data: {
              client_ip_address: ADDRESS,
              client_user_agent: AGENT,
              fbp: expect.stringMatching(/^fb\.3\.\d{13}\.\d+$/),
              fbc: expect.stringMatching(/^fb\.3\.\d{13}\.IwAR0AbCdEf_123$/),
              external_id: [expect.stringMatching(/^[0-9a-f]{64}$/)],
              ...(name === 'sign_up' && path.includes('/4829') ? { em: [hashed] } : {}),
            },
            ...(content === undefined ? {} : { custom_data: { content_name: content } }),
          },
        ],
      })
    }

    const [google, ...more] = to('www.google-analytics.com') as [Received]
    expect(more).toEqual([])
    expect(google.path).toBe('/mp/collect?measurement_id=G-7XK2M9QTLP&api_secret=google-secret')
    const micros = google.body.timestamp_micros
    const page = {
      session_id: expect.stringMatching(/^\d{10}$/),
      engagement_time_msec: 1,
      page_location: `${url}&gclid=g1`,
      page_title: 'Início',
    }
    expect(google.body).toEqual({
      client_id: '1873645021.1794737900',
      timestamp_micros: expect.any(Number),
      consent: { ad_user_data: 'GRANTED', ad_personalization: 'GRANTED' },
      ip_override: ADDRESS,
      user_agent: AGENT,
      events: [
        ...(name === 'page_view'
          ? [{ name: 'campaign_details', timestamp_micros: micros, params: { source: 'news', ...page } }]
          : []),
        { name: googleName, timestamp_micros: micros, params: { ...params, ...page } },
      ],
    })
    expect(String(micros)).toHaveLength(16)

    const [hook] = to('hooks.exemplo.com.br') as [Received]
    expect(hook.path).toBe('/c?x=1')
    expect(hook.headers).toMatchObject({
      'webhook-id': id,
      'webhook-signature': expect.stringMatching(/^v1,/),
    })
    expect(hook.body).toEqual({
      type: `conversion.${name}`,
      timestamp: expect.any(String),
      data: { event_id: id, event: name, url, title: 'Início', campaign: { utm_source: 'news' } },
    })
  })
}
