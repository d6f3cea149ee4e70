import { createHash } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import type { OptionalCategory } from '#contract/consent.ts'
import { CONSENT_TEXT_VERSION, textVersionFor } from '#contract/consent-choice.ts'
import { ALL, type EventSite } from '#tests/support/event-site.ts'

/** The text that names Meta alone. */
const META_TEXT = textVersionFor(['meta'])

/** The hashed address of a subscription, and the visitor’s own ID. */
export function testAddresses(site: EventSite): void {
  const {
    add,
    patch,
    admin,
    choose,
    cookieOf,
    send,
    visitor,
    subscribe,
    hashes,
    events,
    waiting,
    untilEmpty,
    counts,
    metaEvents,
  } = site

  const MARIA = 'maria.silva@example.com.br'
  const MARIA_HASH = '6fe0396647598bff88a6cecfb6434f11e5a79b8e0eceb9a95158e63540b23892'
  const kept = () => site.database.db.selectFrom('sign_up_hashes').selectAll().execute()

  test.each<[string, object, number, OptionalCategory[], string[] | undefined]>([
    ['longer text, accepted and switched on', {}, META_TEXT, ALL, [MARIA_HASH]],
    ['not switched on', { send_hashed_email: false }, META_TEXT, ALL, undefined],
    ['the shorter text was shown', {}, CONSENT_TEXT_VERSION, ALL, undefined],
    [
      'marketing refused, and the pixel in another category',
      { consent_category: 'desempenho' },
      META_TEXT,
      ['desempenho'],
      undefined,
    ],
  ])('the address of a subscription: %s', async (_name, change, textVersion, granted, expected) => {
    await add('meta', change)
    const { cookie } = await visitor(granted, textVersion)
    await subscribe(MARIA, cookie)
    expect((await kept()).map(({ email_hash }) => email_hash)).toEqual(expected ?? [])
    await send({ name: 'lead' }, cookie)
    await send({ name: 'sign_up' }, cookie)
    // The hash belonged to the first one.
    await send({ name: 'sign_up' }, cookie)
    await untilEmpty()
    expect(hashes().filter((each) => each !== undefined)).toEqual(expected === undefined ? [] : [expected])
    expect(metaEvents().find(({ event_name }) => event_name === 'Lead').user_data.em).toBeUndefined()
    expect(await kept()).toEqual([])
  })

  test('sends the address only for pixels that are set to', async () => {
    const meta = await add('meta')
    const both = await add('both')
    site.apis.isDown = true
    const { cookie } = await visitor(ALL, META_TEXT)
    await subscribe(MARIA, cookie)
    await send({ name: 'sign_up' }, cookie)
    const rows = await events().select(['pixel_id', 'email_hash', 'payload']).execute()
    expect(
      new Map(rows.map((row) => [row.pixel_id, [row.email_hash, row.payload.includes(MARIA_HASH)]] as const)),
    ).toEqual(
      new Map([
        [meta.id, [MARIA_HASH, true]],
        [both.id, [null, false]],
      ]),
    )
  })

  test('does not send the address after a reduced consent, nor after ten minutes', async () => {
    await add('meta')
    const fickle = await visitor(ALL, META_TEXT)
    await subscribe(MARIA, fickle.cookie)
    await send({ name: 'sign_up' }, cookieOf(fickle.id, ALL, CONSENT_TEXT_VERSION))
    const slow = await visitor(ALL, META_TEXT)
    await subscribe('bia@exemplo.com.br', slow.cookie)
    await site.database.db
      .updateTable('sign_up_hashes')
      .set({ expires_at: new Date().toISOString() })
      .where('consent_id', '=', slow.id)
      .execute()
    await send({ name: 'sign_up' }, slow.cookie)
    await untilEmpty()
    expect(hashes()).toEqual([undefined, undefined])
  })

  test('stores only a hash, and deletes it with the consent, the person and the switch', async () => {
    const { db } = site.database
    const meta = await add('meta')
    site.apis.isDown = true
    const signUp = async () => {
      const who = await visitor(ALL, META_TEXT)
      await subscribe(MARIA, who.cookie)
      await send({ name: 'sign_up' }, who.cookie)
      // Again, before the page posts the conversion.
      await subscribe(MARIA, who.cookie)
      return who
    }
    const found = async () => [
      (await events().select('email_hash').execute()).map(({ email_hash }) => email_hash),
      (await kept()).length,
    ]
    const withdrawn = await signUp()
    expect(await found()).toEqual([[MARIA_HASH], 1])
    for (const table of ['deliveries', 'sign_up_hashes', 'audit_events'] as const)
      expect(JSON.stringify(await db.selectFrom(table).selectAll().execute())).not.toContain('maria')
    await choose(withdrawn.id, ['desempenho'], withdrawn.cookie, META_TEXT)
    expect(await found()).toEqual([[], 0])

    await signUp()
    await admin('POST', '/subscriptions/erase', { email: ' Maria.Silva@example.com.br' })
    expect(await found()).toEqual([[], 0])
    expect(await counts(meta.id)).toEqual({ withheld: 2 })

    await signUp()
    await patch(meta.id, { send_hashed_email: false })
    site.apis.isDown = false
    await vi.waitFor(async () => {
      await admin('POST', `/pixels/${meta.id}/deliveries/retry`)
      expect(await waiting()).toBe(0)
    }, 30_000)
    expect(hashes()).toEqual([undefined])
  })

  test('banner and privacy policy mention it while such a pixel is active, as another text', async () => {
    const read = async (path: string) => (await fetch(site.url + path)).text()
    const SAID = ['/', '/privacidade', '/api/legal/privacidade'] as const
    const said = () => Promise.all(SAID.map(async (path) => /\(hash/.test(await read(path))))
    expect(await said()).toEqual([false, false, false])
    const meta = await add('meta')
    expect(await said()).toEqual([true, true, true])
    expect(await read('/')).toContain(` data-text="${META_TEXT}"`)
    await patch(meta.id, { send_hashed_email: false })
    expect(await said()).toEqual([false, false, false])
    expect(await read('/')).not.toContain('data-text=')
    await patch(meta.id, { send_hashed_email: true, is_active: false })
    expect(await said()).toEqual([false, false, false])
    // A choice on the longer text counts for the shorter one.
    await add('both')
    const { cookie } = await visitor(ALL, META_TEXT)
    await send({}, cookie)
    await untilEmpty()
    expect(metaEvents()).toHaveLength(1)
  })

  test('an external ID is the hash of an ID that only the visitor’s cookie has', async () => {
    await add('meta')
    const { cookie } = await visitor(ALL)
    const number = '7f3c2a10-9b4e-4c58-8e21-0d6a5b1c9e77'
    await send({}, `${cookie}; portico_visitor=${number}`)
    await untilEmpty()
    const hash = createHash('sha256').update(number).digest('hex')
    expect(hash).toBe('65c9636fdef36cd50720899adc764cfe2357664c63c990b5b166d7214ee9affc')
    expect(metaEvents()[0].user_data.external_id).toEqual([hash])
  })
}
