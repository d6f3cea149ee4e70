import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertPixels } from '../support/admin-data.ts'
import { type AdminSite, startAdminSite, type Visit } from '../support/admin-site.ts'
import { PHONE } from '../support/browser.ts'

let admin: AdminSite
let visit: Visit
let page: Page

beforeAll(async () => {
  admin = await startAdminSite()
  await insertPixels(admin.site.database.db, [
    { name: 'Chat da equipe comercial', type: 'custom', pixel_id: null },
    { name: 'Meta Pixel Principal' },
  ])
  visit = await admin.visit({ options: PHONE })
  page = visit.page
})
afterAll(async () => {
  expect(visit.complaints()).toEqual([])
  await admin.close()
})

const edges = async (locator: Locator) => {
  const box = await locator.boundingBox()
  if (box === null) throw new Error('not on screen')
  return { ...box, bottom: box.y + box.height, right: box.x + box.width }
}

test('the navigation lies under the thumb, and every target is large enough for it', async () => {
  await page.getByText('Meta Pixel Principal').waitFor()
  const bar = await edges(page.getByRole('navigation', { name: 'Painel' }))
  expect(Math.round(bar.bottom)).toBe(PHONE.viewport.height)
  const small = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, nav a, input, select')]
      .map((element) => ({
        text: element.ariaLabel ?? element.textContent,
        box: element.getBoundingClientRect(),
      }))
      .filter(({ box }) => box.width > 0 && (box.height < 44 || box.width < 44))
      .map(({ text }) => text),
  )
  expect(small).toEqual([])
})

test('rows are cards that carry the names of their columns', async () => {
  expect(await page.getByRole('columnheader').count()).toBe(0)
  const [name, id] = await Promise.all([
    edges(page.getByText('Meta Pixel Principal')),
    edges(page.getByText('482910377165024')),
  ])
  expect(id.y).toBeGreaterThan(name.bottom)
  expect(id.right).toBeLessThan(PHONE.viewport.width)
  const label = await page
    .getByText('482910377165024')
    .evaluate((element) => getComputedStyle(element.closest('td') ?? element, '::before').content)
  expect(label).toContain('ID/Código')
})

test('a pixel is added, switched off, looked at and deleted by touch', async () => {
  await page.getByRole('button', { name: 'Adicionar Pixel' }).tap()
  const sheet = page.getByRole('dialog', { name: 'Adicionar Novo Pixel' })
  await sheet.evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)))
  const box = await edges(sheet)
  expect([Math.round(box.bottom), Math.round(box.width)]).toEqual([
    PHONE.viewport.height,
    PHONE.viewport.width,
  ])
  await page.getByLabel('Nome do Pixel').fill('GA4')
  await page.getByLabel('Tipo de Pixel').selectOption('google_analytics')
  await page.getByLabel('Measurement ID (GA4)').fill('G-7XK2M9QTLP')
  await page.getByRole('button', { name: 'Salvar' }).tap()
  await page.getByRole('switch', { name: 'Ativo: GA4' }).tap()
  await page.getByText('Pixel desativado: GA4').waitFor()
  await page.getByRole('button', { name: 'Ver código: GA4' }).tap()
  await page.getByRole('region', { name: 'Código para: GA4' }).waitFor()
  await page.getByRole('button', { name: 'Excluir: GA4' }).tap()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Excluir' }).tap()
  await page.getByText('Pixel excluído: GA4').waitFor()
  expect(await page.getByRole('region', { name: 'Código para: GA4' }).count()).toBe(0)
})
