// Needs a browser: a test visit happens in another tab.
import { mkdirSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { signIn } from '../support/admin-site.ts'
import { DESKTOP, launchBrowser, untilBooted, watchConsole } from '../support/browser.ts'
import { findViolations } from '../support/find-violations.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { untilTags } from '../support/until-tags.ts'
import { startVendors, type VendorStandIn } from '../support/vendor-stand-in.ts'
import { kwaiPixel } from '../support/vendor-stand-ins/kwai-pixel.ts'
import { metaPixel } from '../support/vendor-stand-ins/meta-pixel.ts'

const FORBIDDEN = `<script>
  window.addressAtRun = location.href
  document.cookie = '_novo=1; path=/'
  fetch('https://' + 'api.novo-fornecedor.com/x', { mode: 'no-cors' }).catch(function () {})
</script>`

let site: TestApp
let vendors: VendorStandIn
let browser: Browser
let context: BrowserContext
let dashboard: Page
let complaints: string[]

beforeAll(async () => {
  vendors = await startVendors()
  site = await startTestApp({ listen: true, env: { VISIT_COUNTS: 'on' } })
  await insertPixel(site.database.db, { type: 'meta', pixel_id: metaPixel.account, name: 'Meta Principal' })
  await insertPixel(site.database.db, { type: 'custom', code: FORBIDDEN, name: 'Fornecedor novo' })
  const { snippet, account } = kwaiPixel
  const code = snippet(account)
  await insertPixel(site.database.db, { type: 'custom', code, name: 'Kwai isolada', runs_in: 'isolated' })
  await untilTags(site.url)
  browser = await launchBrowser({ resolve: vendors.resolve })
  context = await browser.newContext({
    ...DESKTOP,
    ignoreHTTPSErrors: true,
    locale: 'pt-BR',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(30_000)
  dashboard = await context.newPage()
  complaints = watchConsole(context)
  await dashboard.goto(`${site.url}/admin`)
  await signIn(dashboard)
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
  await vendors?.close()
})

/** From the list to a test of that pixel; returns the tab that it opens. */
async function startTest(name: string): Promise<Page> {
  await dashboard.goto(`${site.url}/admin`)
  await dashboard.getByRole('link', { name, exact: true }).click()
  const opened = context.waitForEvent('page')
  await dashboard.getByRole('button', { name: 'Testar agora' }).click()
  const tab = await opened
  await tab.getByRole('button', { name: 'Aceitar todos' }).waitFor()
  return tab
}
const steps = () => dashboard.getByRole('region', { name: 'Passo a passo' })
async function expectNothingCounted(): Promise<void> {
  const { db } = site.database
  for (const table of ['tag_last_seen', 'consent_records', 'newsletter_subscriptions'] as const)
    expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([])
  // A count of zero says since when visits are counted. The site was opened to see its tags, by no person.
  const counts = await db.selectFrom('counts').selectAll().where('count', '>', 0).execute()
  expect(counts.filter(({ key }) => key !== 'robots')).toEqual([])
}
/** Screenshots of the states, on request. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  for (const width of [320, 375, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: page === dashboard })
  }
  await page.setViewportSize(DESKTOP.viewport)
}

test('shows live what one visit of the administrator does with the tag, and counts nothing', async () => {
  const tab = await startTest('Meta Principal')
  expect(tab.url()).toBe(`${site.url}/`)
  expect(await tab.evaluate(() => window.opener)).toBeNull()
  await dashboard.getByRole('heading', { name: 'Aguardando sua resposta ao aviso' }).waitFor()
  await steps().getByText('O aviso de cookies apareceu').waitFor()
  expect(vendors.seen()).toEqual([])
  expect(await findViolations(tab, '.test-bar')).toEqual([])
  await picture(tab, 'site-asking')
  await picture(dashboard, 'asking')

  await tab.getByRole('button', { name: 'Aceitar todos' }).click()
  await steps().getByText('connect.facebook.net').first().waitFor()
  await picture(dashboard, 'running')
  // The image of the page view confirms that it was answered.
  await dashboard.getByRole('heading', { name: 'Meta Pixel respondeu' }).waitFor()
  expect(vendors.hits.some(({ heard }) => heard?.event === 'PageView')).toBe(true)

  await tab.getByRole('link', { name: 'Abrir Conta' }).first().click()
  await steps().getByText('Clique em "Abrir Conta"').waitFor()
  await vi.waitFor(() => expect(vendors.hits.some(({ heard }) => heard?.event === 'Lead')).toBe(true), 30_000)
  expect(tab.url()).toBe(`${site.url}/`)
  await picture(tab, 'site-done')
  await picture(dashboard, 'done')
  expect(await findViolations(dashboard)).toEqual([])

  // Neither the choice nor the tag's cookies stay in the browser.
  expect((await context.cookies()).map(({ name }) => name)).toContain('_fbp')
  await tab.goto('about:blank')
  await steps().getByText('A aba do site foi fechada').waitFor()
  const left = (await context.cookies(site.url)).map(({ name }) => name)
  expect(left.filter((name) => name === 'portico_consent' || name === '_fbp')).toEqual([])
  await tab.close()
  await expectNothingCounted()
})

test('tests an isolated tag in its frame', async () => {
  const tab = await startTest('Kwai isolada')
  await tab.getByRole('button', { name: 'Aceitar todos' }).click()
  await dashboard.getByRole('heading', { name: 'A tag rodou sem erro e sem bloqueio' }).waitFor()
  await steps().getByText('www.adsnebula.com').first().waitFor()
  await tab.getByRole('link', { name: 'Abrir Conta' }).first().click()
  await steps().getByText('Clique em "Abrir Conta"').waitFor()
  const hasConverted = () => vendors.hits.some(({ heard }) => heard?.event === 'formSubmit')
  await vi.waitFor(() => expect(hasConverted()).toBe(true), 30_000)
  const kept = await tab.evaluate(() => Object.keys({ ...localStorage, ...sessionStorage }))
  expect(kept.filter((key) => key.startsWith('portico_room_'))).toEqual([])
  await tab.close()
  await expectNothingCounted()
})

test('says that our own policy stopped the tag, and offers to permit it', async () => {
  const tab = await startTest('Fornecedor novo')
  await tab.getByRole('button', { name: 'Aceitar todos' }).click()
  await dashboard.getByRole('heading', { name: 'O site bloqueou api.novo-fornecedor.com' }).waitFor()
  await steps().getByText('não de um bloqueador de anúncios', { exact: false }).waitFor()
  await steps().getByText('_novo').waitFor()
  // No tag ever saw the link.
  expect(await tab.evaluate(() => (window as unknown as { addressAtRun: string }).addressAtRun)).toBe(
    `${site.url}/`,
  )
  await dashboard.getByRole('button', { name: 'Permitir api.novo-fornecedor.com' }).waitFor()
  await picture(dashboard, 'stopped')
  await tab.close()
  await dashboard.getByRole('link', { name: 'Fornecedor novo' }).click()
  const card = dashboard.getByRole('region', { name: 'Testes' })
  await card.getByRole('link', { name: 'O site bloqueou api.novo-fornecedor.com' }).waitFor()
  await picture(dashboard, 'pixel-page')
  expect(await findViolations(dashboard)).toEqual([])
})

test('a link works for one visit; later or guessed ones are ordinary visits', async () => {
  const created = dashboard.waitForResponse(
    (answer) => answer.url().endsWith('/tests') && answer.status() === 201,
  )
  const tab = await startTest('Meta Principal')
  const { url } = await (await created).json()
  const stranger = await browser.newContext({ ignoreHTTPSErrors: true })
  for (const address of [url, `${site.url}/#teste=${'A'.repeat(43)}`]) {
    const visit = await stranger.newPage()
    await visit.goto(address)
    await vi.waitFor(() => expect(visit.url()).toBe(`${site.url}/`), 30_000)
    await visit.getByRole('button', { name: 'Rejeitar não essenciais' }).waitFor()
    expect(await visit.locator('.test-bar').count()).toBe(0)
    await visit.close()
  }
  const asked: string[] = []
  const visit = await stranger.newPage()
  visit.on('request', (request) => asked.push(request.url()))
  await visit.goto(site.url)
  await untilBooted(visit)
  await visit.getByRole('button', { name: 'Aceitar todos' }).click()
  await vi.waitFor(() => expect(asked.some((address) => address.includes('run-tags'))).toBe(true), 30_000)
  expect(asked.filter((address) => /open-test|tag-tests/.test(address))).toEqual([])
  await stranger.close()
  await tab.close()
  // A refused token and a blocked host are expected console errors in Chromium.
  expect(complaints.filter((text) => !/404|novo-fornecedor/.test(text))).toEqual([])
})
