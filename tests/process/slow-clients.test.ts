import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/test-app.ts'

const CLIENTS = 1000

let site: TestApp
beforeAll(async () => {
  site = await startTestApp({ listen: true })
})
afterAll(() => site.close())

test(`${CLIENTS} clients that send a byte a second are gone within 10 s and do not delay the page`, async () => {
  const sockets = await Promise.all(Array.from({ length: CLIENTS }, openSocket))
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('a')
  }, 1000)
  const began = performance.now()
  const delays: number[] = []
  const isOpen = () => sockets.some((socket) => !socket.destroyed)
  while (isOpen() && performance.now() - began < 12_000) {
    const asked = performance.now()
    expect((await fetch(site.url)).status).toBe(200)
    delays.push(performance.now() - asked)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  clearInterval(drip)
  expect(isOpen()).toBe(false)
  expect((performance.now() - began) / 1000).toBeLessThan(10)
  delays.sort((a, b) => a - b)
  expect(delays[Math.floor(delays.length / 2)]).toBeLessThan(100)
})

function openSocket(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(site.config.port, '127.0.0.1')
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      socket.on('error', () => {})
      socket.resume()
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
      resolve(socket)
    })
  })
}
