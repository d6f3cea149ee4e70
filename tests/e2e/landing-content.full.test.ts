// Needs a browser: what another page of the site can learn of the simulator, and the pages that the content file adds.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { DESKTOP, launchBrowser, PHONE, untilBooted } from '../support/browser.ts'
import { findBrokenWords, findCutText } from '../support/find-cut-text.ts'
import { findViolations } from '../support/find-violations.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { until } from '../support/until.ts'
import { untilTags } from '../support/until-tags.ts'

/** A number that appears nowhere else. */
const TYPED = '77.431'

/** Collects everything of the address and the history that a script of the page may read. */
const SPY = `<script>
window.loot = () => JSON.stringify([
  document.referrer, history.state, window.name, document.cookie,
  { ...localStorage }, { ...sessionStorage },
  globalThis.navigation ? navigation.entries().map(({ url }) => url) : [],
  performance.getEntries().map(({ name }) => name),
])
window.ran = true
</script>`

let site: TestApp
let browser: Browser
beforeAll(async () => {
  site = await startTestApp({
    listen: true,
    env: {
      SITE_CONTENT_FILE: 'src/server/demo/site.json',
      COMPANY_LEGAL_NAME: 'Pórtico Pagamentos Ltda.',
      DPO_EMAIL: 'privacidade@portico.example',
    },
  })
  await insertPixel(site.database.db, { type: 'custom', code: SPY })
  await untilTags(site.url)
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await site.close()
})

async function visit(options = DESKTOP, path = '/'): Promise<Page> {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(site.url + path)
  return page
}

test('a hostile tag does not learn what was typed into the simulator', async () => {
  const page = await visit()
  await page.getByRole('button', { name: 'Aceitar todos' }).click()
  await until(page, () => 'ran' in window)
  const steal = await page.evaluate(async () => {
    const failed = () => 'failed'
    const opened = window.open('/taxas')
    const fetched = await fetch('/taxas').then((response) => response.text(), failed)
    const frame = Object.assign(document.createElement('iframe'), { src: '/taxas' })
    document.body.append(frame)
    await new Promise((done) => setTimeout(done, 500))
    Object.assign(window, { opened })
    return { fetched, framed: frame.contentDocument?.body?.textContent ?? '' }
  })
  expect(steal).toEqual({ fetched: 'failed', framed: '' })
  // The window that the tag opened is cut off from it.
  await until(page, () => (window as { opened?: Window | null }).opened?.closed === true)

  await page.getByRole('link', { name: 'Simular meu custo' }).click()
  await page.getByLabel('Vendas por mês (R$)').fill(TYPED)
  await page.getByLabel('Valor médio de cada venda (R$)').fill('49,90')
  await page.getByRole('button', { name: 'Simular meu custo' }).click()
  await page.getByText('Com a gente, por mês').waitFor()
  expect(page.url()).toContain(`volume=${TYPED}`)
  expect(await page.evaluate(() => 'ran' in window || document.scripts.length > 0)).toBe(false)
  await page.getByRole('link', { name: 'Pórtico' }).click()
  await until(page, () => 'ran' in window)
  const loot = () => page.evaluate(() => (window as unknown as { loot(): string }).loot())
  expect(await loot()).not.toContain(TYPED)
  await page.goto(`${site.url}/nichos/gaming`)
  await until(page, () => 'ran' in window)
  expect(await loot()).not.toContain(TYPED)
})

test('the simulator works without JavaScript, names bad fields and keeps what was typed', async () => {
  const context = await browser.newContext({ ...PHONE, javaScriptEnabled: false })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(`${site.url}/taxas`)
  await page.getByLabel('Vendas por mês (R$)').fill('muito')
  await page.getByRole('button', { name: 'Simular meu custo' }).click()
  await page.getByText('Digite quanto você vende por mês').waitFor()
  expect(await page.getByLabel('Vendas por mês (R$)').inputValue()).toBe('muito')
  await page.getByLabel('Vendas por mês (R$)').fill('50.000')
  await page.getByLabel('Valor médio de cada venda (R$)').fill('50')
  await page.getByLabel(/Taxa total que você paga hoje/).fill('4,99')
  await page.getByRole('button', { name: 'Simular meu custo' }).click()
  await page.getByText('R$ 2.000,00').waitFor()
})

test.each(['/', '/taxas?volume=50.000&tiquete=50&meio=PIX&hoje=4,99', '/taxas?volume=x', '/nichos/gaming'])(
  'axe finds nothing on %s, and nothing is wider than the screen',
  async (path) => {
    const page = await visit({ ...PHONE, viewport: { width: 320, height: 640 } }, path)
    if (!path.startsWith('/taxas')) {
      await untilBooted(page)
      await page.getByRole('button', { name: 'Rejeitar não essenciais' }).click()
      await until(page, () => document.querySelector('.later') === null)
    }
    expect(await findViolations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  },
)

test.each(['/taxas', '/nichos/gaming'])('the buttons of %s fill the line on a small phone', async (path) => {
  const page = await visit({ ...PHONE, viewport: { width: 320, height: 640 } }, path)
  const spare = await page.evaluate(() =>
    [...document.querySelectorAll('main .row .btn')].map((button) => {
      const row = button.parentElement as Element
      return Math.round(row.getBoundingClientRect().width - button.getBoundingClientRect().width)
    }),
  )
  expect(spare).toEqual([0, 0])
})

test.each(
  [320, 375].flatMap((width) => ['/', '/taxas', '/nichos/gaming'].map((path) => [width, path] as const)),
)(
  'on a phone of %i px with doubled text nothing of %s is cut, broken or beside the screen',
  async (width, path) => {
    const page = await visit({ ...PHONE, viewport: { width, height: 667 } }, path)
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
    })
    await page.evaluate(() => {
      for (const section of document.querySelectorAll('.later')) section.classList.remove('later')
    })
    expect(await page.evaluate(findCutText)).toEqual([])
    expect(await page.evaluate(findBrokenWords)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
  },
)

test.each(['/', '/taxas'])(
  'on a phone of 375 px each fee and each term of %s is on one line',
  async (path) => {
    const page = await visit({ ...PHONE, viewport: { width: 375, height: 667 } }, path)
    const broken = await page.evaluate(() =>
      Array.from(document.querySelectorAll('.fee td'))
        .filter((cell) => {
          const range = document.createRange()
          range.selectNodeContents(cell)
          return range.getClientRects().length !== 1
        })
        .map((cell) => cell.textContent),
    )
    expect(await page.locator('.fee td').count()).toBe(8)
    expect(broken).toEqual([])
  },
)

test('the fees end with the links to the legal texts', async () => {
  const page = await visit(DESKTOP, '/taxas')
  await page.getByRole('contentinfo').getByRole('link', { name: 'Política de Privacidade' }).click()
  await page.waitForURL('**/privacidade')
})

test('beside a label of two lines the fields of the simulator stay in line', async () => {
  const page = await visit({ viewport: { width: 768, height: 1024 } }, '/taxas?hoje=x')
  const tops = await page
    .locator('form :is(input, select)')
    .evaluateAll((fields) => fields.map((field) => Math.round(field.getBoundingClientRect().top)))
  expect(tops[1]).toBe(tops[0])
  expect(tops[3]).toBe(tops[2])
  expect(tops[2]).toBeGreaterThan(tops[1] ?? 0)
})

test('a row of the niches leads to its page, whose menu leads back', async () => {
  const page = await visit()
  await page.getByRole('link', { name: 'Gaming', exact: true }).first().click()
  await page.waitForURL('**/nichos/gaming')
  await page.getByRole('navigation', { name: 'Principal' }).getByRole('link', { name: 'Sobre' }).click()
  await page.waitForURL('**/#about')
})
