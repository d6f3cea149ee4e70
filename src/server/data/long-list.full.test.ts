import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DataApp, startDataApp } from '#tests/support/data-app.ts'
import { ENGINES } from '#tests/support/engines.ts'
import { statementsOn } from '#tests/support/sent-statements.ts'

const COUNT = 10_000
const MAX_PAUSE_MS = 50
const PIXELS = '/rest/v1/tracking_pixels'

describe.each(ENGINES)('a list of ten thousand pixels on %s', (engine) => {
  let data: DataApp
  let origin: string
  beforeAll(async () => {
    data = await startDataApp(engine)
    const rows = Array.from({ length: COUNT }, (_, index) => ({
      id: randomUUID(),
      name: `Pixel ${String(index).padStart(5, '0')}`,
      type: 'custom' as const,
      pixel_id: null,
      code: `<script>/* ${'ç'.repeat(500)} */</script>`,
      is_active: index % 2 === 0,
      allowed_hosts: '[]',
      consent_category: 'marketing' as const,
      created_at: new Date(1_700_000_000_000 + index).toISOString(),
      updated_at: new Date(1_700_000_000_000 + index).toISOString(),
    }))
    for (let at = 0; at < COUNT; at += 1000) {
      await data.database.db
        .insertInto('tracking_pixels')
        .values(rows.slice(at, at + 1000))
        .execute()
    }
    await data.app.listen({ host: '127.0.0.1', port: 0 })
    origin = `http://127.0.0.1:${(data.app.server.address() as AddressInfo).port}`
  })
  afterAll(() => data.close())

  const get = (search: string, headers: Record<string, string> = {}) =>
    fetch(`${origin}${PIXELS}?${search}`, { headers: { 'x-test-caller': 'admin', ...headers } })

  test('is complete and in order', async () => {
    const answer = await get('order=created_at.desc', { prefer: 'count=exact' })
    expect(answer.headers.get('content-range')).toBe(`0-${COUNT - 1}/${COUNT}`)
    const rows = (await answer.json()) as { id: string; name: string; created_at: string }[]
    expect(rows).toHaveLength(COUNT)
    expect(new Set(rows.map((row) => row.id)).size).toBe(COUNT)
    expect([rows[0]?.name, rows.at(-1)?.name]).toEqual(['Pixel 09999', 'Pixel 00000'])
    expect(rows[0]?.created_at).toMatch(/\+00:00$/)
  })

  const LISTED =
    'select=id,nome:name,type,pixel_id,is_active,is_active::text,created_at,desde:created_at::text&order=created_at.desc'

  test('without long texts is read in one go, and reads as it does page by page', async () => {
    let whole = ''
    const statements = await statementsOn({ databaseUrl: engine === 'sqlite' ? null : '' }, async () => {
      whole = await (await get(LISTED)).text()
    })
    expect(statements.filter(({ sql }) => sql.includes('tracking_pixels')).length).toBeLessThan(4)
    expect(whole).toBe(await (await get(LISTED, { prefer: 'count=exact' })).text())
    const answer = await get(`${LISTED}&limit=5000&offset=3`)
    expect(answer.headers.get('content-range')).toBe('3-5002/*')
    expect(await answer.json()).toEqual((JSON.parse(whole) as unknown[]).slice(3, 5003))
  })

  test('contains only the selected columns', async () => {
    const rows = (await (await get('select=name,ativo:is_active&limit=300&order=name')).json()) as unknown[]
    expect(rows).toHaveLength(300)
    expect(rows[299]).toEqual({ name: 'Pixel 00299', ativo: false })
    const csv = await (await get('select=name&order=name', { accept: 'text/csv' })).text()
    expect(csv.split('\n')).toHaveLength(COUNT + 1)
  })

  test('keeps its rows intact while others write', async () => {
    const answer = await get('order=created_at.asc&select=id,name')
    const made = await data.call({
      method: 'POST',
      url: PIXELS,
      payload: { name: 'first of all', type: 'custom', created_at: '2000-01-01' },
    })
    expect(made.statusCode).toBe(201)
    const rows = (await answer.json()) as { id: string }[]
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length)
    expect(rows.length).toBe(COUNT)
    await data.call({ method: 'DELETE', url: `${PIXELS}?name=eq.first of all` })
  })

  test(`never blocks the event loop for ${MAX_PAUSE_MS} ms`, async () => {
    // Other load can lengthen a turn, but not in each of four lists.
    const longest: number[] = []
    for (let list = 0; list < 4; list++) longest.push(await longestTurn(() => drain('order=created_at.desc')))
    expect(Math.min(...longest)).toBeLessThan(MAX_PAUSE_MS)
  })

  async function drain(search: string): Promise<void> {
    const answer = await get(search)
    let bytes = 0
    for await (const chunk of answer.body ?? []) bytes += (chunk as Uint8Array).length
    expect(bytes).toBeGreaterThan(COUNT * 1000)
  }
})

/**
 * The longest turn of the event loop during the work, in this thread's processor time: wall time would include other
 * load.
 */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longest = 0
  let last = process.threadCpuUsage()
  let running = true
  const turn = () => {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.threadCpuUsage()
    if (running) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  running = false
  return longest
}
