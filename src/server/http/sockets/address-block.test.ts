import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressBlock, coarseNetwork, networkBlock } from './addresses.ts'

test.each([
  ['203.0.113.7', '203.0.113.7', null],
  ['203.0.113.7:41234', '203.0.113.7', null],
  [' 203.0.113.7 ', '203.0.113.7', null],
  ['::ffff:203.0.113.7', '203.0.113.7', null],
  ['::ffff:cb00:7107', '203.0.113.7', null],
  ['[::ffff:203.0.113.7]:443', '203.0.113.7', null],
  ['64:ff9b::203.0.113.7', '203.0.113.7', null],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['[2001:db8:1:2::1]', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:0DB8:0001:0002::ffff', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8::/64', '2001:db8::/48'],
  ['2002:cb00:7107:1::1', '2002:cb00:7107:1::/64', '2002:cb00:7107::/48'],
  ['fe80::1%eth0', 'fe80::/64', 'fe80::/48'],
  ['fe80::1%eth1', 'fe80::/64', 'fe80::/48'],
  ['::1', '::/64', '::/48'],
])('counts %s as %s, within %s', (address, block, network) => {
  expect(addressBlock(address)).toBe(block)
  expect(networkBlock(address)).toBe(network)
  expect(networkBlock(block)).toBe(network)
})

describe('counts everything that is no address as one', () => {
  test.each([
    '',
    'unknown',
    '203.0.113.7, 203.0.113.8',
    '203.0.113.7:',
    '203.0.113.7:x',
    '203.0.113.7:999999',
    '203.0.113.256',
    '203.0.113',
    '0xcb.0.113.7',
    '0313.0.113.7',
    '[203.0.113.7]:80',
    '[2001:db8::1',
    '2001:db8::1]:443',
    '[2001:db8::1]443',
    '2001:db8::1::2',
    'a.example.com',
    'x'.repeat(500),
  ])('%j', (text) => {
    expect(addressBlock(text)).toBe('unknown')
    expect(networkBlock(text)).toBeNull()
  })
})

test('a port does not make another visitor', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.integer({ min: 0, max: 65_535 }), (address, port) => {
      const withPort = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
      expect(addressBlock(withPort)).toBe(addressBlock(address))
      expect(addressBlock(address)).not.toBe('unknown')
    }),
  )
})

test.each([
  ['187.45.12.99', '187.45.12.0/24'],
  ['::ffff:187.45.12.99', '187.45.12.0/24'],
  ['2804:14c:5bb1:8000::1', '2804:14c:5bb1::/48'],
  ['unknown', null],
])('the coarse network of %s identifies no household: %s', (address, block) => {
  expect(coarseNetwork(address)).toBe(block)
})
