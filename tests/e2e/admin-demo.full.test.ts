// Needs a browser: every screen of the dashboard with the data of a demonstration, at three widths.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveDemo } from '#server/demo/demo.ts'
import { signIn } from '../support/admin-site.ts'
import { atEachWidth } from '../support/at-each-width.ts'
import { launchBrowser, watchConsole } from '../support/browser.ts'
import { DEMO_PRINCIPAL, DEMO_UNTIL, DEMO_WANTED, demoPast } from '../support/demo-past.ts'
import { freePort } from '../support/free-port.ts'
import { NEVER_SHED } from '../support/test-app.ts'

const SCREENS = [
  'visitas',
  'resultados',
  'consentimento',
  'inscricoes',
  'inventario',
  'lixeira',
  'usuarios',
  'atividade',
  'configuracoes',
  'conta',
  'ajuda',
]
const WIDTHS = [1440, 768, 375]

let dataDir: string
let stop: () => Promise<void>
let browser: Browser
let page: Page
let url: string
let messages: string[]
beforeAll(async () => {
  // The past is shared, and a demonstration that runs goes on writing.
  dataDir = mkdtempSync(join(tmpdir(), 'portico-demo-layout-'))
  cpSync(await demoPast(DEMO_WANTED), dataDir, { recursive: true })
  const port = await freePort()
  url = `http://localhost:${port}/admin`
  const options = { ...DEMO_WANTED, dataDir, port, until: DEMO_UNTIL, principal: DEMO_PRINCIPAL }
  stop = await serveDemo(options, NEVER_SHED)
  browser = await launchBrowser()
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'pt-BR' })
  messages = watchConsole(context)
  page = await context.newPage()
  await page.goto(url)
  await signIn(page, DEMO_PRINCIPAL)
}, 300_000)
afterAll(async () => {
  await browser.close()
  await stop()
  rmSync(dataDir, { recursive: true, force: true })
})

test('no screen is wider than its window, and none shows the names that programs send', {
  timeout: 300_000,
}, async () => {
  const pixels = page.getByRole('main').locator('a[href^="/admin/pixels/"]')
  await pixels.first().waitFor()
  const pages = await pixels.evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href))
  expect(pages.length).toBeGreaterThan(12)
  for (const address of [url, ...SCREENS.map((screen) => `${url}/${screen}`), ...new Set(pages)]) {
    await page.goto(address)
    await page.getByRole('main').waitFor()
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
    await atEachWidth(page, WIDTHS, async (width) => {
      const cut = await page.evaluate(() => {
        const clips = (element: Element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX)
        return [...document.querySelectorAll('main *')]
          .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
          .filter((element) => {
            for (let parent: Element | null = element; parent !== null; parent = parent.parentElement)
              if (clips(parent)) return false
            return true
          })
          .map((element) => element.outerHTML.slice(0, 120))
      })
      expect(cut, `${address} at ${width}`).toEqual([])
    })
    // The screen of outcomes explains these names.
    if (!address.endsWith('/resultados'))
      expect(await page.getByRole('main').innerText(), address).not.toMatch(
        /primeira_venda|conta_aprovada|undefined|NaN/,
      )
  }
  expect(messages).toEqual([])
})
