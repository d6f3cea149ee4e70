import { connect } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { POLICY_FULL, type TagOverview } from '#contract/tag-status.ts'
import { readKeys } from '#tests/acceptance/auth-keys.ts'
import { writeDocRow } from '#tests/support/doc-table.ts'
import { ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { linksTo } from '#tests/support/nasty-snippets.ts'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { HEAD_LIMIT_BYTES, HEAD_WARN_BYTES } from './budget.ts'

let site: TestApp
let key: string
afterEach(() => site.close())

async function start(engine: (typeof ENGINES)[number], env: Record<string, string> = {}): Promise<void> {
  site = await startTestApp({ engine, listen: true, env })
  key = (await readKeys(site)).service
}

const call = (method: string, path: string, body?: object) =>
  fetch(site.url + path, {
    method,
    headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const custom = (name: string, code: string, more: object = {}) => ({ name, type: 'custom', code, ...more })
const insert = (row: object) => call('POST', '/rest/v1/tracking_pixels', row)
const overview = async () => (await (await call('GET', '/admin/api/tags')).json()) as TagOverview

/** The headers of `/` as they are sent. */
function readHead(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(site.url).port), '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end === -1) return
      socket.destroy()
      resolve(text.slice(0, end + 4))
    })
    socket.once('error', reject)
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\naccept-encoding: gzip\r\n\r\n')
  })
}

describe.each(ENGINES)("size of the page's headers, on %s", (engine) => {
  test('refuses two pixels with 2,000 links each, by every kind of write', async () => {
    await start(engine)
    const refused = await insert(custom('Lista um', linksTo(2_000, 'um')))
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      code: POLICY_FULL,
      message: expect.stringMatching(/de 8 KB\)\. As que mais usam: "Lista um" \(2\.000 domínios\)/),
    })
    for (const name of ['um', 'dois']) {
      expect((await insert(custom(name, linksTo(2_000, name), { is_active: false }))).status).toBe(201)
    }
    const both = await call('PATCH', '/rest/v1/tracking_pixels?type=eq.custom', { is_active: true })
    expect(both.status).toBe(400)
    expect(((await both.json()) as { message: string }).message).toMatch(
      /"(um|dois)" \(2\.000 domínios\); "(um|dois)" \(/,
    )
    const hosts = Array.from({ length: 100 }, (_, index) => `allowed-host-number-${index}.vendor.com`)
    expect((await insert(custom('Permitidos', '<script>1</script>', { allowed_hosts: hosts }))).status).toBe(
      400,
    )
    expect(await readHead()).not.toContain('vendor.com')
    writeDocRow('docs/reports/attacks.md', 'fixed', [
      'B8a',
      'two pixels with 2,000 links each, inserted active, switched on together; 100 allowed hosts',
      'refused, naming each pixel and how many hosts it has; the headers of `/` stay under 8 KB',
      '`src/server/tags/hosts/budget.full.test.ts`',
    ])
  })

  test('refuses an isolated tag whose frame would have too large headers', async () => {
    await start(engine)
    const isolated = { runs_in: 'isolated' }
    expect((await insert(custom('Poucos', linksTo(10, 'poucos'), isolated))).status).toBe(201)
    const refused = await insert(custom('Muitos', linksTo(2_000, 'muitos'), isolated))
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ code: POLICY_FULL })
  })

  test('serves rows beyond the limit that were written by SQL without those with most hosts, and says so', async () => {
    await start(engine)
    const { db } = site.database
    const small = await insertPixel(db, { type: 'custom', code: linksTo(3, 'small') })
    const large = [await insertPixel(db, { type: 'custom', code: linksTo(2_000, 'um') })]
    large.push(await insertPixel(db, { type: 'custom', code: linksTo(2_000, 'dois') }))
    const policy = await vi.waitFor(async () => {
      const { pixels, policy } = await overview()
      const codes = (id: string) =>
        pixels.find((status) => status.pixel_id === id)?.warnings.map(({ code }) => code)
      expect([small, ...large].map(codes)).toEqual([[], ['left_out'], ['left_out']])
      expect(policy.bytes).toBeGreaterThan(policy.limit)
      return policy
    }, 30_000)
    // The page is rebuilt shortly after the set.
    const head = await vi.waitFor(async () => {
      const now = await readHead()
      expect(now).toContain('https://small0.vendor.com')
      return now
    }, 30_000)
    expect(head).not.toMatch(/(um|dois)\d/)
    expect(head.length).toBeLessThan(HEAD_LIMIT_BYTES)
    expect(policy.largest.slice(0, 2).map(({ hosts }) => hosts)).toEqual([2_000, 2_000])
    // A change that reduces hosts is accepted, one that does not is refused.
    const patch = (id: string, change: object) =>
      call('PATCH', `/rest/v1/tracking_pixels?id=eq.${id}`, change)
    expect((await patch(small, { name: 'Outro nome' })).status).toBe(204)
    expect((await patch(small, { code: linksTo(4, 'small') })).status).toBe(400)
    for (const id of large) expect((await patch(id, { is_active: false })).status).toBe(204)
    expect((await patch(small, { code: linksTo(4, 'small') })).status).toBe(204)
    expect((await overview()).policy.bytes).toBeLessThan(HEAD_WARN_BYTES)
    writeDocRow('docs/reports/attacks.md', 'fixed', [
      'B8b',
      'the same two pixels written directly into the database',
      'the server starts and serves; the tags with most hosts stay out, the dashboard says which, the others run',
      '`src/server/tags/hosts/budget.full.test.ts`',
    ])
  })
})

test('never measures less than what is sent', async () => {
  await start('sqlite', { SITE_URL: 'https://portico.test-site.com' })
  for (const row of [
    custom('isolated', '<script>1</script>', { runs_in: 'isolated' }),
    { name: 'a', type: 'google_tag_manager', pixel_id: 'GTM-1', code: '<script>1</script>' },
    { name: 'b', type: 'meta', pixel_id: '1', code: '<script>1</script>' },
    custom('c', linksTo(20, 'some')),
  ]) {
    expect((await insert(row)).status).toBe(201)
    const { bytes } = (await overview()).policy
    const { length } = await readHead()
    expect(length).toBeLessThanOrEqual(bytes)
    expect(bytes - length).toBeLessThan(100)
  }
})

test('gives pixels sent by the server no space in the policy', async () => {
  await start('sqlite')
  const before = (await overview()).policy
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const sent = { delivery: 'server', access_token: secret, webhook_url: 'https://hooks.exemplo.com.br/c' }
  for (const row of [
    { name: 'a', type: 'meta', pixel_id: '482910377165024', delivery: 'server', access_token: 'good-token' },
    custom('b', linksTo(2_000, 'some'), sent),
  ]) {
    const answer = await insert(row)
    expect(answer.status, await answer.text()).toBe(201)
  }
  expect((await overview()).policy).toEqual(before)
  expect(await readHead()).not.toMatch(/facebook|vendor\.com/)
})
