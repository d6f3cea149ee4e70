import { describe, expect, test } from 'vitest'
import { makePixel } from '#tests/support/scripted-rows.ts'
import {
  deliveryOf,
  fieldOfRefusal,
  findSendingFault,
  NO_SECRETS,
  type SendingForm,
  toSendingColumns,
  toSendingForm,
} from './sending.ts'

const TOKEN = 'EAAG0123456789secretTOKEN'
const WHSEC = `whsec_${'A'.repeat(43)}=`
const META: SendingForm = {
  ...toSendingForm(null),
  type: 'meta',
  pixel_id: '482910377165024',
  delivery: 'server',
  secrets: { ...NO_SECRETS, meta: TOKEN },
}
const GA4: SendingForm = {
  ...META,
  type: 'google_analytics',
  pixel_id: 'G-7XK2M9QTLP',
  secrets: { ...NO_SECRETS, google_analytics: 'chave-secreta' },
}
const HOOK: SendingForm = {
  ...META,
  type: 'custom',
  pixel_id: '',
  webhook_url: 'https://hooks.exemplo.com.br/conversoes',
  secrets: { ...NO_SECRETS, custom: WHSEC },
}

test.each<[string, SendingForm, string | null]>([
  ['Meta, whole', META, null],
  ['Meta by both, whole', { ...META, delivery: 'both' }, null],
  ['GA4, whole', GA4, null],
  ['a webhook, whole', HOOK, null],
  ['Meta without a token', { ...META, secrets: NO_SECRETS }, 'secrets.meta'],
  ['Meta with a stored token', { ...META, secrets: NO_SECRETS, stored_secret: 'meta' }, null],
  [
    'a stored token of another type',
    { ...GA4, secrets: NO_SECRETS, stored_secret: 'meta' },
    'secrets.google_analytics',
  ],
  ['a token typed for another type', { ...GA4, secrets: META.secrets }, 'secrets.google_analytics'],
  [
    'a token with a space in it',
    { ...META, secrets: { ...NO_SECRETS, meta: 'EAAG 12345678' } },
    'secrets.meta',
  ],
  ['a token with space around it', { ...META, secrets: { ...NO_SECRETS, meta: ` ${TOKEN}\n` } }, null],
  ['an ID with letters', { ...META, pixel_id: 'abc' }, 'pixel_id'],
  ['an Ads ID', { ...GA4, pixel_id: 'AW-123456' }, 'pixel_id'],
  ['no address', { ...HOOK, webhook_url: ' ' }, 'webhook_url'],
  ['http', { ...HOOK, webhook_url: 'http://hooks.exemplo.com.br/' }, 'webhook_url'],
  ['localhost', { ...HOOK, webhook_url: 'https://localhost/' }, 'webhook_url'],
  ['an address by number', { ...HOOK, webhook_url: 'https://169.254.169.254/latest' }, 'webhook_url'],
  ['a port', { ...HOOK, webhook_url: 'https://hooks.exemplo.com.br:8443/' }, 'webhook_url'],
  ['a user', { ...HOOK, webhook_url: 'https://u:p@hooks.exemplo.com.br/' }, 'webhook_url'],
  ['a short signing secret', { ...HOOK, secrets: { ...NO_SECRETS, custom: 'whsec_abc' } }, 'secrets.custom'],
  [
    'by the browser nothing is asked',
    { ...HOOK, delivery: 'browser', webhook_url: 'x', secrets: NO_SECRETS },
    null,
  ],
  ['a container is the browser’s', { ...META, type: 'google_tag_manager' }, null],
])('%s: shows the fault at %3$s', (_what, form, field) => {
  expect(findSendingFault(form)?.field ?? null).toBe(field)
})

describe('stored columns', () => {
  test("a way that the type does not have counts as the browser's, and returns with its type", () => {
    expect(deliveryOf({ type: 'google_analytics', delivery: 'both' })).toBe('browser')
    expect(deliveryOf({ type: 'meta', delivery: 'both' })).toBe('both')
  })

  test.each<[string, SendingForm, object]>([
    [
      'a new token',
      META,
      { delivery: 'server', access_token: TOKEN, webhook_url: null, send_hashed_email: false },
    ],
    [
      'one that was not touched',
      { ...META, secrets: NO_SECRETS },
      { delivery: 'server', webhook_url: null, send_hashed_email: false },
    ],
    [
      'one that is removed',
      { ...META, delivery: 'browser', forgets_secret: true },
      { delivery: 'browser', access_token: null, webhook_url: null, send_hashed_email: false },
    ],
    [
      'one that is kept after all',
      { ...META, forgets_secret: true },
      { delivery: 'server', access_token: TOKEN, webhook_url: null, send_hashed_email: false },
    ],
    [
      'a token of another type',
      { ...GA4, secrets: META.secrets },
      { delivery: 'server', webhook_url: null, send_hashed_email: false },
    ],
    [
      'the e-mail',
      { ...META, send_hashed_email: true },
      { delivery: 'server', access_token: TOKEN, webhook_url: null, send_hashed_email: true },
    ],
    [
      'the e-mail without a server',
      { ...META, send_hashed_email: true, delivery: 'browser' },
      { delivery: 'browser', webhook_url: null, send_hashed_email: false },
    ],
    [
      'the e-mail of another type',
      { ...GA4, send_hashed_email: true },
      { delivery: 'server', access_token: 'chave-secreta', webhook_url: null, send_hashed_email: false },
    ],
    [
      'an address that rests',
      { ...HOOK, delivery: 'browser' },
      { delivery: 'browser', send_hashed_email: false },
    ],
    [
      'an address',
      HOOK,
      { delivery: 'server', access_token: WHSEC, webhook_url: HOOK.webhook_url, send_hashed_email: false },
    ],
  ])('%s', (_what, form, columns) => {
    expect(toSendingColumns(form)).toEqual(columns)
  })

  test("a form starts with the row's values, without the secret", () => {
    const row = makePixel({ delivery: 'both', has_access_token: true, send_hashed_email: true })
    expect(toSendingForm(row)).toEqual({
      destination: 'webhook',
      stored_destination: 'webhook',
      served: null,
      destination_account: '',
      event_ids: { lead: '', contact: '', sign_up: '' },
      delivery: 'both',
      secrets: NO_SECRETS,
      stored_secret: 'meta',
      forgets_secret: false,
      webhook_url: '',
      send_hashed_email: true,
    })
  })
})

test('shows an unforeseen refusal at the stored secret, else at the choice', () => {
  expect(fieldOfRefusal({ ...META, secrets: NO_SECRETS, stored_secret: 'meta' })).toBe('secrets.meta')
  expect(fieldOfRefusal(META)).toBe('delivery')
})
