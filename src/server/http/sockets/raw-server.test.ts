import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { writeDocRow } from '#tests/support/doc-table.ts'
import { rawRequest } from '#tests/support/raw-request.ts'
import type { ConnectionLimits } from './connections.ts'
import { createRawServer, type FastPath } from './raw-server.ts'

const LIMITS: ConnectionLimits = {
  total: 100,
  perAddress: null,
  requestsPerSocket: 1_000,
  pipelined: 16,
  stalledMs: 60_000,
}
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const GET_AND_CLOSE = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
/** More than the kernel takes of an answer that nobody reads. */
const LARGE = Buffer.alloc(16_000_000)

let server: Server
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

/** Answers `/` at once; anything else is left unanswered. */
const serve: FastPath = (_request, response, { path }) => {
  if (path === '/large') response.end(LARGE)
  else if (path === '/') response.writeHead(200, ['content-length', '2']).end('ok')
  return true
}

async function start(limits: Partial<ConnectionLimits>, drain = { hasBegun: false }): Promise<number> {
  server = createRawServer({
    drain,
    onFastAnswer: () => {},
    handler: () => {},
    fastPath: serve,
    defaultHeaders: { 'content-security-policy': 'sandbox' },
    limits: { ...LIMITS, ...limits },
    onRefused: () => {},
    onDropped: () => {},
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

async function text(socket: Socket): Promise<string> {
  let all = ''
  socket.on('data', (chunk) => {
    all += chunk
  })
  await once(socket, 'close')
  return all
}

const countOf = (haystack: string, needle: string) => haystack.split(needle).length - 1

describe('a client that holds more than its share', () => {
  test('and never reads its answer is cut off', async () => {
    const port = await start({ stalledMs: 200 })
    const socket = await open(port)
    socket.pause()
    const [peer] = await Promise.all([
      once(server, 'request').then(([request]) => request.socket as Socket),
      socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n'),
    ])
    await once(peer, 'close')
    expect(peer.destroyed).toBe(true)
    socket.destroy()
  })

  test('and sends request upon request behind one that is not answered is cut off', async () => {
    const port = await start({ pipelined: 16 })
    const socket = await open(port)
    const ended = text(socket)
    let parsed = 0
    server.on('request', () => {
      parsed++
    })
    socket.write(`GET /never HTTP/1.1\r\nHost: a\r\n\r\n${GET.repeat(300)}`)
    expect(await ended).toBe('')
    // The one that is not answered, those that may wait, and the one too many.
    expect(parsed).toBe(1 + 16 + 1)
  })

  test('and pipelines within reason is served', async () => {
    const port = await start({ pipelined: 16 })
    const socket = await open(port)
    const ended = text(socket)
    socket.write(GET.repeat(15) + GET_AND_CLOSE)
    expect(countOf(await ended, 'HTTP/1.1 200 OK')).toBe(16)
  })

  test('with its last request is told so, and nothing behind it is answered', async () => {
    const port = await start({ requestsPerSocket: 3 })
    const socket = await open(port)
    const ended = text(socket)
    socket.write(GET.repeat(6))
    const all = await ended
    expect(countOf(all, 'HTTP/1.1 200 OK')).toBe(3)
    expect(countOf(all.toLowerCase(), 'connection: close')).toBe(1)
  })

  test.each([
    ['in all', { total: 4 }],
    ['from one address', { perAddress: 4 }],
  ])(
    'of the connections %s is told so with a policy, and served when others are gone',
    async (_what, limits) => {
      const port = await start(limits)
      const others: Socket[] = []
      while (others.length < 4) {
        const socket = await open(port)
        socket.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\n')
        await once(server, 'request')
        others.push(socket)
      }
      const refused = await rawRequest(port, GET)
      expect(refused).toMatchObject({
        status: 503,
        headers: { 'content-security-policy': 'sandbox', 'retry-after': '5', connection: 'close' },
      })
      for (const socket of others) socket.destroy()
      await expect.poll(async () => (await rawRequest(port, GET_AND_CLOSE)).status).toBe(200)
    },
  )

  test('far above the limit of its address is dropped', async () => {
    const port = await start({ perAddress: 4 })
    const all = await Promise.all(Array.from({ length: 5 }, () => open(port)))
    const dropped = await open(port)
    expect(await text(dropped)).toBe('')
    for (const socket of all) socket.destroy()
  })
})

test('bytes that are no HTTP, behind a request that is being answered, are not answered in its place', async () => {
  const port = await start({})
  const socket = await open(port)
  const ended = text(socket)
  socket.write(`${GET}nonsense\r\n\r\n`)
  expect(countOf(await ended, 'HTTP/1.1')).toBe(1)
})

test('the table of docs/security.md', () => {
  writeDocRow('docs/security.md', 'doors', [
    'A3',
    'clients that never read, pipeline hundreds of requests, or open hundreds of connections',
    'cut off when an answer stands still for 30 s or more than 4 requests wait behind it; 1,000 requests per connection, 256 connections per address, 4,096 or half of the descriptors in all, past which a 503 with the policy says so',
    '`src/server/http/sockets/raw-server.test.ts`, `tests/process/slow-clients.test.ts`, `tests/process/descriptors.test.ts`',
  ])
})

test('while it drains, each answer ends its connection, so that a proxy opens none here again', async () => {
  const drain = { hasBegun: false }
  const port = await start({}, drain)
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/`)).headers.get('connection')
  expect(await ask()).toBe('keep-alive')
  drain.hasBegun = true
  expect(await ask()).toBe('close')
})
