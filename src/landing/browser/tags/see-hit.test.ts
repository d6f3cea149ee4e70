import { expect, test } from 'vitest'
import { type Sighting, seeHit } from './requests.ts'

const HIT = { hosts: ['bat.bing.com', '*.bing.net'], id: '1234567' }
const seen = (address: string, change: Partial<Sighting> = {}): Sighting => ({
  address,
  host: new URL(address).hostname,
  isScript: false,
  verdict: 'answered',
  duration: 1,
  end: 1,
  ...change,
})

test.each<[string, Sighting[], ReturnType<typeof seeHit>]>([
  ['the account', [seen('https://bat.bing.com/action/0?ti=1234567&evt=pageLoad')], 'answered'],
  ['the account, below a wildcard', [seen('https://a.bing.net/actionp/1234567')], 'answered'],
  ['another host', [seen('https://bing.com/action/0?ti=1234567')], undefined],
  ['another account', [seen('https://bat.bing.com/action/0?ti=7654321')], undefined],
  ['an account that only contains it', [seen('https://bat.bing.com/action/0?ti=12345678')], 'unknown'],
  ['written as a part of a longer text', [seen('https://bat.bing.com/?q=ti%3D1234567')], 'unknown'],
  ['a script of the account', [seen('https://bat.bing.com/p/1234567.js', { isScript: true })], 'unknown'],
  [
    'several',
    [
      seen('https://bat.bing.com/?ti=1234567', { verdict: 'failed' }),
      seen('https://bat.bing.com/?b=1234567'),
    ],
    'answered',
  ],
])('%s', (_name, sightings, verdict) => {
  expect(seeHit(HIT, sightings)).toBe(verdict)
})

test("a container's page view is its script", () => {
  const script = seen('https://www.googletagmanager.com/gtm.js?id=GTM-ABC', { isScript: true })
  const hit = { hosts: ['www.googletagmanager.com'], id: 'GTM-ABC' }
  expect(seeHit({ ...hit, byScript: true }, [script])).toBe('answered')
  expect(seeHit(hit, [script])).toBe('unknown')
})

test('without an ID any request but a script may be the page view', () => {
  const hit = { hosts: ['api.segment.io'], id: null }
  expect(seeHit(hit, [seen('https://api.segment.io/v1/p')])).toBe('answered')
  expect(seeHit(hit, [seen('https://api.segment.io/a.js', { isScript: true })])).toBeUndefined()
})
