import { expect, test } from 'vitest'
import { isLoopbackHost, isWebhookAddress, parsePublicHost, publicHostOf } from './public-host.ts'

test.each([
  ['Vendor.COM', 'vendor.com'],
  ['a.b-c.vendor.com.', 'a.b-c.vendor.com'],
  ['münchen.example', 'xn--mnchen-3ya.example'],
])('%s is public', (text, host) => {
  expect(parsePublicHost(text)).toBe(host)
})

test.each([
  '',
  'localhost',
  'vendor',
  '*.vendor.com',
  '127.0.0.1',
  '10.1',
  '0x7f.1',
  '2130706433',
  '[::1]',
  '1.2.3.4.',
  'vendor.com:8443',
  'user@vendor.com',
  'vendor.com/x',
  'vendor.com?x',
  'vendor.com#x',
  'a b.com',
  "vendor.com; script-src 'unsafe-inline'",
  'printer.local',
  'db.internal',
  'x.localhost',
  '-a.com',
  'a..com',
  `${'a'.repeat(64)}.com`,
  'x.1',
])('%s is refused', (text) => {
  expect(parsePublicHost(text)).toBeNull()
})

test.each([
  'http://vendor.com/',
  'https://vendor.com:444/',
  'data:text/html,x',
  'blob:https://vendor.com/x',
  'vendor.com',
])('%s is not a secure public address', (address) => {
  expect(publicHostOf(address)).toBeNull()
})

test.each([
  ['https://hooks.vendor.com/a?b=c', true],
  ['http://hooks.vendor.com/a', false],
  ['https://user@hooks.vendor.com/a', false],
  ['https://user:word@hooks.vendor.com/a', false],
  ['https://hooks.vendor.com/a#b', false],
  ['https://hooks.vendor.com:8443/a', false],
  ['https://10.0.0.1/a', false],
  ['hooks.vendor.com', false],
])('%s can be a webhook: %s', (address, expected) => {
  expect(isWebhookAddress(address)).toBe(expected)
})

test.each([
  ['http://localhost:3000', true],
  ['http://127.0.0.1', true],
  ['http://[::1]:3000', true],
  ['http://127.0.0.1.vendor.com', false],
  ['https://x.localhost', false],
])('%s is on the local machine: %s', (address, expected) => {
  expect(isLoopbackHost(new URL(address).hostname)).toBe(expected)
})
