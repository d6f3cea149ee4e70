// Needs a browser: the address, Back, a download and the width of a phone.

import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { DAY_MS } from '#contract/durations.ts'
import { change } from '#server/db/transactions/change.ts'
import { addCounts } from '#server/stats/counts.ts'
import { addOutcomeSources } from '#server/visits/outcome-sources.ts'
import { signIn } from '../support/admin-site.ts'
import { DESKTOP, launchBrowser, PHONE } from '../support/browser.ts'
import { findViolations } from '../support/find-violations.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let site: TestApp
let browser: Browser
beforeAll(async () => {
  site = await startTestApp({ listen: true, env: { VISIT_COUNTS: 'on' } })
  // Also for tomorrow, so that midnight during a test does not matter.
  for (let days = -1; days < 40; days++) {
    const at = Date.now() - days * DAY_MS
    const sources = {
      '["paid_search","google","cpc","black-friday","","phone"]': 60,
      '["direct","","","","","desktop"]': 40,
      '["social","instagram","","","","phone"]': days === 1 ? 2 : 0,
    }
    await addCounts(site.database.db, [
      { series: 'visit', key: 'views', at, by: 150 },
      { series: 'visit', key: 'visits', at, by: 100 },
      { series: 'visit', key: 'visitors', at, by: 90 },
      { series: 'visit', key: 'click:lead', at, by: 7 },
      ...Object.entries(sources).flatMap(([key, by]) =>
        by === 0 ? [] : [{ series: 'visit.source' as const, key: `visits ${key}` as const, at, by }],
      ),
    ])
  }
  const sale = {
    channel: 'paid_search',
    campaign: 'black-friday',
    at: Date.now(),
    value: { currency: 'BRL', amount: 222_222_07 },
  } as const
  await change(site.database.db, (trx) =>
    addOutcomeSources(
      trx,
      Array.from({ length: 6 }, () => sale),
    ),
  )
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await site.close()
})

async function open(options = DESKTOP): Promise<Page> {
  const context = await browser.newContext({ ...options, locale: 'pt-BR', reducedMotion: 'reduce' })
  onTestFinished(() => context.close())
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  await page.goto(`${site.url}/admin/visitas`)
  await signIn(page)
  await page.getByRole('heading', { name: 'Visitas', exact: true }).waitFor()
  return page
}
const visits = (page: Page) =>
  page.getByRole('region', { name: /^Visitas por/ }).getByRole('button', { name: /^Visitas/, pressed: true })
const query = (page: Page) => new URL(page.url()).search

test('period and filter are in the address, Back undoes them, and the CSV has the same rows', async () => {
  const page = await open()
  await expect.poll(() => visits(page).textContent()).toMatch(/^Visitas3\.000/)
  await page.getByRole('button', { name: '7 dias' }).click()
  await expect.poll(() => visits(page).textContent()).toMatch(/^Visitas700/)
  expect(query(page)).toBe('?periodo=7d')
  await page.getByRole('button', { name: 'Campanhas' }).click()
  await page.getByRole('button', { name: /^black-friday/ }).click()
  await page.getByRole('button', { name: 'Remover o filtro Campanha: black-friday' }).waitFor()
  await expect.poll(() => visits(page).textContent()).toMatch(/^Visitas420com estes filtros/)
  expect(query(page)).toBe('?periodo=7d&campanha=black-friday')
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Baixar CSV' }).click(),
  ])
  expect(readFileSync(await saved.path(), 'utf8')).toContain('"Busca paga","420",')
  // The same address shows the same in another tab.
  const copy = await page.context().newPage()
  await copy.goto(page.url())
  await expect.poll(() => visits(copy).textContent()).toMatch(/^Visitas420/)
  await page.goBack()
  await expect.poll(() => visits(page).textContent()).toMatch(/^Visitas700/)
  expect(await page.getByRole('list', { name: 'Filtros' }).count()).toBe(0)
})

test('a "?" opens beside its figure and closes with Escape', async () => {
  const page = await open()
  const text = page.getByText('os visitantes são somados dia a dia', { exact: false })
  expect(await text.isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Como contamos: Visitantes' }).click()
  await text.waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => text.isVisible()).toBe(false)
})

test.each([768, 1024, 1440])('no cell of the breakdown is cut or covered at %i px', async (width) => {
  const page = await open({ ...DESKTOP, viewport: { width, height: 900 } })
  await page.getByRole('button', { name: 'Campanhas' }).click()
  const table = page.getByRole('table', { name: 'Visitas por campanha' })
  await table.getByText('1.333.332,42').waitFor()
  expect(
    await table
      .locator('th, td')
      .evaluateAll((cells) =>
        cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
      ),
  ).toEqual([])
})

test('fits a phone of 375 px, with few visits hidden and explanations on the screen', async () => {
  const page = await open({ ...PHONE, viewport: { width: 375, height: 812 } })
  await expect.poll(() => visits(page).textContent()).toMatch(/^Visitas3\.000/)
  await page.getByRole('button', { name: 'Origens' }).click()
  await page.getByRole('table', { name: 'Visitas por origem' }).getByText('menos de 5').first().waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
  expect(await findViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Como contamos: Visitas', exact: true }).click()
  const box = await page.locator('.how-counted:popover-open').boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect((box?.x ?? 0) + (box?.width ?? 400)).toBeLessThanOrEqual(375)
})
