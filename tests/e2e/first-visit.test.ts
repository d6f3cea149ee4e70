// Needs a browser: whether the built page runs at all, with a silent console.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DESKTOP, launchBrowser, watchConsole } from '../support/browser.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

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

test.each(['/', '/admin'])('%s shows a heading and logs nothing to the console', async (path) => {
  const context = await browser.newContext(DESKTOP)
  const messages = watchConsole(context)
  const page = await context.newPage()
  await page.goto(site.url + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(messages).toEqual([])
  await context.close()
})
