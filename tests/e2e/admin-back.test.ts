import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { signIn } from '../support/admin-site.ts'
import {
  DESKTOP,
  launchBrowser,
  launchWithBackForwardCache,
  testWithBackForwardCache,
} from '../support/browser.ts'
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

/** Leaves a mark on the page, goes to another of ours, and tells whether the way back finds the mark again. */
async function isKept(page: Page, elsewhere: string): Promise<boolean> {
  await page.evaluate(() => Object.assign(window, { mark: 1 }))
  await page.goto(elsewhere)
  // A page that comes back as it was does not load again, so there is no load to wait for.
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

test('whoever was signed out meanwhile finds the login on the way back', async () => {
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
