import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { formatConsent } from '#contract/consent-choice.ts'
import { ALL, type EventSite } from '#tests/support/event-site.ts'

/** What is refused. */
export function testRefusals(site: EventSite): void {
  const { add, send, visitor, waiting } = site

  test('refuses unknown events and stores nothing', async () => {
    await add('hook')
    const { cookie } = await visitor(ALL)
    const tries: [what: string, event: object, headers: Record<string, string>, status: number][] = [
      ['an unknown name', { name: 'purchase' }, {}, 400],
      ['an unknown field', { user_id: '1' }, {}, 400],
      ['an ID that is none', { id: 'x' }, {}, 400],
      ['a path with an address in it', { path: '/a@b.co' }, {}, 400],
      ['no address', { path: 'http://' }, {}, 400],
      ['a large body', { title: 'x'.repeat(9_000) }, {}, 413],
      ['another site', {}, { 'sec-fetch-site': 'cross-site' }, 403],
      ['a foreign origin', {}, { origin: 'https://evil.example' }, 403],
      ['a form', {}, { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ]
    for (const [what, event, change, status] of tries)
      expect([what, (await send(event, cookie, change)).statusCode]).toEqual([what, status])
    expect(await waiting()).toBe(0)
    expect(site.apis.tunnels).toEqual([])
  })

  test('stores and sets nothing without a choice, with one on another text, or without a destination', async () => {
    const { id, cookie } = await visitor(ALL)
    const nobody = await send({}, cookie)
    await add('meta')
    const old = formatConsent({ textVersion: 999, granted: ALL, asked: ALL, id })
    const noId = formatConsent({ textVersion: 1, granted: ALL, asked: ALL, id: '-'.repeat(36) })
    const answers = [nobody]
    for (const given of ['', `portico_consent=${old}`, `portico_consent=${noId}`])
      answers.push(await send({}, given))
    for (const answer of answers) {
      expect(answer.statusCode).toBe(204)
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    expect(await waiting()).toBe(0)
  })

  test('stores no event that Meta would refuse for want of a user agent', async () => {
    await add('meta')
    site.apis.isDown = true
    const { cookie } = await visitor(ALL)
    expect((await send({}, cookie, { 'user-agent': '' })).statusCode).toBe(204)
    expect(await waiting()).toBe(0)
    await send({}, cookie)
    expect(await waiting()).toBe(1)
  })

  test('refuses a flood from one address', async () => {
    const { cookie } = await visitor(ALL)
    const answers = await Promise.all(Array.from({ length: 70 }, () => send({}, cookie)))
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10)
  })

  test('the same event again changes nothing while it waits', async () => {
    await add('meta')
    site.apis.isDown = true
    const { cookie } = await visitor(ALL)
    const id = randomUUID()
    for (let copy = 0; copy < 3; copy++) await send({ id }, cookie)
    expect(await waiting()).toBe(1)
  })
}
