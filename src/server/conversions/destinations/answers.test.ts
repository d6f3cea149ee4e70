import { expect, test } from 'vitest'
import type { Answer } from '#server/http/outgoing.ts'
import { judgeAnswer } from './destination.ts'
import { DESTINATIONS } from './destinations.ts'
import { googleAnalytics } from './google-analytics.ts'
import { meta } from './meta.ts'
import { signWebhook, webhook } from './webhook.ts'

type Real = Exclude<Answer, { kind: 'interrupted' }>
const say = (status: number, body: unknown, headers: Record<string, string> = {}): Real => ({
  kind: 'answer',
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const fail = (code: string, written: boolean): Real => ({ kind: 'failed', code, written })
const error = (code: number, error_subcode?: number, is_transient?: boolean) => ({
  error: { message: 'Texte localisé', type: 'OAuthException', code, error_subcode, is_transient },
})
const usage = (minutes: number) => ({
  'x-business-use-case-usage': JSON.stringify({
    '1': [{ type: 'ads', call_count: 100, estimated_time_to_regain_access: minutes }],
  }),
})

test.each<[string, Real, object, string]>([
  ['one taken', say(200, { events_received: 1 }), { kind: 'settled', state: 'accepted' }, 'aceitou'],
  ['fewer taken than sent', say(200, { events_received: 0 }), { kind: 'retry' }, 'instável'],
  ['an error with status 200', say(200, error(190)), { kind: 'stop', code: 'token_refused' }, 'novo token'],
  ['a bad token as 401', say(401, error(190)), { kind: 'stop', code: 'token_refused' }, 'novo token'],
  ['a bad token as 400', say(400, error(190, 463)), { kind: 'stop', code: 'token_refused' }, 'novo token'],
  ['no token', say(400, error(104)), { kind: 'stop', code: 'token_refused' }, 'novo token'],
  ['a session that ended', say(400, error(102)), { kind: 'stop', code: 'token_refused' }, 'novo token'],
  ['an account in check', say(400, error(190, 459)), { kind: 'stop', code: 'account_blocked' }, 'bloqueou'],
  ['a blocked account', say(400, error(368)), { kind: 'stop', code: 'account_blocked' }, 'bloqueou'],
  ['no right to it', say(403, error(200)), { kind: 'stop', code: 'not_permitted' }, 'permissão'],
  ['no right to it', say(403, error(10)), { kind: 'stop', code: 'not_permitted' }, 'permissão'],
  ['no right to it', say(403, error(3)), { kind: 'stop', code: 'not_permitted' }, 'permissão'],
  ['no right to it', say(403, error(299)), { kind: 'stop', code: 'not_permitted' }, 'permissão'],
  ['an unknown pixel', say(400, error(100, 33)), { kind: 'stop', code: 'not_permitted' }, 'Pixel ID'],
  ['an unknown alias', say(404, error(803)), { kind: 'stop', code: 'not_permitted' }, 'Pixel ID'],
  ['too old', say(400, error(100, 2804003)), { state: 'refused', reason: '100/2804003' }, 'mais de 7 dias'],
  ['in the future', say(400, error(100, 2804004)), { state: 'refused', reason: '100/2804004' }, 'relógio'],
  ['too thin', say(400, error(100, 2804050)), { state: 'refused', reason: '100/2804050' }, 'suficientes'],
  ['a bad field', say(400, error(100, 2804019)), { state: 'refused', reason: '100/2804019' }, '100/2804019'],
  ['no subcode', say(400, error(100)), { state: 'refused', reason: '100' }, 'formato'],
  ['100 for a moment', say(400, error(100, 1, true)), { kind: 'retry' }, 'instável'],
  ['limited', say(400, error(80004), usage(12)), { kind: 'retry', afterMs: 720_000 }, 'limitou'],
  ...[4, 17, 32, 341, 613].map((code): [string, Real, object, string] => [
    `limited by ${code}`,
    say(400, error(code)),
    { kind: 'retry', afterMs: null },
    'limitou',
  ]),
  ['a moment', say(400, error(2, undefined, true)), { kind: 'retry' }, 'instável'],
  ['unknown', say(500, error(1)), { kind: 'retry' }, 'instável'],
  ['a temporary upload error', say(400, error(21009)), { kind: 'retry' }, 'instável'],
  ['HTML', say(500, '<html>'), { kind: 'retry', answer: 'HTTP 500' }, 'instável'],
  ['a time-out', fail('UND_ERR_HEADERS_TIMEOUT', true), { kind: 'retry' }, 'instável'],
  ['a name that is not found', fail('ENOTFOUND', false), { kind: 'retry' }, 'Não foi possível conectar'],
])("reads Meta's answer: %s", (_what, answer, verdict, words) => {
  const read = judgeAnswer(meta, answer, 1)
  expect(read).toMatchObject(verdict)
  expect('message' in read && read.message).toContain(words)
  expect(JSON.stringify(read)).not.toContain('localisé')
})

test.each([
  ['Meta', meta],
  ['a webhook', webhook],
])('%s gets an interrupted event again', (_name, destination) => {
  for (const written of [true, false])
    expect(judgeAnswer(destination, { kind: 'interrupted', written }, 1)).toEqual({ kind: 'interrupted' })
})

test('splits a batch for one bad event, but not for a bad token', () => {
  for (const sent of [2, 50])
    expect(judgeAnswer(meta, say(400, error(100, 2804003)), sent)).toMatchObject({ kind: 'split' })
  expect(judgeAnswer(meta, say(200, { events_received: 50 }), 50)).toMatchObject({ state: 'accepted' })
  expect(judgeAnswer(meta, say(400, error(100, 33)), 50)).toMatchObject({ kind: 'stop' })
})

test.each<[string, Answer, object]>([
  ['204', say(204, ''), { kind: 'settled', state: 'unconfirmed' }],
  ['503', say(503, ''), { kind: 'settled', state: 'refused', reason: 'HTTP 503' }],
  ['nothing, after it was written', fail('ECONNRESET', true), { kind: 'settled', state: 'unconfirmed' }],
  ['nothing, and nothing was written', fail('ECONNREFUSED', false), { kind: 'retry' }],
  ['we stop, after it was written', { kind: 'interrupted', written: true }, { state: 'unconfirmed' }],
  ['we stop before', { kind: 'interrupted', written: false }, { kind: 'interrupted' }],
])("reads Google's answer: %s", (_what, answer, verdict) => {
  expect(judgeAnswer(googleAnalytics, answer, 1)).toMatchObject(verdict)
})

test.each<[string, Real, object]>([
  ['200', say(200, ''), { state: 'accepted' }],
  ['204', say(204, ''), { state: 'accepted' }],
  ['302', say(302, ''), { kind: 'retry' }],
  ['401', say(401, ''), { kind: 'retry' }],
  ['410', say(410, ''), { kind: 'stop', code: 'endpoint_gone' }],
  ['429', say(429, '', { 'retry-after': '90' }), { kind: 'retry', afterMs: 90_000 }],
  ['503', say(503, ''), { kind: 'retry', afterMs: null }],
  [
    'an inner address',
    fail('ENOTPUBLIC', false),
    { kind: 'retry', message: expect.stringContaining('interna') },
  ],
])("reads a webhook's answer: %s", (_what, answer, verdict) => {
  expect(judgeAnswer(webhook, answer, 1)).toMatchObject(verdict)
})

/** The answer by which each vendor limits requests. */
const LIMITS: Record<string, unknown> = {
  meta: error(4),
  tiktok: { code: 40_100 },
  google_ads: { error: { status: 'RESOURCE_EXHAUSTED' } },
}

test.each(DESTINATIONS.filter(({ id }) => id !== 'google_analytics'))(
  '$id: waits as long as Retry-After says',
  (destination) => {
    const wait = (value: string) =>
      judgeAnswer(destination, say(429, LIMITS[destination.id] ?? {}, { 'retry-after': value }), 1)
    expect(wait('90')).toMatchObject({ kind: 'retry', afterMs: 90_000 })
    expect(wait('0.65')).toMatchObject({ kind: 'retry', afterMs: 650 })
    expect(wait('Wed, 18 Nov 2026 10:00:00 GMT')).toMatchObject({ kind: 'retry', afterMs: null })
  },
)

/** Published by https://github.com/standard-webhooks/standard-webhooks in the tests of its libraries. */
test('signs as Standard Webhooks does', () => {
  expect(
    signWebhook(
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      '1614265330',
      '{"test": 2432232314}',
    ),
  ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})
