import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DataApp, startDataApp } from '#tests/support/data-app.ts'
import { ENGINES } from '#tests/support/engines.ts'
import { sentStatements } from '#tests/support/sent-statements.ts'
import { PAGE_BYTES } from './read-plan.ts'

/** More than a changed list may show, and more than the kernel buffers on a local socket. */
const COUNT = 130
const CODE = `<script>/*${'x'.repeat(64_000)}*/</script>`
const PIXELS = '/rest/v1/tracking_pixels'

describe.each(ENGINES)(`lists of ${COUNT} pixels of 64 KB on %s`, (engine) => {
  let data: DataApp
  let folder: string
  let socketPath: string
  beforeAll(async () => {
    data = await startDataApp(engine)
    for (let at = 0; at < COUNT; at += 26) {
      const rows = Array.from({ length: 26 }, (_, index) => ({
        id: randomUUID(),
        name: `Pixel ${at + index}`,
        type: 'custom' as const,
        pixel_id: null,
        code: CODE,
        is_active: false,
        allowed_hosts: '[]',
        consent_category: 'marketing' as const,
        created_at: new Date(1_700_000_000_000 + at + index).toISOString(),
        updated_at: '2026-11-15T01:02:03.456Z',
      }))
      await data.database.db.insertInto('tracking_pixels').values(rows).execute()
    }
    folder = mkdtempSync(join(tmpdir(), 'portico-test-'))
    // On a network socket the kernel may buffer tens of megabytes.
    socketPath = join(folder, 'socket')
    await data.app.listen({ path: socketPath })
  })
  afterAll(async () => {
    data.app.server.closeAllConnections()
    await data.close()
    rmSync(folder, { recursive: true })
  })

  const ask = (caller: string) => {
    const asked = get({
      socketPath,
      path: `${PIXELS}?order=created_at`,
      headers: { 'x-test-caller': caller },
    })
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve)
      asked.once('error', reject)
    })
    return { asked, answered }
  }

  async function read(answer: IncomingMessage): Promise<number> {
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk as Buffer)
    return (JSON.parse(Buffer.concat(chunks).toString()) as unknown[]).length
  }

  test('allows one per person at a time, without delaying other people', async () => {
    const first = await ask('admin').answered
    const second = ask('admin')
    let isAnswered = false
    second.answered.then(() => {
      isAnswered = true
    })
    // A later request that is answered shows that the waiting one had enough time.
    const other = await ask('service').answered
    expect(await read(other)).toBe(COUNT)
    expect(isAnswered).toBe(false)
    expect(await read(first)).toBe(COUNT)
    expect(await read(await second.answered)).toBe(COUNT)
  })

  test('a reader that disconnects, reading or waiting, frees its place', async () => {
    const reading = ask('admin')
    await reading.answered
    const waiting = ask('admin')
    const gone = waiting.answered.catch((error: Error) => error.message)
    await read(await ask('service').answered)
    waiting.asked.destroy()
    reading.asked.destroy()
    expect(await gone).toContain('hang up')
    expect(await read(await ask('admin').answered)).toBe(COUNT)
  })

  test('a waiting reader is not treated as disconnected', async () => {
    const { server } = data.app
    const first = await ask('admin').answered
    server.timeout = 1_000
    const second = ask('admin')
    const timeouts = once(server, 'timeout').then(() => 'cut off')
    const patience = new Promise((resolve) => setTimeout(resolve, 2 * server.timeout))
    expect(await Promise.race([timeouts, second.answered, patience])).toBeUndefined()
    server.timeout = 0
    expect(await read(first)).toBe(COUNT)
    expect(await read(await second.answered)).toBe(COUNT)
  })

  test('refuses and rolls back a change whose response is too large', async () => {
    const url = `${PIXELS}?name=like.Pixel*`
    const refused = await data.call({
      method: 'PATCH',
      url,
      headers: { prefer: 'return=representation' },
      payload: { consent_category: 'desempenho' },
    })
    expect(refused.statusCode).toBe(413)
    const unchanged = await data.call({ url: `${PIXELS}?consent_category=eq.desempenho&select=id` })
    expect(unchanged.json()).toEqual([])
    const made = await data.call({ method: 'PATCH', url, payload: { consent_category: 'desempenho' } })
    expect(made.statusCode).toBe(204)
  })
})

test('limits a page by bytes, not by rows', async () => {
  const data = await startDataApp('sqlite')
  const names = Array.from({ length: 40 }, (_, index) => `Pixel ${index}`)
  for (const name of names) {
    await data.call({ method: 'POST', url: PIXELS, payload: { name, type: 'custom', code: CODE } })
  }
  await data.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = data.app.server.address() as AddressInfo
  const statements = await sentStatements(async () => {
    // With a count, no list is read in one go.
    const headers = { 'x-test-caller': 'admin', connection: 'close', prefer: 'count=exact' }
    const answer = await fetch(`http://127.0.0.1:${port}${PIXELS}`, { headers })
    expect(await answer.json()).toHaveLength(names.length)
  })
  const pages = statements.filter(({ sql }) => sql.includes('"tracking_pixels"."id" in ('))
  expect(pages.flatMap(({ parameters }) => parameters)).toHaveLength(names.length)
  for (const { parameters } of pages) expect(parameters.length * CODE.length).toBeLessThan(PAGE_BYTES)
  await data.close()
})
