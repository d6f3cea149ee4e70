// Needs a browser: only a browser hides a cookie from scripts, and one window from another.
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readKeys } from '../acceptance/auth-keys.ts'
import { launchBrowser } from '../support/browser.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'

const COOKIE = '__Host-Http-portico'

/** Without the pages' own policies: the server's rules must hold if a tag gets past them. */
describe('the login cookie in a real browser', () => {
  let site: TestApp
  let anon: string
  let browser: Browser
  let context: BrowserContext
  beforeAll(async () => {
    site = await startTestApp({ listen: true })
    anon = (await readKeys(site)).anon
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await site.close()
  })
  beforeEach(async () => {
    await context?.close()
    context = await browser.newContext({ bypassCSP: true })
    const page = await context.newPage()
    await page.goto(`${site.url}/admin`)
    const status = await page.evaluate(
      async ([key, body]) => {
        const headers = { apikey: key ?? '', 'content-type': 'application/json' }
        return (
          await fetch('/auth/v1/token?grant_type=password', { method: 'POST', headers, body: body ?? '' })
        ).status
      },
      [anon, JSON.stringify(PRINCIPAL)],
    )
    expect(status).toBe(200)
    await page.close()
  })

  const sessionIn = (html: string) =>
    JSON.parse(/id="portico-boot">(.*?)<\/script>/.exec(html)?.[1] ?? 'null')?.session ?? null

  test('is kept by the browser, unreadable for scripts, and opens each tab signed in', async () => {
    expect((await context.cookies()).find(({ name }) => name === COOKIE)).toMatchObject({
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
      path: '/',
    })
    const tokens = new Set<string>()
    for (const path of ['/admin', '/admin/usuarios']) {
      const page = await context.newPage()
      const response = await page.goto(site.url + path)
      const session = sessionIn((await response?.text()) ?? '')
      expect(session.user.email).toBe(PRINCIPAL.email)
      tokens.add(session.access_token)
      expect(await page.evaluate(() => document.cookie)).toBe('')
      expect(await page.content()).not.toContain('access_token')
    }
    expect(tokens.size).toBe(2)
  })

  test('gives nothing to a script on the landing page', async () => {
    const page = await context.newPage()
    await page.goto(site.url)
    const found = await page.evaluate(async () => {
      const seen: Record<string, string> = {}
      const ask = async (name: string, path: string, init: RequestInit = {}) => {
        const answer = await fetch(path, init).catch((error: Error) => error)
        seen[name] = answer instanceof Error ? 'refused' : `${answer.status} ${await answer.text()}`
      }
      await ask('fetch', '/admin')
      await ask('navigation in name', '/admin', {
        headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      })
      await ask('stored copy', '/admin', { cache: 'only-if-cached', mode: 'same-origin' })
      await ask('user', '/auth/v1/user')
      const frame = document.createElement('iframe')
      frame.src = '/admin'
      document.body.append(frame)
      await new Promise((resolve) => frame.addEventListener('load', resolve))
      try {
        seen.frame = frame.contentDocument?.documentElement.outerHTML ?? 'refused'
      } catch {
        seen.frame = 'refused'
      }
      return seen
    })
    for (const [way, text] of Object.entries(found))
      expect([way, text]).not.toEqual([way, expect.stringContaining('access_token')])
    expect(sessionIn(found.fetch ?? '')).toBeNull()
    expect(found['stored copy']).not.toContain('portico-boot')
    expect(found.user).toMatch(/^401 /)
  })

  test('a window that the landing page opens on the dashboard cannot be read', async () => {
    const page = await context.newPage()
    await page.goto(site.url)
    const [opened, seen] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate(async () => {
        const other = window.open('/admin')
        const until = performance.now() + 3000
        while (performance.now() < until && other?.closed === false) {
          try {
            if (other.document.documentElement.outerHTML.includes('access_token')) return 'read'
          } catch {
            return 'cut off'
          }
          await new Promise((resolve) => setTimeout(resolve, 10))
        }
        return 'cut off'
      }),
    ])
    expect(seen).toBe('cut off')
    await opened.close()
  })
})

test('on another address than the configured one, the page names the right one', async () => {
  const site = await startTestApp({ listen: true })
  const { port } = new URL(site.url)
  const browser = await launchBrowser({ resolve: { 'outro.example': '127.0.0.1' } })
  try {
    const page = await browser.newPage()
    await page.goto(`http://outro.example:${port}/admin`)
    const link = page.getByRole('link', { name: `${site.config.siteUrl}/admin` })
    await link.waitFor()
    await link.click()
    await page.getByRole('textbox', { name: 'Email' }).waitFor()
    expect(await link.count()).toBe(0)
  } finally {
    await browser.close()
    await site.close()
  }
})
