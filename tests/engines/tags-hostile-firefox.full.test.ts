// Needs a browser: the attacks are on Firefox’s own boundaries.
import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { writeDocRow } from '../support/doc-table.ts'
import { BY_TIMER, launchFirefox, testInFirefox } from '../support/firefox.ts'
import { ATTACKS, CONTROLS, ON_THEIR_OWN, SPRINGBOARDS } from '../support/hostile-attacks.ts'
import { CONSENT, readAnonKey, startHostileSite } from '../support/hostile-site.ts'
import { PRINCIPAL, type TestApp } from '../support/test-app.ts'
import { startUnprotectedCopy, type UnprotectedCopy } from '../support/unprotected-proxy.ts'

/** Otherwise a tag needs a click to open windows. */
const PREFERENCES = { 'dom.disable_open_during_load': false }

let site: TestApp
let copy: UnprotectedCopy
let springboardCopy: UnprotectedCopy
let browser: Browser | null = null
const pages = new Map<string, Page>()

beforeAll(async () => {
  site = await startHostileSite()
  const options = { target: site.url, anonKey: await readAnonKey(site.url) }
  copy = await startUnprotectedCopy(options)
  springboardCopy = await startUnprotectedCopy({ ...options, keepsConnectSource: true })
})
afterAll(async () => {
  await browser?.close()
  await copy.close()
  await springboardCopy.close()
  await site.close()
})

/** An administrator works in one tab while the hostile tag runs, with consent, in another; once for each place. */
async function openPage(url: string): Promise<Page> {
  const known = pages.get(url)
  if (known !== undefined) return known
  browser ??= await launchFirefox({ preferences: PREFERENCES })
  const context = await browser.createBrowserContext()
  const admin = await context.newPage()
  await admin.goto(`${url}/admin`)
  const status = await admin.evaluate(
    async (email, password, apikey) => {
      const answer = await fetch('/auth/v1/token?grant_type=password', {
        method: 'POST',
        headers: { 'content-type': 'application/json', apikey },
        body: JSON.stringify({ email, password }),
      })
      return answer.status
    },
    PRINCIPAL.email,
    PRINCIPAL.password,
    await readAnonKey(url),
  )
  expect(status).toBe(200)
  const booted = await admin.goto(`${url}/admin`)
  expect(await booted?.text()).toContain('"access_token"')
  await context.setCookie({ name: 'portico_consent', value: CONSENT, domain: 'localhost', path: '/' })
  const page = await context.newPage()
  await page.goto(url)
  await page.waitForFunction(() => 'attack' in window, BY_TIMER)
  pages.set(url, page)
  return page
}

/** `patience` is high where an attack should succeed: on a busy machine it takes longer. */
async function attack(url: string, name: string, patience: number): Promise<string | null> {
  const page = await openPage(url)
  return page.evaluate(
    (each, factor) => {
      window.patience = factor
      return window.attack(each)
    },
    name,
    patience,
  )
}

// Behind a window that it opened, a page's timers run once a second.
const PATIENCE_MS = 240_000

testInFirefox.each(ON_THEIR_OWN)(
  '%s fails',
  async (name) => {
    expect(await attack(site.url, name, 1)).toBeNull()
    writeDocRow('docs/reports/attacks.md', 'attacks in Firefox', [ATTACKS[name] ?? name, 'fails'])
  },
  PATIENCE_MS,
)

testInFirefox.each(ON_THEIR_OWN.filter((name) => CONTROLS.includes(name)))(
  '%s works on a copy without protections',
  async (name) => {
    const weak = SPRINGBOARDS.test(name) ? springboardCopy : copy
    expect(await attack(weak.url, name, 20)).toEqual(expect.any(String))
  },
  PATIENCE_MS,
)
