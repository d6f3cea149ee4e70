// Needs a browser: only a browser has a back/forward cache.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { FRAMES_PATH } from '#contract/isolated-frame.ts'
import { signIn } from '../support/admin-site.ts'
import {
  DESKTOP,
  launchBrowser,
  launchWithBackForwardCache,
  testWithBackForwardCache,
} from '../support/browser.ts'
import { CONSENT } from '../support/hostile-site.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { noteShifts } from '../support/note-shifts.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { until } from '../support/until.ts'

const FRAMES = 3

let site: TestApp
let browser: Browser
beforeAll(async () => {
  site = await startTestApp({ listen: true })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await site.close()
})

/** Marks the page, navigates to another of ours, and returns whether the mark is there after going back. */
async function isKept(page: Page, elsewhere: string): Promise<boolean> {
  await page.evaluate(() => Object.assign(window, { mark: 1 }))
  await page.goto(elsewhere)
  // A page restored from the cache does not load again, so there is no load to wait for.
  await page.goBack({ waitUntil: 'commit' })
  return page.evaluate(() => 'mark' in window)
}

testWithBackForwardCache(
  'the browser keeps a public page that was left, but never the dashboard with its session',
  async () => {
    const keeping = await launchWithBackForwardCache()
    onTestFinished(() => keeping.close())
    const context = await keeping.newContext(DESKTOP)
    const page = await context.newPage()
    await page.goto(`${site.url}/privacidade`)
    expect(await isKept(page, `${site.url}/termos`)).toBe(true)

    await page.goto(`${site.url}/admin`)
    await signIn(page)
    expect(await isKept(page, `${site.url}/privacidade`)).toBe(false)
    await page.getByRole('button', { name: 'Sair', exact: true }).waitFor()
    await context.close()
  },
)

testWithBackForwardCache(
  'a page with isolated frames does not shift while they open, and is cached with them for going back',
  async () => {
    const { db } = site.database
    const code = "<script>document.cookie = 'a=1; max-age=60'; window.ran = true</script>"
    for (let count = 0; count < FRAMES; count++)
      await insertPixel(db, { type: 'custom', code: `${code}<!-- ${count} -->`, runs_in: 'isolated' })
    await vi.waitFor(async () => {
      const [, set = ''] = /data-tags="([^"]+)"/.exec(await (await fetch(site.url)).text()) ?? []
      const manifest = await (await fetch(`${site.url}/tags/${set}.js`)).text()
      expect(manifest.split('"room"')).toHaveLength(FRAMES + 1)
    }, 60_000)
    const keeping = await launchWithBackForwardCache()
    onTestFinished(() => keeping.close())
    const context = await keeping.newContext({ ...DESKTOP, reducedMotion: 'reduce' })
    await context.addCookies([{ name: 'portico_consent', value: CONSENT, url: site.url }])
    const page = await context.newPage()
    await page.addInitScript(noteShifts)
    await page.goto(site.url)
    const frames = () => page.frames().filter((frame) => frame.url().includes(FRAMES_PATH))
    await vi.waitFor(async () => {
      const ran = await Promise.all(frames().map((frame) => frame.evaluate(() => 'ran' in window)))
      expect(ran).toEqual(Array(FRAMES).fill(true))
    }, 60_000)
    // What they keep has arrived in the page.
    await until(
      page,
      (count) => Object.keys(localStorage).filter((key) => key.startsWith('portico_room_')).length === count,
      FRAMES,
    )
    expect(await page.evaluate(() => (window as unknown as { shifts: number }).shifts)).toBe(0)
    expect(await isKept(page, `${site.url}/termos`)).toBe(true)
    expect(await page.evaluate(() => document.querySelectorAll('iframe').length)).toBe(FRAMES)
    await context.close()
  },
)

test('shows the login after going back, if the person was signed out meanwhile', async () => {
  const context = await browser.newContext(DESKTOP)
  const page = await context.newPage()
  await page.goto(`${site.url}/admin`)
  await signIn(page)
  await page.goto(`${site.url}/privacidade`)
  await site.database.db.deleteFrom('auth_sessions').execute()
  await site.database.db.deleteFrom('auth_logins').execute()
  await page.goBack()
  await page.getByRole('button', { name: 'Entrar', exact: true }).waitFor()
  expect(await page.getByText('Gerenciar Pixels e Tags').count()).toBe(0)
  await context.close()
})
