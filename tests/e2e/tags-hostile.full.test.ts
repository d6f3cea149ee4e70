// Needs a browser: the attacks are on the browser’s own boundaries.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { launchBrowser, UNSEEN } from '../support/browser.ts'
import { writeDocRow, writeDocTable } from '../support/doc-table.ts'
import { ATTACKS, CONTROLS, SPRINGBOARDS } from '../support/hostile-attacks.ts'
import { CONSENT, type HostileSite, readAnonKey, startHostileSite } from '../support/hostile-site.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { judgePageAttack } from '../support/judge-page-attack.ts'
import { DESTRUCTIVE, inFrameWords, PAGE_ATTACKS, type PageAttack } from '../support/page-attacks.ts'
import { findTag, openAttacked, openOpener } from '../support/playwright-attacked-page.ts'
import { PRINCIPAL, type TestApp } from '../support/test-app.ts'
import { startUnprotectedCopy, type UnprotectedCopy } from '../support/unprotected-proxy.ts'
import { until } from '../support/until.ts'

/** A target: its address, what it stored, and a browser with a signed-in administrator. */
interface Scene {
  url: string
  app: TestApp
  context: BrowserContext
  /** Where the tag has run and waits for commands. */
  page: Page
  believedHosts: readonly string[]
  /** True if the attacking tag is isolated. */
  isIsolated?: true
}

/** Attacks on what one tab remembers of the page before. */
const NEEDS_OWN_TAB = new Set(['session-storage', 'navigation-entries', 'plant'])
/** The first two only read; the third, which leads back to the dashboard, is last. */
const ownTabs = new Map<Scene, Page>()

let site: HostileSite
let withContainer: TestApp
let copy: UnprotectedCopy
let springboardCopy: UnprotectedCopy
let browser: Browser
let here: Scene
let isolated: Scene
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
  browser = await launchBrowser({ isolatesSites: true })
  here = await openScene(site.url, site)
  isolated = { ...(await openScene(site.url, site)), isIsolated: true }
  container = await openScene(withContainer.url, withContainer)
  there = await openScene(copy.url, site, copy.reportedHosts)
  thereForSpringboards = await openScene(springboardCopy.url, site)
})
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
  }, 30_000)
}

/** An administrator works in one tab while the hostile tag runs, with consent, in others. */
async function openScene(url: string, app: TestApp, believedHosts: readonly string[] = []): Promise<Scene> {
  const context = await browser.newContext(UNSEEN)
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
  await until(page, () => 'attack' in window)
}

/** What the attack got, or null. Attacks that cannot see their own success are judged by what the server did. */
async function judge(name: string, scene: Scene): Promise<string | null> {
  if (!NEEDS_OWN_TAB.has(name)) return runAttack(name, scene, scene.page)
  const page = ownTabs.get(scene) ?? (await openOwnTab(scene))
  ownTabs.set(scene, page)
  return runAttack(name, scene, page)
}

/** The administrator used this very tab a moment ago. */
async function openOwnTab({ context, url }: Scene): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${url}/admin`)
  await openPage(page, url)
  return page
}

async function runAttack(name: string, scene: Scene, page: Page): Promise<string | null> {
  const { url, app } = scene
  const tag = scene.isIsolated ? await findTag(page, 'attack') : page
  const attack = () =>
    tag.evaluate(
      ([each, patience]) => {
        window.patience = patience
        return window.attack(each)
      },
      [name, isWeak(scene) ? 20 : 1] as const,
    )
  if (name === 'beacon' || name === 'form') {
    await attack()
    const pixel = `by ${name} at ${new URL(url).port}`
    return settled(scene, async () => ((await countPixels(app, pixel)) > 0 ? 'a new pixel' : null))
  }
  if (name === 'speculation') {
    const before = await countSessions(app)
    await attack()
    return settled(scene, async () => ((await countSessions(app)) > before ? 'a session' : null), 1)
  }
  if (name === 'plant') {
    const sent: string[] = []
    const asked: string[] = []
    page.on('request', (request) => {
      sent.push(JSON.stringify([request.headers(), request.postData()]))
      asked.push(new URL(request.url()).pathname)
    })
    await attack()
    await page.goto(`${url}/admin`)
    const planted = () => sent.find((request) => request.includes('planted')) ?? null
    // A deceived dashboard would request its list with another session.
    if (!isWeak(scene)) await expect.poll(() => asked).toContain('/rest/v1/tracking_pixels')
    return settled(scene, async () => planted(), 1)
  }
  if (name === 'forged-reports') {
    await attack()
    const look = async () => {
      const rows = await app.database.db.selectFrom('blocked_hosts').select('host').execute()
      return [...scene.believedHosts, ...rows.map((row) => row.host)][0] ?? null
    }
    // Reports are written ten times a second here.
    return settled(scene, look)
  }
  return attack()
}

/** Where every attack must succeed. */
const isWeak = (scene: Scene) => scene === there || scene === thereForSpringboards

/** Waits for a sent request to arrive; where it must arrive, as long as it takes. */
async function settled(scene: Scene, look: () => Promise<string | null>, turns = 10): Promise<string | null> {
  for (let turn = 0; turn < (isWeak(scene) ? 300 : turns); turn++) {
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

const results = new Map<string, (string | null)[]>()

test.each(Object.keys(ATTACKS))('%s fails in the page, beside a container and isolated', async (name) => {
  const got = await Promise.all([here, container, isolated].map((scene) => judge(name, scene)))
  results.set(name, got)
  expect(got).toEqual([null, null, null])
})

test('writes the table of docs/reports/attacks.md', () => {
  const rows = Object.entries(ATTACKS).map(([name, words]) => {
    const got = results.get(name) ?? ['', '', '']
    return [words, ...got.map((what) => (what === null ? 'fails' : '**succeeds**'))]
  })
  const heading = ['the tag tries to …', 'here', 'here, with a container active', 'here, isolated']
  writeDocTable('docs/reports/attacks.md', 'attacks', [heading, ...rows])
})

test.each(CONTROLS)('%s works on a copy without protections', async (name) => {
  expect(await judge(name, SPRINGBOARDS.test(name) ? thereForSpringboards : there)).toEqual(
    expect.any(String),
  )
})

/** Attacks that use the processor or keyboard, which two pages share. */
const ALONE = /^(hog|flood-large|focus-.*)$/
/** Attacks that outlive the page, or close the page that opened it. */
const OUTLIVES_PAGE: ReadonlySet<PageAttack> = new Set(['choice', 'opener', 'fill-storage'])
const openers = new Map<'page' | 'isolated', Page>()
const opened = new Map<'page' | 'isolated', Awaited<ReturnType<typeof openAttacked>>>()

/**
 * A separate page for attacks that leave none usable, and a separate visitor where that is not enough; the others share
 * one.
 */
async function attackPage(name: PageAttack, place: 'page' | 'isolated'): Promise<string | null> {
  const opener = openers.get(place) ?? (await openOpener(browser, site.url))
  openers.set(place, opener)
  const attacked = opened.get(place) ?? (await openAttacked(opener, place))
  opened.set(place, attacked)
  const target = { app: site, pixel: site.victims[place], isExpected: place === 'page' }
  const got = await judgePageAttack(name, attacked, target)
  if (DESTRUCTIVE.has(name) || OUTLIVES_PAGE.has(name)) {
    opened.delete(place)
    await attacked.close()
  }
  if (OUTLIVES_PAGE.has(name)) {
    openers.delete(place)
    await opener.context().close()
  }
  return got
}

test.each(Object.keys(PAGE_ATTACKS) as PageAttack[])(
  '%s works in the page, and fails in an isolated frame',
  async (name) => {
    const places = ['isolated', 'page'] as const
    const [inFrame, inPage] = ALONE.test(name)
      ? [await attackPage(name, places[0]), await attackPage(name, places[1])]
      : await Promise.all(places.map((place) => attackPage(name, place)))
    expect({ inPage, inFrame }).toEqual({ inPage: expect.any(String), inFrame: null })
    writeDocRow('docs/reports/attacks.md', 'isolated in Chromium', [
      PAGE_ATTACKS[name],
      '**succeeds**',
      inFrameWords(name),
    ])
  },
)

test('without the guard, a nested frame takes the keyboard', async () => {
  const opener = await openOpener(browser, site.url, { withoutGuard: true })
  const attacked = await openAttacked(opener, 'isolated')
  const target = { app: site, pixel: site.victims.isolated, isExpected: true }
  expect(await judgePageAttack('focus-nested', attacked, target)).toEqual(expect.any(String))
  await opener.context().close()
})
