import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser, UNSEEN, watchConsole } from './browser.ts'
import { PRINCIPAL, startTestApp, type TestApp } from './test-app.ts'

/** Chromium's own notes about failed responses; the rest of the console must be silent. */
const NETWORK_NOTES = /^Failed to load resource: /

export interface Visit {
  context: BrowserContext
  page: Page
  /** Errors and warnings of the console, without Chromium's own notes on failed requests. */
  complaints: () => string[]
  /** Chromium's notes: expected only where a request fails on purpose. */
  networkNotes: () => string[]
}

interface VisitOptions {
  path?: string
  /** By cookie, unless the test is about the form. */
  signedIn?: boolean | 'by form'
  options?: BrowserContextOptions
  /** Runs in the page before its own scripts. */
  prepare?: () => void
}

export interface AdminSite {
  site: TestApp
  browser: Browser
  /** A new browser profile at the login screen, or signed in as the principal. */
  visit(options?: VisitOptions): Promise<Visit>
  /** Stops the server, with every connection. */
  stop(): Promise<void>
  /** Starts it again on the same address. */
  resume(): Promise<void>
  close(): Promise<void>
}

/** The dashboard on a real server and database, with a real browser. */
export async function startAdminSite(env: Record<string, string> = {}): Promise<AdminSite> {
  const site = await startTestApp({ listen: true, env })
  const browser = await launchBrowser()
  const { server } = site.app

  return {
    site,
    browser,
    async visit({ path = '/admin', signedIn = true, options = UNSEEN, prepare } = {}) {
      const context = await browser.newContext({
        locale: 'pt-BR',
        timezoneId: 'America/Sao_Paulo',
        // Without motion; a file about motion overrides it.
        reducedMotion: 'reduce',
        ...options,
      })
      // Shorter than a test's own limit, so that a failure names its step.
      context.setDefaultTimeout(30_000)
      const messages = watchConsole(context)
      const page = await context.newPage()
      if (prepare) await page.addInitScript(prepare)
      if (signedIn === true)
        await context.addCookies([await openLogin(site, await page.evaluate(() => navigator.userAgent))])
      await page.goto(site.url + path)
      if (signedIn === 'by form') await signIn(page)
      else if (signedIn) await page.getByRole('button', { name: 'Sair', exact: true }).waitFor()
      return {
        context,
        page,
        complaints: () => messages.filter((text) => !NETWORK_NOTES.test(text)),
        networkNotes: () => messages.filter((text) => NETWORK_NOTES.test(text)),
      }
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    resume: () => new Promise((resolve) => server.listen(site.config.port, '127.0.0.1', () => resolve())),
    async close() {
      await browser.close()
      await site.close()
    },
  }
}

/** One address may sign in to one account thirty times in five minutes; tests of one file do so more often. */
let logins = 0

/** Like a sign-in by the form, which takes longer than many tests. */
async function openLogin({ app, url }: TestApp, userAgent: string) {
  const html = (await app.inject('/admin')).body
  const answer = await app.inject({
    method: 'POST',
    url: '/auth/v1/token?grant_type=password',
    headers: {
      apikey: /"anonKey":"([^"]+)"/.exec(html)?.[1] ?? '',
      origin: url,
      'sec-fetch-site': 'same-origin',
      'user-agent': userAgent,
    },
    payload: PRINCIPAL,
    remoteAddress: `127.0.0.${(logins++ % 250) + 1}`,
  })
  const [cookie] = answer.cookies
  if (cookie === undefined) throw new Error(`no login: ${answer.body}`)
  const { name, value } = cookie
  return {
    name,
    value,
    url: `https://${new URL(url).host}/`,
    secure: true,
    httpOnly: true,
    sameSite: 'Lax' as const,
  }
}

export async function signIn(page: Page, { email, password } = PRINCIPAL): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Senha', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await page.getByRole('button', { name: 'Sair', exact: true }).waitFor()
}
