// Needs a browser: a visit shows what each process serves.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openDatabase } from '#server/db/database.ts'
import { signIn } from '../support/admin-site.ts'
import { launchBrowser, UNSEEN } from '../support/browser.ts'
import { makeStorage, type Storage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { type SpawnedServer, spawnServer, untilReady } from '../support/spawn-server.ts'
import { PRINCIPAL } from '../support/test-app.ts'
import { startVendors, type VendorStandIn } from '../support/vendor-stand-in.ts'

const ID = '123456789012345'

interface Replica {
  url: string
  server: SpawnedServer
  dataDir: string
}

let storage: Storage
let vendors: VendorStandIn
let browser: Browser
const replicas: Replica[] = []

beforeAll(async () => {
  storage = await makeStorage('postgres')
  vendors = await startVendors()
  browser = await launchBrowser({ resolve: vendors.resolve })
  for (let index = 0; index < 2; index++) replicas.push(await startReplica())
  const database = openDatabase(storage)
  await insertPixel(database.db, { type: 'meta', pixel_id: ID, name: 'Meta Pixel Principal' })
  await database.close()
})
afterAll(async () => {
  await browser.close()
  for (const { server, dataDir } of replicas) {
    server.child.kill('SIGTERM')
    await server.ended
    rmSync(dataDir, { recursive: true, force: true })
  }
  await vendors.close()
  await storage.remove()
})

async function startReplica(): Promise<Replica> {
  const port = await freePort()
  const dataDir = mkdtempSync(join(tmpdir(), 'portico-replica-'))
  const url = `http://localhost:${port}`
  const server = spawnServer({
    ...storage.env,
    PORT: String(port),
    DATA_DIR: dataDir,
    PRINCIPAL_ADMIN_EMAIL: PRINCIPAL.email,
    PRINCIPAL_ADMIN_PASSWORD: PRINCIPAL.password,
    LOG_LEVEL: 'warn',
  })
  await untilReady(server, url)
  return { url, server, dataDir }
}

const hasTags = async (url: string) => (await (await fetch(url)).text()).includes('data-tags=')

async function visit(url: string): Promise<string[]> {
  vendors.clear()
  const context = await browser.newContext({ ...UNSEEN, ignoreHTTPSErrors: true })
  const page: Page = await context.newPage()
  await page.goto(url)
  if (await hasTags(url)) {
    await page.getByRole('button', { name: 'Aceitar todos' }).click()
    await vi.waitFor(() => expect(vendors.seen()).toContain('www.facebook.com/tr'), 30_000)
  } else {
    await page.waitForLoadState('networkidle')
  }
  await context.close()
  return vendors.hits.map((hit) => hit.query.get('id')).filter((id) => id !== null)
}

test('a switch in one process is on the next page of both within a second', async () => {
  const [one, other] = replicas as [Replica, Replica]
  await vi.waitFor(async () => expect(await hasTags(other.url)).toBe(true), 30_000)
  expect(await visit(other.url)).toEqual([ID])

  const context = await browser.newContext(UNSEEN)
  const page = await context.newPage()
  await page.goto(`${one.url}/admin`)
  await signIn(page)
  for (const active of [false, true]) {
    const answered = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await page.getByRole('switch', { name: /Meta Pixel Principal$/ }).click()
    const answer = await answered
    expect(answer.status(), await answer.text()).toBe(200)
    expect(await hasTags(one.url)).toBe(active)
    await vi.waitFor(async () => expect(await hasTags(other.url)).toBe(active), {
      // A second, plus what a busy machine takes.
      timeout: 30_000,
      interval: 10,
    })
    expect(await visit(other.url)).toEqual(active ? [ID] : [])
  }
  await context.close()
})
