import { createServer, type Server } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KEPT_TIMING } from '#contract/kept-page.ts'
import { compressText, type PreparedResponse, prepareResponse, sendPrepared } from './prepared-response.ts'

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

test('the two compressions hold the same text, smaller', () => {
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
])('accept-encoding "%s" is answered with %s', async (accepted, encoding) => {
  const answer = await fetch(url, { headers: { 'accept-encoding': accepted } })
  expect(answer.headers.get('content-encoding')).toBe(encoding)
  expect(answer.headers.get('vary')).toBe('accept-encoding')
  expect(await answer.text()).toBe(TEXT)
})

test.each([
  ['the tag itself', (etag: string) => etag, 304],
  ['a weak form among others', (etag: string) => `"x", W/${etag}`, 304],
  ['any', () => '*', 304],
  ['another tag', () => '"x"', 200],
])('if-none-match with %s', async (_what, header, status) => {
  const answer = await fetch(url, { headers: { 'if-none-match': header(prepared.etag) } })
  expect(answer.status).toBe(status)
  expect(answer.headers.get('etag')).toBe(prepared.etag)
  expect(answer.headers.get('server-timing')).toBe(status === 304 ? KEPT_TIMING : null)
})

test('another body or another policy is another tag', () => {
  const none = { br: null, gzip: null }
  const tags = [
    prepareResponse(Buffer.from('a'), none, { 'content-security-policy': 'x' }),
    prepareResponse(Buffer.from('b'), none, { 'content-security-policy': 'x' }),
    prepareResponse(Buffer.from('a'), none, { 'content-security-policy': 'y' }),
  ].map((response) => response.etag)
  expect(new Set(tags).size).toBe(3)
})
