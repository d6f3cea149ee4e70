import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import type { PixelDeliveries } from '#contract/conversions.ts'
import { DAY_MS, MINUTE_MS } from '#contract/durations.ts'
import { startOfSiteDay } from '#contract/site.ts'
import { claimDue, makeDue, settleOutcomes } from '#server/outbox/queue.ts'
import { addCounts, readCounts } from '#server/stats/counts.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { ALL, prepareEventSite, prepareVendorsAndMail } from '#tests/support/event-site.ts'
import {
  GOOGLE_WITHOUT_RESULT,
  googleKeyOf,
  googleStatus,
  isStatusRequest,
  googleAdsPixel as PIXEL,
} from '#tests/support/vendor-apis/google-ads.ts'
import type { Reply } from '#tests/support/vendor-apis/start-vendor-apis.ts'

const surroundings = prepareVendorsAndMail()

describe.each(TIER_ENGINES)('what Google says later, on %s', (engine) => {
  const site = prepareEventSite(engine, surroundings)
  const asked = () => site.apis.received.filter(isStatusRequest)
  const questions = () =>
    site.database.db.selectFrom('deliveries').selectAll().where('kind', '=', 'confirmation').execute()
  const read = (id: string) => site.admin<PixelDeliveries>('GET', `/pixels/${id}/deliveries`)
  const answerWith = (reply: Reply) => {
    site.apis.answer = (request) => (isStatusRequest(request) ? reply : undefined)
  }
  /** A pixel with one event that Google accepted. */
  const sendOne = async (change: object = {}) => {
    await site.database.db.deleteFrom('deliveries').where('kind', '=', 'confirmation').execute()
    const { id } = await site.addRow({ ...PIXEL, ...change })
    const { cookie } = await site.visitor(ALL)
    await site.send({ path: '/?gclid=g1' }, cookie)
    await site.untilEmpty()
    return id
  }
  const askNow = () => makeDue(site.database.db, { kind: 'confirmation' }, Date.now())
  /** Asked in vain, and given back. */
  const untilPutOff = () =>
    vi.waitFor(async () => {
      const [question] = await questions()
      expect(question?.leased_until).toBeNull()
      expect(Date.parse(question?.next_attempt_at ?? '')).toBeGreaterThan(Date.now() + MINUTE_MS / 2)
    }, 30_000)
  const untilSettled = () => vi.waitFor(async () => expect(await questions()).toEqual([]), 30_000)
  const counted = (subject: string) =>
    readCounts(site.database.db, { series: 'conversion.confirmation', resolution: 'day', subject, from: 0 })
  /** As if the request had had more events. */
  const setEvents = async (events: number) => {
    const [question] = await questions()
    const payload = JSON.stringify({ ...JSON.parse(question?.payload ?? ''), events })
    await site.database.db
      .updateTable('deliveries')
      .set({ payload })
      .where('id', '=', question?.id ?? '')
      .execute()
  }
  const expire = () =>
    site.database.db
      .updateTable('deliveries')
      .set({ expires_at: new Date(Date.now() - 1).toISOString() })
      .where('kind', '=', 'confirmation')
      .execute()

  test('is asked after half an hour, by the ID of the request alone', async () => {
    const id = await sendOne()
    const [question, ...others] = await questions()
    expect(others).toEqual([])
    expect(JSON.parse(question?.payload ?? '')).toEqual({
      pixel: id,
      destination: 'google_ads',
      id: expect.stringMatching(/^c2f0e7/),
      events: 1,
    })
    expect(question).toMatchObject({ pixel_id: null, event_id: null, consent_id: null, sealed: null })
    const sentAt = Date.parse(question?.created_at ?? '')
    expect(Date.parse(question?.next_attempt_at ?? '') - sentAt).toBe(30 * MINUTE_MS)
    expect(Date.parse(question?.expires_at ?? '') - sentAt).toBe(3 * DAY_MS)
    expect(asked()).toEqual([])
    expect(await read(id)).toMatchObject({ confirmations: null, refusals: [], waiting: 0 })
  })

  test('confirms an event, and is counted once on the day it was sent', async () => {
    const id = await sendOne()
    const [question] = await questions()
    await askNow()
    await untilSettled()
    const [request, ...others] = asked()
    expect(others).toEqual([])
    const { id: requestId } = JSON.parse(question?.payload ?? '')
    expect(request?.path).toBe(`/v1/requestStatus:retrieve?requestId=${encodeURIComponent(requestId)}`)
    expect(request?.headers.authorization).toBe('Bearer token-of-good-one@projeto.iam.gserviceaccount.com')
    expect(request?.text).toBe('')
    expect(await read(id)).toMatchObject({
      confirmations: { confirmed: 1, refused: 0, unanswered: 0 },
      refusals: [],
    })
    expect(await counted(id)).toEqual([
      {
        subject: id,
        key: 'confirmed ',
        at: new Date(startOfSiteDay(Date.parse(question?.created_at ?? ''))).toISOString(),
        count: 1,
      },
    ])
    // The delivery itself stays what was seen then.
    expect(await site.counts(id)).toEqual({ unconfirmed: 1 })
  })

  test.each<[string, Reply, number, object, object[]]>([
    [
      'a refusal',
      googleStatus('FAILED', { TOO_RECENT_CLICK: 1 }),
      1,
      { confirmed: 0, refused: 1, unanswered: 0 },
      [
        {
          reason: 'PROCESSING_ERROR_REASON_TOO_RECENT_CLICK',
          message: expect.stringContaining('muito recente'),
          count: 1,
        },
      ],
    ],
    [
      'a refusal without a reason',
      googleStatus('FAILED'),
      1,
      { confirmed: 0, refused: 1, unanswered: 0 },
      [{ reason: 'FAILED', message: expect.stringContaining('não informou o motivo'), count: 1 }],
    ],
    [
      'a duplicate, which Google has',
      googleStatus('FAILED', { DUPLICATE_TRANSACTION_ID: 1 }),
      1,
      { confirmed: 1, refused: 0, unanswered: 0 },
      [],
    ],
    [
      'partial success',
      googleStatus('PARTIAL_SUCCESS', { INVALID_GCLID: 2, EVENT_TOO_OLD: 1 }),
      5,
      { confirmed: 2, refused: 3, unanswered: 0 },
      [
        { reason: 'PROCESSING_ERROR_REASON_INVALID_GCLID', count: 2 },
        { reason: 'PROCESSING_ERROR_REASON_EVENT_TOO_OLD', count: 1 },
      ],
    ],
  ])('counts %s', async (_what, reply, events, confirmations, refusals) => {
    const id = await sendOne()
    await setEvents(events)
    answerWith(reply)
    await askNow()
    await untilSettled()
    expect(await read(id)).toMatchObject({ confirmations, refusals, stopped: null })
  })

  test.each(Object.entries(GOOGLE_WITHOUT_RESULT))('is asked again after %s', async (_what, reply) => {
    const id = await sendOne()
    answerWith(reply)
    await askNow()
    await untilPutOff()
    expect(asked()).toHaveLength(1)
    // The question says nothing about sending.
    expect(await read(id)).toMatchObject({ confirmations: null, refusals: [], stopped: null })
    site.apis.answer = () => undefined
    await askNow()
    await untilSettled()
    expect((await read(id)).confirmations).toEqual({ confirmed: 1, refused: 0, unanswered: 0 })
  })

  test.each(['still processing', 'an unknown request', 'a server error'])(
    'is unanswered if there is %s at the end',
    async (what) => {
      const id = await sendOne()
      answerWith(GOOGLE_WITHOUT_RESULT[what] ?? 'reset')
      await expire()
      await askNow()
      await untilSettled()
      expect(asked()).toHaveLength(1)
      expect((await read(id)).confirmations).toEqual({ confirmed: 0, refused: 0, unanswered: 1 })
    },
  )

  test('is asked a last time after the end, if nothing ran until then', async () => {
    const id = await sendOne()
    await expire()
    await askNow()
    await untilSettled()
    expect((await read(id)).confirmations).toEqual({ confirmed: 1, refused: 0, unanswered: 0 })
  })

  test('is asked about a pixel that was switched off since', async () => {
    const id = await sendOne()
    await site.patch(id, { is_active: false })
    await askNow()
    await untilSettled()
    expect((await read(id)).confirmations).toEqual({ confirmed: 1, refused: 0, unanswered: 0 })
  })

  test.each<[string, object]>([
    [
      'whose events go elsewhere',
      {
        destination: 'webhook',
        webhook_url: 'https://erp.exemplo.com.br/',
        access_token: `whsec_${'A'.repeat(32)}`,
        destination_account: null,
        event_ids: null,
      },
    ],
    ['without a key', { delivery: 'browser', access_token: null }],
    ['in the trash', { deleted_at: new Date().toISOString() }],
  ])('is not asked about a pixel %s', async (what, change) => {
    const id = await sendOne()
    if (what === 'in the trash')
      await site.database.db.updateTable('tracking_pixels').set(change).where('id', '=', id).execute()
    else await site.patch(id, change)
    await askNow()
    await untilSettled()
    expect(asked()).toEqual([])
    expect(await counted(id)).toEqual([])
  })

  test('signs in again when the token was revoked', async () => {
    // Tokens are kept per process: a new key has none.
    const id = await sendOne({ access_token: googleKeyOf(`good-${randomUUID().slice(0, 8)}`) })
    let isRevoked = true
    site.apis.answer = (request) => {
      if (!isStatusRequest(request) || !isRevoked) return undefined
      isRevoked = false
      return { status: 401, body: '{"error":{"status":"UNAUTHENTICATED"}}' }
    }
    await askNow()
    await untilSettled()
    expect(asked()).toHaveLength(2)
    expect(site.to('oauth2.googleapis.com')).toHaveLength(2)
    expect((await read(id)).confirmations).toEqual({ confirmed: 1, refused: 0, unanswered: 0 })
  })

  test('waits while the key is refused, and does not stop sending', async () => {
    const id = await sendOne()
    await site.patch(id, { access_token: googleKeyOf('deleted') })
    await askNow()
    await untilPutOff()
    expect(asked()).toEqual([])
    expect(await read(id)).toMatchObject({ confirmations: null, stopped: null })
  })

  test('is asked again after a process died, and counted once if that one comes back', async () => {
    const id = await sendOne()
    const { db } = site.database
    await db
      .updateTable('deliveries')
      .set({ next_attempt_at: new Date(Date.now() - 2 * MINUTE_MS).toISOString() })
      .where('kind', '=', 'confirmation')
      .execute()
    // Claimed a minute ago for half a minute.
    const claims = await claimDue(db, {
      scope: { kind: 'confirmation' },
      limit: 10,
      atMostOnce: false,
      leaseMs: MINUTE_MS / 2,
      now: Date.now() - MINUTE_MS,
      longestDelayMs: DAY_MS,
    })
    expect(claims).toHaveLength(1)
    await untilSettled()
    expect(asked()).toHaveLength(1)
    await settleOutcomes(
      db,
      {
        scope: { kind: 'confirmation' },
        backOff: { longestMs: 0, after: () => 0 },
        record: async (trx, outcomes, isOurs) =>
          addCounts(
            trx,
            outcomes
              .filter(isOurs)
              .map(() => ({ series: 'conversion.confirmation', subject: id, key: 'confirmed ' })),
          ),
      },
      {
        claims,
        outcomes: claims.map((job) => ({
          job,
          state: 'accepted',
          reason: '',
          answer: '',
          message: '',
          afterMs: null,
          isUntouched: false,
        })),
      },
      Date.now(),
    )
    expect((await read(id)).confirmations).toEqual({ confirmed: 1, refused: 0, unanswered: 0 })
  })
})
