import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { clientAddress, toTrustProxy } from './addresses.ts'

/** The address of a call whose socket is 127.0.0.1. */
async function seen(trust: Parameters<typeof toTrustProxy>[0], forwarded: string): Promise<string> {
  const app = Fastify({ trustProxy: toTrustProxy(trust) })
  app.get('/', async (request) => clientAddress(request))
  const { body } = await app.inject({ url: '/', headers: { 'x-forwarded-for': forwarded } })
  await app.close()
  return body
}

test.each<[string, Parameters<typeof toTrustProxy>[0], string, string]>([
  ['nobody is trusted', false, '203.0.113.9', '127.0.0.1'],
  ['an address', ['loopback'], '203.0.113.9', '203.0.113.9'],
  ['an address with a port', ['loopback'], '203.0.113.9:41234', '203.0.113.9'],
  ['an IPv6 address with a port', ['loopback'], '[2001:db8::1]:443', '2001:db8::1'],
  ['a trusted proxy with a port', ['loopback', '10.0.0.0/8'], '203.0.113.9:1, 10.0.0.5:443', '203.0.113.9'],
  ['a mapped proxy', ['loopback', '10.0.0.0/8'], '203.0.113.9, ::ffff:10.0.0.5', '203.0.113.9'],
  ['what the client wrote before the proxy', ['loopback'], '198.51.100.1, 203.0.113.9:5', '203.0.113.9'],
  ['no address', ['loopback'], 'unknown', '127.0.0.1'],
  ['no address behind a second proxy', ['loopback', '10.0.0.0/8'], 'junk, 10.0.0.5', '10.0.0.5'],
  ['no address, everybody trusted', true, 'junk', '127.0.0.1'],
  ['one hop', 1, '203.0.113.9:1, 198.51.100.7:2', '198.51.100.7'],
  ['two hops', 2, '203.0.113.9:1, 198.51.100.7:2', '203.0.113.9'],
])('%s', async (_what, trust, forwarded, address) => {
  expect(await seen(trust, forwarded)).toBe(address)
})

test('a socket without an address does not fail', () => {
  expect(clientAddress({ ip: undefined as unknown as string })).toBe('unknown')
})
