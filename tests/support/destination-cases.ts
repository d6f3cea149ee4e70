import { expect, test, vi } from 'vitest'
import type { OptionalCategory } from '#contract/consent.ts'
import type { PixelDeliveries } from '#contract/conversions.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import type { Verdict } from '#server/conversions/destinations/destination.ts'
import type { Answer } from '#server/http/outgoing.ts'
import { ALL, type EventSite } from './event-site.ts'

export type Heard = Exclude<Answer, { kind: 'interrupted' }>

/** An answer of a vendor. */
export function say(status: number, body: unknown = '', headers: Record<string, string> = {}): Heard {
  return { kind: 'answer', status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }
}

export function fail(code: string, written: boolean): Heard {
  return { kind: 'failed', code, written }
}

/** What is stored and shown of a verdict must not repeat what the vendor echoed. */
export function textOf(verdict: Verdict): string {
  const verdicts = verdict.kind === 'each' ? verdict.verdicts : [verdict]
  return verdicts.map((each) => ('answer' in each ? `${each.answer} ${each.message}` : '')).join('\n')
}

interface ConsentCases {
  /** A row of `tracking_pixels` in the category marketing. */
  pixel: object
  host: string
  /** The events that it sends. */
  events: readonly ServerEventName[]
  /** The cookie that keeps the click. */
  cookie: string
  /** How its events end. */
  state?: 'accepted' | 'unconfirmed'
  /** Parameters of the address without which it gets nothing. */
  query?: string
}

/** What one destination gets for each choice of the visitor, before and after the event was stored. */
export function testConsentOf(
  site: EventSite,
  { pixel, host, events, cookie: kept, state = 'accepted', query = '' }: ConsentCases,
): void {
  const { addRow, send, visitor, choose, counts, untilEmpty, waiting, admin } = site

  test.each<[string, OptionalCategory[], boolean]>([
    ['given', ALL, true],
    ['given in part, with its category', ['marketing'], true],
    ['given in part, without it', ['desempenho', 'funcionalidade'], false],
    ['refused', [], false],
  ])('with consent %s', async (_what, granted, isSent) => {
    const { id } = await addRow(pixel)
    const { cookie } = await visitor(granted)
    for (const name of events) {
      const answer = await send({ name, path: '/?gclid=g&ttclid=t&epik=e&li_fat_id=l&fbclid=f' }, cookie)
      expect([answer.headers['set-cookie'] ?? []].flat().some((each) => each.startsWith(`${kept}=`))).toBe(
        isSent,
      )
    }
    await untilEmpty()
    expect([...new Set(site.apis.tunnels)].includes(`${host}:443`)).toBe(isSent)
    expect(await counts(id)).toEqual(isSent ? { [state]: events.length } : {})
  })

  test('withdrawn while it waits', async () => {
    const { id } = await addRow(pixel)
    site.apis.isDown = true
    const person = await visitor(ALL)
    for (const name of events) await send({ name, path: `/${query}` }, person.cookie)
    expect(await waiting()).toBe(events.length)
    const answer = await choose(person.id, ['desempenho'], `${person.cookie}; ${kept}=x.1`)
    expect(answer.headers['set-cookie']).toContainEqual(
      expect.stringMatching(new RegExp(`^${kept}=; .*Max-Age=0`)),
    )
    expect(await waiting()).toBe(0)
    const { withheld = 0, unconfirmed = 0 } = await counts(id)
    expect(withheld + unconfirmed).toBe(events.length)
    expect(site.apis.received).toEqual([])
  })

  test('withdrawn without the cookie knowing', async () => {
    const { id } = await addRow(pixel)
    const person = await visitor(ALL)
    await choose(person.id, [])
    await send({ path: `/${query}` }, person.cookie)
    await untilEmpty()
    expect(await counts(id)).toEqual({ withheld: 1 })
    expect(site.apis.received).toEqual([])
  })

  test('shows neither secrets nor data of visitors in the list of attempts', async () => {
    const { id } = await addRow(pixel)
    const { cookie } = await visitor(ALL)
    await send({ path: '/?gclid=GCLICK&ttclid=TCLICK&epik=ECLICK&li_fat_id=LCLICK' }, cookie)
    await untilEmpty()
    const shown = await admin<PixelDeliveries>('GET', `/pixels/${id}/deliveries`)
    expect(shown.deliveries).toHaveLength(1)
    expect(JSON.stringify(shown)).not.toMatch(/CLICK|189\.6|Mozilla|good-/)
  })
}

/** Sends while the vendor is down, then lets the events out in one request where the destination sends several. */
export async function sendTogether(site: EventSite, pixelId: string, many: number): Promise<void> {
  site.apis.isDown = true
  const { cookie } = await site.visitor(ALL)
  for (let count = 0; count < many; count++) await site.send({}, cookie)
  await vi.waitFor(async () => {
    const rows = await site.events().select(['attempts', 'leased_until']).execute()
    expect(rows.every(({ attempts, leased_until }) => attempts > 0 && leased_until === null)).toBe(true)
  }, 30_000)
  site.apis.isDown = false
  await site.admin('POST', `/pixels/${pixelId}/deliveries/retry`)
}
