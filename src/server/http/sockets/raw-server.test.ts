import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { writeDocRow } from '#tests/support/doc-table.ts'
import { rawRequest } from '#tests/support/raw-request.ts'
import { CONNECTIONS } from '../limits/limits.ts'
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
/** More than the kernel buffers of a response that nobody reads. */
const LARGE = Buffer.alloc(16_000_000)

let server: Server
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

/** Answers `/` at once and nothing else. */
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

describe('a client beyond its limits', () => {
  test('that never reads its response is cut off', async () => {
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

  test('that sends requests behind an unanswered one is cut off', async () => {
    const port = await start({ pipelined: 16 })
    const socket = await open(port)
    const ended = text(socket)
    let parsed = 0
    server.on('request', () => {
      parsed++
    })
    socket.write(`GET /never HTTP/1.1\r\nHost: a\r\n\r\n${GET.repeat(300)}`)
    expect(await ended).toBe('')
    // The unanswered one, those that may wait, and one too many.
    expect(parsed).toBe(1 + 16 + 1)
  })

  test('that pipelines within the limit is served', async () => {
    const port = await start({ pipelined: 16 })
    const socket = await open(port)
    const ended = text(socket)
    socket.write(GET.repeat(15) + GET_AND_CLOSE)
    expect(countOf(await ended, 'HTTP/1.1 200 OK')).toBe(16)
  })

  test('gets a notice with its last request, and later ones are ignored', async () => {
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
  ])('beyond %s gets 503 with a policy, and is served when others are gone', async (_what, limits) => {
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
  })

  test('far beyond the limit of its address is dropped', async () => {
    const port = await start({ perAddress: 4 })
    const all = await Promise.all(Array.from({ length: 5 }, () => open(port)))
    const dropped = await open(port)
    expect(await text(dropped)).toBe('')
    for (const socket of all) socket.destroy()
  })
})

test('bytes that are no HTTP behind a running request do not disturb its response', async () => {
  const port = await start({})
  const socket = await open(port)
  const ended = text(socket)
  socket.write(`${GET}nonsense\r\n\r\n`)
  expect(countOf(await ended, 'HTTP/1.1')).toBe(1)
})

test('the same behind a pipelined request whose turn has come', async () => {
  const port = await start({})
  const socket = await open(port)
  let parsed = 0
  const bothParsed = new Promise<void>((resolve) =>
    server.on('request', () => {
      parsed++
      if (parsed === 2) resolve()
    }),
  )
  const lines = `${GET}GET /large HTTP/1.1\r\nHost: a\r\n\r\n`
  socket.write(lines)
  await bothParsed
  // The large response has begun, and is not through.
  await once(socket, 'data')
  socket.pause()
  socket.write('nonsense\r\n\r\n')
  const ended = text(socket)
  socket.resume()
  expect(await ended).not.toContain('400 Bad Request')
})

test('puts no listener on a response that can be sent at once', async () => {
  const port = await start({})
  const counted: number[] = []
  server.on('request', (_request, response) => counted.push(response.listenerCount('close')))
  const bare = createServer((_request, response) => {
    counted.push(response.listenerCount('close'))
    response.end()
  }).listen(0, '127.0.0.1')
  await once(bare, 'listening')
  await rawRequest(port, GET_AND_CLOSE)
  await rawRequest((bare.address() as AddressInfo).port, GET_AND_CLOSE)
  bare.close()
  expect(counted[0]).toBe(counted[1])
})

test('writes the table of docs/reports/attacks.md', () => {
  const { stalledMs, pipelined, requestsPerSocket, perAddress, total } = CONNECTIONS
  const count = (number: number) => number.toLocaleString('en')
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'A3',
    'clients that never read, pipeline hundreds of requests, or open hundreds of connections',
    `cut off when a response stalls for ${stalledMs / 1000} s or more than ${pipelined} requests wait behind it; ${count(requestsPerSocket)} requests per connection, ${count(perAddress)} connections per address, ${count(total)} in all, or fewer so that half of the descriptors stay free, past which a 503 with the policy says so`,
    '`src/server/http/sockets/raw-server.test.ts`, `tests/process/slow-clients.full.test.ts`, `tests/process/descriptors.full.test.ts`',
  ])
})

test('closes the connection after each response while draining', async () => {
  const drain = { hasBegun: false }
  const port = await start({}, drain)
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/`)).headers.get('connection')
  expect(await ask()).toBe('keep-alive')
  drain.hasBegun = true
  expect(await ask()).toBe('close')
})
