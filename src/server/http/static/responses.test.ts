import { createServer, type Server } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEPT_TIMING } from '#contract/site.ts'
import {
  compressQuickly,
  compressText,
  type PreparedResponse,
  prepareResponse,
  sendPrepared,
} from './responses.ts'

const TEXT = 'Onde outros fecham a porta, seu pagamento passa. '.repeat(50)
let prepared: PreparedResponse
let server: Server
let url: string

beforeAll(async () => {
  const body = Buffer.from(TEXT)
  prepared = prepareResponse(body, await compressText(body), { 'content-type': 'text/plain; charset=utf-8' })
  server = createServer((request, response) => sendPrepared(request, response, prepared))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
afterAll(() => server.close())

test('both encodings contain the same text, compressed', () => {
  const { br, gzip } = prepared.bodies
  expect(brotliDecompressSync(br ?? '').toString()).toBe(TEXT)
  expect(gunzipSync(gzip ?? '').toString()).toBe(TEXT)
  expect(br?.length).toBeLessThan(TEXT.length / 5)
})

test.each([
  ['br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0.000', null],
  ['identity', null],
  ['', null],
])('accept-encoding "%s" gets %s', async (accepted, encoding) => {
  const answer = await fetch(url, { headers: { 'accept-encoding': accepted } })
  expect(answer.headers.get('content-encoding')).toBe(encoding)
  expect(answer.headers.get('vary')).toBe('accept-encoding')
  expect(await answer.text()).toBe(TEXT)
})

describe.each(['br', 'gzip', 'identity'])('if-none-match of %s', (encoding) => {
  const ask = (headers: Record<string, string> = {}) =>
    fetch(url, { headers: { 'accept-encoding': encoding, ...headers } })

  test.each([
    ['the tag itself', (etag: string) => etag, 304],
    ['a weak form among others', (etag: string) => `"x", W/${etag}`, 304],
    ['any', () => '*', 304],
    ['another tag', () => '"x"', 200],
  ])('with %s', async (_what, header, status) => {
    const etag = (await ask()).headers.get('etag') ?? ''
    const answer = await ask({ 'if-none-match': header(etag) })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('etag')).toBe(etag)
    expect(answer.headers.get('vary')).toBe('accept-encoding')
    expect(answer.headers.get('server-timing')).toBe(status === 304 ? KEPT_TIMING : null)
  })
})

test('each encoding has its own ETag, and so has each compression of the same text', async () => {
  const tagOf = async (encoding: string) =>
    (await fetch(url, { headers: { 'accept-encoding': encoding } })).headers.get('etag') ?? ''
  const tags = [await tagOf('br'), await tagOf('gzip'), await tagOf('identity')]
  expect(new Set(tags).size).toBe(3)
  for (const tag of tags) expect(tag).toMatch(/^"[\w-]{22}"$/)
  const crossed = await fetch(url, { headers: { 'accept-encoding': 'gzip', 'if-none-match': tags[0] ?? '' } })
  expect([crossed.status, await crossed.text()]).toEqual([200, TEXT])
  const body = Buffer.from(TEXT)
  const quick = prepareResponse(body, await compressQuickly(body), {
    'content-type': 'text/plain; charset=utf-8',
  })
  expect(quick.etags.br === tags[0]).toBe(quick.bodies.br?.equals(prepared.bodies.br ?? Buffer.alloc(0)))
  expect(quick.etags.identity).toBe(tags[2])
})

test('another body or policy has another ETag', () => {
  const none = { br: null, gzip: null }
  const tags = [
    prepareResponse(Buffer.from('a'), none, { 'content-security-policy': 'x' }),
    prepareResponse(Buffer.from('b'), none, { 'content-security-policy': 'x' }),
    prepareResponse(Buffer.from('a'), none, { 'content-security-policy': 'y' }),
  ].map((response) => response.etags.identity)
  expect(new Set(tags).size).toBe(3)
})
