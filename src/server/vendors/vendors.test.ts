import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KEPT_COOKIES } from '#contract/kept-cookies.ts'
import { isSharedHost, vendorOfHost } from './hosts.ts'
import { recogniseVendors } from './recognise-vendors.ts'
import type { NameRule, Vendor } from './vendor.ts'
import { VENDORS } from './vendors.ts'

const sampleOf = (rule: NameRule) => ('exact' in rule ? rule.exact : rule.sample)
const patternsOf = ({ signs, ids, extra = [] }: Vendor) => [
  ...signs,
  ...ids,
  ...extra.map(({ pattern }) => pattern),
]
const hostsOf = ({ hosts }: Vendor) => Object.values(hosts).flat()
const matchesName = (rule: NameRule, name: string) => {
  if ('exact' in rule) return name === rule.exact
  return 'prefix' in rule ? name.startsWith(rule.prefix) : rule.pattern.test(name)
}

/** Texts without any vendor. */
const INNOCENT = [
  '<script src="https://exemplo.com.br/app.js"></script>',
  'class="g-recaptcha bg-white"',
  'function track(){ analytics(); }',
  '<a href="https://www.facebook.com/minhapagina">',
  '<meta name="description" content="oi">',
]
/** Cookies that a site may have itself. */
const OWN_COOKIES = ['PHPSESSID', 'session', 'cart', 'csrftoken', 'XSRF-TOKEN', 'nav_open', 'portico_consent']

test('names and suffixes are unique', () => {
  const ids = VENDORS.map(({ id }) => id)
  const suffixes = VENDORS.flatMap((vendor) => vendor.suffixes)
  expect(new Set(ids).size).toBe(ids.length)
  expect(new Set(suffixes).size).toBe(suffixes.length)
})

describe.each(VENDORS.map((vendor) => [vendor.id, vendor] as const))('%s', (_id, vendor) => {
  test('recognises its own sample with its ID, and no other vendor', () => {
    expect(
      recogniseVendors(vendor.sample.code).map(({ vendor: { id }, id: account }) => [id, account]),
    ).toEqual([[vendor.id, vendor.sample.id]])
  })

  test('recognises its sample anywhere in a paste', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.string({ maxLength: 200 }), (before, after) => {
        const found = recogniseVendors(`${before}\n${vendor.sample.code}\n${after}`)
        expect(found.map((each) => each.vendor.id)).toContain(vendor.id)
      }),
      { numRuns: 20 },
    )
  })

  test('has patterns without state', () => {
    expect(patternsOf(vendor).filter((pattern) => pattern.global || pattern.sticky)).toEqual([])
  })

  test('lists its own hosts, or known shared ones', () => {
    const bare = hostsOf(vendor).map((host) => host.replace(/^wss:\/\//, '').replace(/^\*\./, ''))
    const strange = bare.filter(
      (host) => !host.includes('{') && !isSharedHost(host) && vendorOfHost(host) === null,
    )
    expect(strange).toEqual([])
  })

  test("deletes neither another vendor's cookies nor a mark of refusal", () => {
    const rules = [...vendor.cookies.map(({ name }) => name), ...vendor.storage.map(({ key }) => key)]
    const names = [...KEPT_COOKIES.map((name) => name.replace('*', '1')), ...OWN_COOKIES]
    expect(names.filter((name) => rules.some((rule) => matchesName(rule, name)))).toEqual([])
    expect(rules.filter((rule) => !matchesName(rule, sampleOf(rule)))).toEqual([])
  })
})

test.each(INNOCENT)('%s belongs to no vendor', (text) => {
  expect(recogniseVendors(text)).toEqual([])
})

test('names a host by the longest suffix of whole labels', () => {
  expect(vendorOfHost('px.ads.linkedin.com')?.id).toBe('linkedin-insight')
  expect(vendorOfHost('c.clarity.ms')?.id).toBe('microsoft-clarity')
  expect(vendorOfHost('notclarity.ms')).toBeNull()
  expect(vendorOfHost('localhost')).toBeNull()
})
