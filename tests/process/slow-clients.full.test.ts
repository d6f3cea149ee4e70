import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { makeStorage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { spawnServer, untilReady } from '../support/spawn-server.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

const CLIENTS = 1000
const MAX_MEMORY_MB = 200

let site: TestApp
beforeAll(async () => {
  site = await startTestApp({ listen: true, connectionLimits: { perAddress: null } })
})
afterAll(() => site.close())

test(`cuts off ${CLIENTS} clients that send a byte a second within ten seconds, and serves the page meanwhile`, async () => {
  const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => openSocket(SLOW_REQUEST)))
  // Seconds and responses are counted by the serving event loop: a delay affects both.
  let seconds = 0
  let answers = 0
  const drip = setInterval(() => {
    seconds++
    for (const socket of sockets) if (socket.writable) socket.write('a')
  }, 1000)
  onTestFinished(() => clearInterval(drip))
  const isOpen = () => sockets.some((socket) => !socket.destroyed)
  while (isOpen() && seconds < 10) {
    expect((await fetch(site.url)).status).toBe(200)
    answers++
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(isOpen()).toBe(false)
  expect(answers).toBeGreaterThanOrEqual(seconds)
})

test.each([
  ['300 pipelined requests', 300, 'cut off'],
  ['3 pipelined requests', 3, 'kept'],
])(
  `${CLIENTS} clients that send %s and never read leave memory below ${MAX_MEMORY_MB} MB`,
  async (_what, requests, fate) => {
    const storage = await makeStorage('sqlite')
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const server = spawnServer({
      PORT: String(port),
      DATA_DIR: storage.dataDir,
      LOG_LEVEL: 'warn',
      TRUST_PROXY: '1',
    })
    await untilReady(server, url)
    const message = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(requests)
    const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => openDeafSocket(port, message)))
    let memory = 0
    for (let turn = 0; turn < 20; turn++) {
      expect((await fetch(url)).status).toBe(200)
      memory = Math.max(memory, residentMegabytes(server.child.pid ?? 0))
    }
    expect(memory).toBeLessThan(MAX_MEMORY_MB)
    if (fate === 'cut off') {
      // A client that reads later finds the connection closed, with few of the responses.
      for (const socket of sockets) socket.resume()
      await Promise.all(sockets.map((socket) => (socket.closed ? null : once(socket, 'close'))))
    }
    for (const socket of sockets) socket.destroy()
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    await storage.remove()
  },
  180_000,
)

function residentMegabytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024
}

async function openDeafSocket(port: number, message: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  socket.write(message)
  return socket
}

const SLOW_REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: '

function openSocket(message: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(site.config.port, '127.0.0.1')
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      socket.on('error', () => {})
      socket.resume()
      socket.write(message)
      resolve(socket)
    })
  })
}
