import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { makeStorage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { spawnProgram, untilReady } from '../support/spawn-server.ts'

const DESCRIPTORS = 80
const CLIENTS = 300

test(`${CLIENTS} connections to a process with ${DESCRIPTORS} descriptors: refuses some, logs one line, and keeps running`, async () => {
  const storage = await makeStorage('sqlite')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const command = `ulimit -n ${DESCRIPTORS} && exec "${process.execPath}" dist/server/serve.js`
  const server = spawnProgram(['sh', '-c', command], {
    PORT: String(port),
    DATA_DIR: storage.dataDir,
    LOG_LEVEL: 'warn',
    TRUST_PROXY: '1',
  })
  onTestFinished(async () => {
    server.child.kill('SIGKILL')
    await server.ended
    await storage.remove()
  })
  await untilReady(server, url)
  const answers: Awaited<ReturnType<typeof hold>>[] = []
  const lines = () => server.output().split('connections closed without a response').length - 1
  // Whether any of a wave is dropped depends on how fast the others are refused.
  await expect
    .poll(async () => {
      answers.push(...(await Promise.all(Array.from({ length: CLIENTS }, () => hold(port)))))
      return lines()
    })
    .toBeGreaterThan(0)
  const statuses = answers.map(({ head }) => /^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 'dropped')
  // Connections without a descriptor for a response are dropped: how many depends on timing.
  expect(new Set([...statuses, 'dropped'])).toEqual(new Set(['200', '503', 'dropped']))
  for (const { head } of answers) if (head !== '') expect(head).toContain('content-security-policy: ')
  for (const { socket } of answers) socket.destroy()
  await expect.poll(async () => (await fetch(url).catch(() => null))?.status, { timeout: 30_000 }).toBe(200)
  // The check of the database file, which begins after the start, opens a thread and files.
  expect(
    server
      .output()
      .split('\n')
      .filter((line) => /EMFILE|could not/.test(line)),
  ).toEqual([])
  // One in ten seconds, however many are dropped.
  expect(lines()).toBeLessThan(10)
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
})

/** Requests a page and keeps the connection, whatever the response. */
async function hold(port: number): Promise<{ socket: Socket; head: string }> {
  const socket = connect(port, '127.0.0.1')
  let head = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    head += chunk
  })
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  // Not `once` of node:events, which treats a cut connection as a failure of the test.
  await new Promise((resolve) => socket.once('data', resolve).once('close', resolve))
  return { socket, head }
}
