// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest'
import { noteViolations, type Violations } from './observe.ts'

let violations: Violations
let reported: string[]
beforeEach(() => {
  // Listeners of earlier tests still run, each with its own list.
  const own: string[] = []
  reported = own
  violations = noteViolations(({ blockedURI }) => {
    own.push(blockedURI)
    return undefined
  })
})

function stop(blockedURI: string, sourceFile = '', effectiveDirective = 'img-src'): void {
  const event = Object.assign(new Event('securitypolicyviolation'), {
    blockedURI,
    sourceFile,
    effectiveDirective,
  })
  document.dispatchEvent(event)
}

test('knows an address that was stopped, and no other', () => {
  stop('https://a.vendor.com/x.gif')
  expect(violations.has('https://a.vendor.com/x.gif')).toBe(true)
  expect(violations.has('https://a.vendor.com/y.gif')).toBe(false)
  expect(reported).toEqual(['https://a.vendor.com/x.gif'])
})

test.each([
  ['a file of ours, as its path', `${location.origin}/tags/a.js?x=1`, { source: '/tags/a.js' }],
  ['a file of a vendor, as its host', 'https://cdn.vendor.com/long/t.js', { source: 'cdn.vendor.com' }],
  ['a source that the browser does not name', '', {}],
])('reports who tried: %s', (_what, file, source) => {
  stop('https://a.vendor.com/x.gif?visitor=1', file)
  expect(violations.list()).toEqual([
    { host: 'https://a.vendor.com', directive: 'img-src', source: undefined, ...source },
  ])
})

test.each([
  ['an extension made the request', 'https://a.vendor.com/x', 'moz-extension://4a2b/content.js'],
  ['the address is none', 'inline', ''],
  ['the address is plain http, which cannot be permitted', 'http://a.vendor.com/x', ''],
])('does not report to the server if %s, but remembers it on the page', (_what, address, file) => {
  stop(address, file)
  expect(violations.list()).toEqual([])
  expect([violations.has(address), reported]).toEqual([true, [address]])
})

test('keeps the scheme of a socket', () => {
  stop('wss://live.vendor.com/s', '', 'connect-src')
  expect(violations.list()).toMatchObject([{ host: 'wss://live.vendor.com', directive: 'connect-src' }])
})

test('reports a host once per use and source', () => {
  for (const path of ['a', 'b']) stop(`https://a.vendor.com/${path}`, `${location.origin}/tags/a.js`)
  stop('https://a.vendor.com/a', `${location.origin}/tags/b.js`)
  stop('https://a.vendor.com/a', `${location.origin}/tags/a.js`, 'connect-src')
  expect(violations.list()).toHaveLength(3)
})
