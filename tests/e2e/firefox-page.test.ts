import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import { launchFirefox, testInFirefox } from '../support/firefox.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { untilTags } from '../support/until-tags.ts'

let app: TestApp
let browser: Browser | null = null

beforeAll(async () => {
  app = await startTestApp({ listen: true })
  await insertPixel(app.database.db, { type: 'custom', code: '<script>window.ran = true</script>' })
  await untilTags(app.url)
})
afterAll(async () => {
  await browser?.close()
  await app.close()
})

async function open(path: string): Promise<Page> {
  browser ??= await launchFirefox()
  return visit(await browser.newPage(), path)
}

async function visit(page: Page, path: string): Promise<Page> {
  await page.setViewport({ width: 1280, height: 800 })
  await page.goto(`${app.url}${path}`)
  return page
}

/** The first script has run, and the banner is there. */
const untilAsked = (page: Page) =>
  page.waitForFunction(() => document.querySelector<HTMLElement>('.consent')?.hidden === false)

describe('the landing page in Firefox', () => {
  testInFirefox('opened at its top, asks before a tag runs, and runs it after "Aceitar todos"', async () => {
    const page = await open('/')
    await untilAsked(page)
    expect(await page.evaluate(() => 'ran' in window)).toBe(false)
    await page.click('[data-consent=accept_all]')
    await page.waitForFunction(() => 'ran' in window)
    await page.deleteCookie({ name: 'portico_consent' })
    await page.close()
  })

  // Firefox tells of no first paint when the first paint is scrolled.
  testInFirefox('opened at an anchor, and reloaded lower down, starts as at its top', async () => {
    const page = await open('/#niches')
    await untilAsked(page)
    await page.reload()
    await untilAsked(page)
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(500)
    await page.waitForSelector('header.top[data-solid]')
    await page.close()
  })

  testInFirefox('starts where the browser hides its clock', async () => {
    const hiding = await launchFirefox({ preferences: { 'privacy.resistFingerprinting': true } })
    onTestFinished(() => hiding.close())
    await untilAsked(await visit(await hiding.newPage(), '/'))
  })
})
