import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Destination } from './destinations/destination.ts'
import { googleAnalytics } from './destinations/google-analytics.ts'
import { meta as metaDestination } from './destinations/meta.ts'
import { hashEmail } from './sign-up-email.ts'
import { expireCookies, type Identity, identifyVisitor } from './visitor-cookies.ts'

const NOW = 1_794_738_000_123
const context = (header?: string, host = 'www.exemplo.com.br') => ({
  header,
  host,
  isSecure: true,
  now: NOW,
  clickIds: {},
  scriptOnPage: false,
})
type Visit = ReturnType<typeof context>
const identify = ({ identify }: Destination, visit: Visit & { clickIds: { fbclid?: string } }) =>
  identify?.(visit) as Identity<Record<string, string | number>>
const meta = (header: string | undefined, fbclid?: string, host?: string) =>
  identify(metaDestination, { ...context(header, host), clickIds: fbclid === undefined ? {} : { fbclid } })
    .values

test('keeps Meta’s browser ID, or makes one as its script does', () => {
  expect(meta('_fbp=fb.1.1794737900000.1116446470').fbp).toBe('fb.1.1794737900000.1116446470')
  expect(meta('_fbp=fb.1.1794737900000.1116446470.Bg').fbp).toBe('fb.1.1794737900000.1116446470.Bg')
  for (const bad of ['', 'x', 'fb.1.1.2', '"><script>'])
    expect(meta(`_fbp=${bad}`).fbp).toMatch(new RegExp(`^fb\\.3\\.${NOW}\\.\\d{1,10}$`))
  expect(meta(undefined, undefined, 'exemplo.com').fbp).toMatch(/^fb\.1\./)
  expect(meta(undefined, undefined, 'localhost').fbp).toMatch(/^fb\.1\./)
})

test('stores a click ID once, with its case, until another arrives', () => {
  expect(meta(undefined, 'IwAR0AbCdEf_123').fbc).toBe(`fb.3.${NOW}.IwAR0AbCdEf_123`)
  const known = '_fbc=fb.1.1794737900000.IwAR0AbCdEf_123'
  expect(meta(known).fbc).toBe('fb.1.1794737900000.IwAR0AbCdEf_123')
  expect(meta(known, 'IwAR0AbCdEf_123').fbc).toBe('fb.1.1794737900000.IwAR0AbCdEf_123')
  expect(meta(known, 'Other').fbc).toBe(`fb.3.${NOW}.Other`)
  expect(meta(undefined, 'a b;c')).not.toHaveProperty('fbc')
})

test('continues a session for half an hour, then begins a new one', () => {
  const first = identify(googleAnalytics, context())
  expect(first.values).toMatchObject({ session: '1794738000', engagementMs: 1 })
  expect(first.values.client).toMatch(/^\d{1,10}\.1794738000$/)
  const header = first.cookies[0]?.split(';')[0]
  const later = (ms: number) => identify(googleAnalytics, { ...context(header), now: NOW + ms }).values
  expect(later(4_200)).toEqual({ client: first.values.client, session: '1794738000', engagementMs: 4_200 })
  expect(later(1_800_000)).toMatchObject({
    client: first.values.client,
    session: '1794739800',
    engagementMs: 1,
  })
  expect(identify(googleAnalytics, context('_ga=GA1.1.1873645021.1794737900')).values.client).toBe(
    '1873645021.1794737900',
  )
})

test('sets HttpOnly unless a script of the vendor needs the cookie', () => {
  const cookies = [
    ...identifyVisitor(context()).cookies,
    ...identify(googleAnalytics, context()).cookies,
    ...identify(metaDestination, { ...context(), clickIds: { fbclid: 'a' } }).cookies,
  ]
  expect(cookies).toHaveLength(4)
  for (const cookie of cookies)
    expect(cookie).toMatch(/; Path=\/; Max-Age=\d+; SameSite=Lax; Secure; HttpOnly$/)
  for (const cookie of identify(metaDestination, {
    ...context(),
    clickIds: { fbclid: 'a' },
    scriptOnPage: true,
  }).cookies)
    expect(cookie).not.toContain('HttpOnly')
  expect(expireCookies('a=1; _fbp=2', true, ['_fbp', '_fbc'])).toEqual([
    '_fbp=; Path=/; Max-Age=0; SameSite=Lax; Secure',
  ])
})

/** The third row is Meta's own example. */
test.each<[string, string | null, (string | null)?]>([
  ['  Maria.Silva@Example.COM.BR ', '6fe0396647598bff88a6cecfb6434f11e5a79b8e0eceb9a95158e63540b23892'],
  [
    'contato+news@Gmail.com',
    'ab1dc4a853625ad83eaac513f46cc02fa696fa969c99837e68cf5a6d4b41bf8b',
    '61a9437f178ce629c6d1b78b7ebebdc3cca56a27aa326ca089f9acbaed88db6e',
  ],
  ['John_Smith@gmail.com', '62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f'],
  [
    'maria.silva@gmail.com',
    createHash('sha256').update('maria.silva@gmail.com').digest('hex'),
    '1b012ceb003e882477e741dc6771745ed14564b344ffb28e14e8ed30fdbeed05',
  ],
  ['João@exemplo.com.br', null],
  ['not an address', null],
  ['', null],
])('hashes %j as Meta requires, and as Google does', (email, hash, google = hash) => {
  expect(hashEmail(email)).toBe(hash)
  expect(hashEmail(email, 'google')).toBe(google)
})
