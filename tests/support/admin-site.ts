import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { DESKTOP, launchBrowser, watchConsole } from './browser.ts'
import { PRINCIPAL, startTestApp, type TestApp } from './test-app.ts'

/** What Chromium itself writes about an answer that is not a success; the rest of the console must stay silent. */
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
  signedIn?: boolean
  options?: BrowserContextOptions
  /** Runs in the page before its own scripts. */
  prepare?: () => void
}

export interface AdminSite {
  site: TestApp
  browser: Browser
  /** A fresh browser profile at the login screen, or signed in as the principal admin. */
  visit(options?: VisitOptions): Promise<Visit>
  /** The server goes away, with every connection. */
  stop(): Promise<void>
  /** And comes back on the same address. */
  resume(): Promise<void>
  close(): Promise<void>
}

/** The dashboard on a real server and database, and a real browser to use it with. */
export async function startAdminSite(env: Record<string, string> = {}): Promise<AdminSite> {
  const site = await startTestApp({ listen: true, env })
  const browser = await launchBrowser()
  const { server } = site.app

  return {
    site,
    browser,
    async visit({ path = '/admin', signedIn = true, options = DESKTOP, prepare } = {}) {
      const context = await browser.newContext({
        locale: 'pt-BR',
        timezoneId: 'America/Sao_Paulo',
        ...options,
      })
      // Shorter than a test's own, so that a failure names the step that it hung at.
      context.setDefaultTimeout(30_000)
      const messages = watchConsole(context)
      const page = await context.newPage()
      if (prepare) await page.addInitScript(prepare)
      await page.goto(site.url + path)
      if (signedIn) await signIn(page)
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

export async function signIn(page: Page, { email, password } = PRINCIPAL): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Senha', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await page.getByRole('button', { name: 'Sair', exact: true }).waitFor()
}
