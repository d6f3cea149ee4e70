import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { launchFirefox, testInFirefox } from '../support/firefox.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let app: TestApp
let browser: Browser | null = null

beforeAll(async () => {
  app = await startTestApp({ listen: true })
  await insertPixel(app.database.db, { type: 'custom', code: '<script>window.ran = true</script>' })
})
afterAll(async () => {
  await browser?.close()
  await app.close()
})

async function open(path: string): Promise<Page> {
  browser ??= await launchFirefox()
  const page = await browser.newPage()
  await page.setViewport({ width: 1280, height: 800 })
  await page.goto(`${app.url}${path}`)
  return page
}

describe('the landing page in Firefox', () => {
  testInFirefox('opened at its top, asks before a tag runs, and runs it after "Aceitar todos"', async () => {
    const page = await open('/')
    const accept = await page.waitForSelector('::-p-text(Aceitar todos)')
    expect(await page.evaluate(() => 'ran' in window)).toBe(false)
    await accept?.click()
    await page.waitForFunction(() => 'ran' in window)
    await page.close()
  })
})
