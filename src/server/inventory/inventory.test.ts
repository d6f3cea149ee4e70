import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DAY_MS } from '#contract/durations.ts'
import { makeDatabase, type TestDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { sweepTable } from '#tests/support/sweep-table.ts'
import { startVendorApis, type VendorApis } from '#tests/support/vendor-apis/start-vendor-apis.ts'
import { recordAudit } from '../activity/trail.ts'
import { OutgoingClient } from '../http/outgoing.ts'
import { readInventory } from './admin-routes.ts'
import { noteServedPage } from './served-page.ts'
import { checkVendorFiles, listFileChanges } from './vendor-files.ts'

const NOW = Date.UTC(2026, 10, 16, 8)
const FILE = 'https://hooks.exemplo.com.br/tag.js'
const hash = (text: string) => createHash('sha256').update(text).digest('hex')

describe.each(TIER_ENGINES)('the inventory, on %s', (engine) => {
  let database: TestDatabase
  let vendors: VendorApis
  let client: OutgoingClient
  let pixelId: string
  let script: string
  beforeAll(async () => {
    database = await makeDatabase(engine)
    vendors = await startVendorApis()
    client = new OutgoingClient({ httpsProxy: vendors.proxyUrl, noProxy: null, maxAnswerBytes: 1_000 })
    vendors.answer = ({ path }) => {
      if (path === '/tag.js') return { status: 200, body: script }
      if (path === '/large.js') return { status: 200, body: 'x'.repeat(1_001) }
      if (path === '/moved.js') return { status: 302, headers: { location: FILE } }
      if (path === '/packed.js') return { status: 200, headers: { 'content-encoding': 'gzip' }, body: 'x' }
      return { status: 404 }
    }
  })
  afterAll(async () => {
    await client.close()
    await vendors.close()
    await database.close()
  })
  beforeEach(async () => {
    for (const table of [
      'tag_periods',
      'served_headers',
      'served_state',
      'script_files',
      'audit_events',
    ] as const)
      await database.db.deleteFrom(table).execute()
    await database.db.deleteFrom('tracking_pixels').execute()
    vendors.received.length = 0
    script = 'um'
    pixelId = await insertPixel(database.db, { type: 'custom', name: 'Medidor' })
    await serve([FILE])
  })
  const serve = (urls: string[]) =>
    noteServedPage(
      database.db,
      {
        tagsVersion: 1,
        tagSetVersion: 'set',
        headersHash: 'h',
        tools: [],
        tags: [
          {
            pixelId,
            revision: urls.join(),
            type: 'custom',
            vendors: ['hotjar'],
            account: null,
            category: 'marketing',
            sentBy: ['browser'],
            hosts: ['hooks.exemplo.com.br'],
            files: [
              { kind: 'own', path: '/tags/a.js', sha256: hash('a') },
              ...urls.map((url) => ({ kind: 'vendor' as const, url })),
            ],
          },
        ],
      },
      new Date(NOW),
    )
  const check = (now: number) =>
    checkVendorFiles(
      { db: database.db, fetchFile: (url, signal) => client.fetchFile(url, signal) },
      new AbortController().signal,
      now,
    )
  const inventory = (checksFiles = true) =>
    readInventory({
      db: database.db,
      nameVendor: (id) => id.toUpperCase(),
      isInHtml: () => false,
      checksFiles,
    })
  const file = async () => (await inventory()).items[0]?.vendor_files[0]

  test('lists each script with files, hosts, and who switched it on, when and why', async () => {
    const change = (before: unknown, after: unknown, actor: string, at: number) =>
      recordAudit(
        database.db,
        { actor_id: null, actor, action: 'tracking_pixels.update', subject: pixelId, before, after },
        new Date(at),
      )
    expect((await inventory()).items).toMatchObject([{ authorised: null, reason: null }])
    await change({ is_active: false }, { is_active: true }, 'ana@exemplo.com.br', NOW)
    // An edit is no authorisation.
    await change({ is_active: true }, { is_active: true }, 'rui@exemplo.com.br', NOW + 1)
    await database.db
      .updateTable('tracking_pixels')
      .set({ reason: 'Medir a campanha', runs_in: 'isolated' })
      .execute()
    expect(await inventory(false)).toEqual({
      checks_files: false,
      headers: [{ hash: 'h', since: new Date(NOW).toISOString(), unasked: false }],
      items: [
        {
          pixel_id: pixelId,
          name: 'Medidor',
          type: 'custom',
          vendors: ['HOTJAR'],
          category: 'marketing',
          runs_in: 'isolated',
          told_by: ['browser'],
          on_page_since: new Date(NOW).toISOString(),
          in_html: false,
          authorised: { by: 'ana@exemplo.com.br', at: new Date(NOW).toISOString() },
          reason: 'Medir a campanha',
          hosts: ['hooks.exemplo.com.br'],
          own_files: [{ path: '/tags/a.js', sha256: hash('a') }],
          vendor_files: [expect.objectContaining({ url: FILE, outcome: 'waiting', sha256: null })],
        },
      ],
    })
  })

  test('checks a vendor’s file once a day, in one process, and notes a change', async () => {
    await Promise.all([check(NOW), check(NOW), check(NOW)])
    expect(vendors.received).toHaveLength(1)
    expect(vendors.received[0]?.headers).not.toHaveProperty('cookie')
    expect(await file()).toMatchObject({
      outcome: 'read',
      sha256: hash('um'),
      bytes: 2,
      changes: 0,
      changed_at: null,
    })
    await check(NOW + DAY_MS - 1)
    expect(vendors.received).toHaveLength(1)
    await check(NOW + DAY_MS)
    expect(await file()).toMatchObject({ changes: 0, checked_at: new Date(NOW + DAY_MS).toISOString() })
    expect(await listFileChanges(database.db, NOW + DAY_MS)).toEqual([])
    script = 'outro'
    await check(NOW + 2 * DAY_MS)
    expect(await file()).toMatchObject({
      sha256: hash('outro'),
      changes: 1,
      changed_at: new Date(NOW + 2 * DAY_MS).toISOString(),
    })
    const changes = [{ pixelId, url: FILE, sha256: hash('outro') }]
    expect(await listFileChanges(database.db, NOW + 2 * DAY_MS)).toEqual(changes)
    expect(await listFileChanges(database.db, NOW + 30 * DAY_MS)).toEqual([])
  })

  test('leaves the file of a killed process to the next one', async () => {
    await database.db
      .insertInto('script_files')
      .values({ url: FILE, outcome: 'waiting', due_at: new Date(NOW + 60_000).toISOString() })
      .execute()
    await check(NOW)
    expect(vendors.received).toHaveLength(0)
    await check(NOW + 60_000)
    expect(vendors.received).toHaveLength(1)
  })

  test('a check that a wrong clock put far ahead is due when the clock is right', async () => {
    await check(NOW + 30 * DAY_MS)
    await check(NOW)
    expect(vendors.received).toHaveLength(2)
  })

  test.each([
    ['a redirect', 'https://hooks.exemplo.com.br/moved.js', 'http_302'],
    ['a missing file', 'https://hooks.exemplo.com.br/none.js', 'http_404'],
    ['a file above the limit', 'https://hooks.exemplo.com.br/large.js', 'UND_ERR_RES_EXCEEDED_MAX_SIZE'],
    ['a file compressed without being asked for', 'https://hooks.exemplo.com.br/packed.js', 'encoded'],
  ])('stores the reason instead of a hash for %s', async (_what, url, reason) => {
    await serve([url])
    await check(NOW)
    expect(await file()).toMatchObject({ outcome: 'failed', reason, sha256: null, changes: 0 })
    expect(vendors.received.map(({ path }) => path)).toEqual([new URL(url).pathname])
  })

  test('a failure between two checks is no change', async () => {
    await check(NOW)
    vendors.isDown = true
    await check(NOW + DAY_MS)
    vendors.isDown = false
    expect(await file()).toMatchObject({ outcome: 'failed', sha256: hash('um'), changes: 0 })
    await check(NOW + 2 * DAY_MS)
    expect(await file()).toMatchObject({ outcome: 'read', sha256: hash('um'), changes: 0 })
  })

  test('deletes everything past retention except the current state', async () => {
    await serve([])
    await database.db
      .updateTable('tag_periods')
      .set({ ended_at: new Date(NOW).toISOString() })
      .where('ended_at', 'is', null)
      .execute()
    const aged = { kept: { consentDays: 10 }, now: NOW + 11 * DAY_MS }
    for (const table of ['tag_periods', 'served_headers'] as const) await sweepTable(database.db, table, aged)
    expect(await database.db.selectFrom('tag_periods').select('id').execute()).toEqual([])
    expect(await database.db.selectFrom('served_headers').select('id').execute()).toHaveLength(1)
  })
})

test.each(['localhost', '127.0.0.1', '2130706433', '0x7f.1', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]'])(
  'does not fetch from inside, by any name: %s',
  async (host) => {
    let connections = 0
    const inside = createServer(() => connections++).listen(0)
    await once(inside, 'listening')
    const url = `https://${host}:${(inside.address() as AddressInfo).port}/tag.js`
    const { signal } = new AbortController()
    for (const httpsProxy of [null, `http://127.0.0.1:${(inside.address() as AddressInfo).port}`]) {
      // The proxy resolves names; a literal address is known at once.
      if (httpsProxy !== null && host === 'localhost') continue
      const client = new OutgoingClient({ httpsProxy, noProxy: null })
      expect(await client.fetchFile(url, signal)).toEqual({ failure: 'ENOTPUBLIC' })
      expect(await client.post(url, {}, '{}', signal)).toEqual({
        kind: 'failed',
        code: 'ENOTPUBLIC',
        written: false,
      })
      await client.close()
    }
    inside.close()
    expect(connections).toBe(0)
  },
)
