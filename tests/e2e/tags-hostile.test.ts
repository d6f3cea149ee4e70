import { readFileSync, writeFileSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { DESKTOP, launchBrowser } from '../support/browser.ts'
import { ATTACKS, SPRINGBOARDS } from '../support/hostile-attacks.ts'
import { CONSENT, readAnonKey, startHostileSite } from '../support/hostile-site.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { PRINCIPAL, type TestApp } from '../support/test-app.ts'
import { startUnprotectedCopy, type UnprotectedCopy } from '../support/unprotected-proxy.ts'

/** A place to attack: where it answers, what it stored, and a browser in which an administrator is signed in. */
interface Scene {
  url: string
  app: TestApp
  context: BrowserContext
  /** Where the tag has run and waits for orders. */
  page: Page
  believedHosts: readonly string[]
}

/** Attacks on what one tab remembers of the page before. */
const NEEDS_OWN_TAB = new Set(['session-storage', 'navigation-entries', 'plant'])

let site: TestApp
let withContainer: TestApp
let copy: UnprotectedCopy
let springboardCopy: UnprotectedCopy
let browser: Browser
let here: Scene
let container: Scene
let there: Scene
let thereForSpringboards: Scene

beforeAll(async () => {
  site = await startHostileSite()
  withContainer = await startHostileSite()
  await insertPixel(withContainer.database.db, { type: 'google_tag_manager', pixel_id: 'GTM-ABC' })
  const options = { target: site.url, anonKey: await readAnonKey(site.url) }
  copy = await startUnprotectedCopy(options)
  springboardCopy = await startUnprotectedCopy({ ...options, keepsConnectSource: true })
  await policyContains(site, 'report-uri')
  await policyContains(withContainer, "'strict-dynamic'")
  browser = await launchBrowser()
  here = await openScene(site.url, site)
  container = await openScene(withContainer.url, withContainer)
  there = await openScene(copy.url, site, copy.reportedHosts)
  thereForSpringboards = await openScene(springboardCopy.url, site)
}, 60_000)
afterAll(async () => {
  await browser.close()
  await copy.close()
  await springboardCopy.close()
  await site.close()
  await withContainer.close()
})

async function policyContains(app: TestApp, text: string): Promise<void> {
  await vi.waitFor(async () => {
    expect((await fetch(app.url)).headers.get('content-security-policy')).toContain(text)
  }, 20_000)
}

/** An administrator works in one tab while the hostile tag runs, with consent, in others. */
async function openScene(url: string, app: TestApp, believedHosts: readonly string[] = []): Promise<Scene> {
  const context = await browser.newContext({ ...DESKTOP, reducedMotion: 'reduce' })
  await context.addCookies([{ name: 'portico_consent', value: CONSENT, url }])
  const admin = await context.newPage()
  await admin.goto(`${url}/admin`)
  const status = await admin.evaluate(
    async ([email, password, apikey = '']) => {
      const answer = await fetch('/auth/v1/token?grant_type=password', {
        method: 'POST',
        headers: { 'content-type': 'application/json', apikey },
        body: JSON.stringify({ email, password }),
      })
      return answer.status
    },
    [PRINCIPAL.email, PRINCIPAL.password, await readAnonKey(url)],
  )
  expect(status).toBe(200)
  const booted = await admin.goto(`${url}/admin`)
  expect(await booted?.text()).toContain('"access_token"')
  const page = await context.newPage()
  await openPage(page, url)
  return { url, app, context, page, believedHosts }
}

async function openPage(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.waitForFunction(() => 'attack' in window)
}

/** What the attack got, or null. Those that cannot see their own success are judged by what the server did. */
async function judge(name: string, scene: Scene): Promise<string | null> {
  if (!NEEDS_OWN_TAB.has(name)) return runAttack(name, scene, scene.page)
  const page = await scene.context.newPage()
  // The administrator used this very tab a moment ago.
  await page.goto(`${scene.url}/admin`)
  await openPage(page, scene.url)
  const got = await runAttack(name, scene, page)
  await page.close()
  return got
}

async function runAttack(name: string, scene: Scene, page: Page): Promise<string | null> {
  const { url, app } = scene
  const attack = () => page.evaluate((each) => window.attack(each), name)
  if (name === 'beacon' || name === 'form') {
    await attack()
    const pixel = `by ${name} at ${new URL(url).port}`
    return settled(async () => ((await countPixels(app, pixel)) > 0 ? 'a new pixel' : null))
  }
  if (name === 'speculation') {
    const before = await countSessions(app)
    await attack()
    return (await countSessions(app)) > before ? 'a session' : null
  }
  if (name === 'plant') {
    const sent: string[] = []
    page.on('request', (request) => sent.push(JSON.stringify([request.headers(), request.postData()])))
    await attack()
    await page.goto(`${url}/admin`, { waitUntil: 'networkidle' })
    return sent.find((request) => request.includes('planted')) ?? null
  }
  if (name === 'forged-reports') {
    await attack()
    const look = async () => {
      const rows = await app.database.db.selectFrom('blocked_hosts').select('host').execute()
      return [...scene.believedHosts, ...rows.map((row) => row.host)][0] ?? null
    }
    // Reports are written once a second.
    return settled(look, 30)
  }
  return attack()
}

/** A request that was sent is given time to arrive. */
async function settled(look: () => Promise<string | null>, turns = 10): Promise<string | null> {
  for (let turn = 0; turn < turns; turn++) {
    const found = await look()
    if (found !== null) return found
    await new Promise((done) => setTimeout(done, 100))
  }
  return null
}

async function countPixels({ database }: TestApp, name: string): Promise<number> {
  const rows = await database.db.selectFrom('tracking_pixels').select('id').where('name', '=', name).execute()
  return rows.length
}

async function countSessions({ database }: TestApp): Promise<number> {
  return (await database.db.selectFrom('auth_sessions').select('id').execute()).length
}

interface Result {
  here: string | null
  container: string | null
  there: string | null
}
const results = new Map<string, Result>()

test.each(Object.keys(ATTACKS))('%s fails here and works on the unprotected copy', async (name) => {
  const weak = SPRINGBOARDS.test(name) ? thereForSpringboards : there
  // One after the other where the server's own count is the judge, for the copy is the same server.
  const first = await Promise.all([judge(name, here), judge(name, container)])
  const result = { here: first[0], container: first[1], there: await judge(name, weak) }
  results.set(name, result)
  expect(result).toEqual({ here: null, container: null, there: expect.any(String) })
})

test('the table of docs/security.md says exactly what was found', () => {
  const cell = (got: string | null | undefined) => (got === null ? 'fails' : '**succeeds**')
  const rows = Object.entries(ATTACKS).map(([name, words]) => {
    const result = results.get(name)
    return `| ${words} | ${cell(result?.here)} | ${cell(result?.container)} | ${cell(result?.there)} |`
  })
  const table = [
    '| the tag tries to … | here | here, with a container active | unprotected copy |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n')
  const file = 'docs/security.md'
  const before = readFileSync(file, 'utf8')
  const after = before.replace(
    /(?<=<!-- attacks: written by [^>]+ -->\n)[\s\S]*?(?=<!-- \/attacks -->)/,
    `${table}\n`,
  )
  if (after !== before) writeFileSync(file, after)
  expect(after).toContain(table)
  expect(before).toBe(after)
})
