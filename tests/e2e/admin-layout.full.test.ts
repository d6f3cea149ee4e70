// Needs a browser: positions and sizes at three widths, and touch.
import type { Locator, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertPixels } from '../support/admin-data.ts'
import { type AdminSite, startAdminSite, type Visit } from '../support/admin-site.ts'
import { DESKTOP, PHONE } from '../support/browser.ts'

const TABLET = { viewport: { width: 768, height: 1024 }, hasTouch: true }

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

test('the navigation is at the bottom of a phone, with large enough targets', async () => {
  await page.getByText('Meta Pixel Principal').waitFor()
  const bar = await edges(page.getByRole('navigation', { name: 'Menu principal' }))
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

test('rows are cards with the names of their columns', async () => {
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

test('adds, switches off, shows and deletes a pixel by touch', async () => {
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

describe.each([
  ['a phone', { ...PHONE, deviceScaleFactor: 1 }],
  ['a tablet', TABLET],
  ['a desk', DESKTOP],
])('on %s', (name, options) => {
  let own: Visit
  let seen: Page
  beforeAll(async () => {
    own = await admin.visit({ options })
    seen = own.page
    await seen
      .getByRole('switch', { name: /^(Ativo|Inativo)/ })
      .first()
      .waitFor()
  })
  afterAll(() => own.context.close())

  test.each([
    ['/admin', '**/rest/v1/tracking_pixels*'],
    ['/admin/usuarios', '**/rest/v1/admin_users*order*'],
  ])('what loads appears where its placeholder was: %s', async (path, address) => {
    const held: Route[] = []
    await seen.route(address, (route) => void held.push(route))
    await seen.goto(admin.site.url + path)
    // What is above it is loaded separately.
    if (path === '/admin') await seen.getByRole('switch', { name: 'Pausar todas as tags' }).waitFor()
    const outline = await edges(seen.locator('[aria-busy] tbody tr').first())
    await expect.poll(() => held.length).toBeGreaterThan(0)
    for (const route of held) await route.continue()
    await seen.unroute(address)
    await seen
      .getByRole('button', { name: /^Editar/ })
      .first()
      .waitFor()
    const row = await edges(seen.locator('tbody tr').first())
    expect(Math.abs(row.y - outline.y)).toBeLessThanOrEqual(2)
  })

  test("messages cover neither a row's controls nor a dialog", async () => {
    await seen.goto(`${admin.site.url}/admin`)
    const rows = seen.getByRole('switch', { name: /^(Ativo|Inativo)/ })
    await rows.first().click()
    const toast = seen.locator('[data-toast]')
    await toast.first().waitFor()
    const news = await edges(toast.first())
    for (const offer of await seen.locator('tbody button').all()) {
      const box = await offer.boundingBox()
      if (box === null) continue
      const isBeside = box.x >= news.right || box.x + box.width <= news.x
      const isAbove = box.y + box.height <= news.y || box.y >= news.bottom
      expect(isBeside || isAbove, (await offer.getAttribute('aria-label')) ?? '').toBe(true)
    }
    await seen.getByRole('button', { name: 'Adicionar Pixel' }).click()
    await seen.getByLabel('Nome do Pixel').waitFor()
    expect(await toast.count()).toBeGreaterThan(0)
    const covered = await seen.getByRole('dialog').evaluate((dialog) => {
      const { left, right, top, bottom } = dialog.getBoundingClientRect()
      const points = [left + 8, (left + right) / 2, right - 8].flatMap((x) =>
        [top + 8, (top + bottom) / 2, bottom - 8].map((y) => [x, y] as const),
      )
      return points.filter(([x, y]) => !dialog.contains(document.elementFromPoint(x, y)))
    })
    expect(covered).toEqual([])
    await seen.keyboard.press('Escape')
  })

  test(`rows are ${name === 'a phone' ? 'cards' : 'a table'}`, async () => {
    await seen.locator('tbody tr').first().waitFor()
    expect(await seen.getByRole('columnheader').count()).toBe(name === 'a phone' ? 0 : 5)
  })
})

test('no field is so small that a phone zooms in', async () => {
  await insertPixels(
    admin.site.database.db,
    Array.from({ length: 11 }, (_, n) => ({ name: `Pixel ${n}` })),
  )
  await page.reload()
  await page.getByRole('searchbox').waitFor()
  await page.getByRole('button', { name: 'Adicionar Pixel' }).tap()
  await page.getByLabel('Código do Pixel').waitFor()
  const sizes = await page.evaluate(() =>
    [...document.querySelectorAll('input:not([type=checkbox]), select, textarea')].map((field) =>
      Number.parseFloat(getComputedStyle(field).fontSize),
    ),
  )
  expect(sizes.length).toBeGreaterThanOrEqual(7)
  expect(sizes.filter((size) => size < 16)).toEqual([])
  await page.keyboard.press('Escape')
})

test('filters of the list show their longest choice on a phone, and the search is as wide as they are', async () => {
  await insertPixels(
    admin.site.database.db,
    Array.from({ length: 11 }, (_, n) => ({ name: `Filtro ${n}` })),
  )
  await page.reload()
  await page.getByRole('searchbox').waitFor()
  const filters = await page.getByRole('combobox', { name: /^Filtrar/ }).all()
  expect(filters).toHaveLength(3)
  for (const filter of filters) {
    const { shown, needed } = await filter.evaluate((select: HTMLElement) => {
      const free = select.cloneNode(true) as HTMLElement
      free.style.cssText = 'position: absolute; width: max-content; max-width: none'
      select.after(free)
      const widths = { shown: select.offsetWidth, needed: free.offsetWidth }
      free.remove()
      return widths
    })
    expect(shown, (await filter.getAttribute('aria-label')) ?? '').toBeGreaterThanOrEqual(needed)
  }
  const row = await edges(page.getByLabel('Filtrar por funcionamento'))
  const search = await edges(page.getByRole('searchbox'))
  expect([search.x, search.right]).toEqual([row.x, row.right])
})

test("a screen's class overrides the component’s own", async () => {
  const { page: login, context } = await admin.visit({ signedIn: false })
  const style = (locator: Locator) =>
    locator.evaluate((element) => {
      const { minHeight, fontSize, paddingLeft, paddingRight } = getComputedStyle(element)
      return { minHeight, fontSize, paddingLeft, paddingRight }
    })
  expect(await style(login.getByRole('button', { name: 'Entrar', exact: true }))).toMatchObject({
    minHeight: '52px',
    fontSize: '16px',
  })
  expect(await style(login.getByLabel('Senha', { exact: true }))).toMatchObject({ paddingRight: '52px' })
  expect(await style(page.getByRole('searchbox'))).toMatchObject({ minHeight: '44px', paddingLeft: '44px' })
  await context.close()
})

test('an empty list on a phone offers a new pixel in the first steps and in the list, not a third time', async () => {
  const { page: seen } = await admin.visit({ options: PHONE })
  await seen.route('**/rest/v1/tracking_pixels*', (route: Route) => route.fulfill({ json: [] }))
  await seen.reload()
  await seen.getByText('Nenhum pixel configurado').waitFor()
  await seen.getByRole('heading', { name: 'Primeiros passos' }).waitFor()
  expect(await seen.getByRole('button', { name: 'Adicionar Pixel' }).count()).toBe(2)
  await seen.context().close()
})

test('a phone shows the newest checkpoint of the chain, and cuts the oldest', async () => {
  const { page: seen } = await admin.visit({ options: PHONE })
  const sealed_at = new Date().toISOString()
  await seen.route('**/admin/api/consent?*', async (route: Route) => {
    const overview = await (await route.fetch()).json()
    const recent = Array.from({ length: 15 }, (_, age) => ({ sequence: 15 - age, sealed_at, leaf_count: 1 }))
    const last = { sequence: 15, sealed_at, tree_size: 15, hash: 'a'.repeat(64) }
    await route.fulfill({ json: { ...overview, recent, seals: { ...overview.seals, last } } })
  })
  await seen.goto(`${admin.site.url}/admin/consentimento`)
  const chain = seen.getByRole('region', { name: 'Selos de integridade' }).locator('[aria-hidden] > span')
  await expect.poll(() => chain.count()).toBe(15)
  const newest = await edges(chain.locator('.bg-accent'))
  const around = await edges(chain.first().locator('..'))
  expect(newest.right).toBeLessThanOrEqual(around.right + 0.5)
  expect(newest.x).toBeGreaterThan(around.x)
  await seen.context().close()
})

test.each([1280, 1440])('filters and search of a long list share a row at %i px', async (width) => {
  await insertPixels(
    admin.site.database.db,
    Array.from({ length: 14 }, (_, index) => ({ name: `Pixel ${width} ${index}` })),
  )
  const { page: seen } = await admin.visit({ options: { viewport: { width, height: 900 } } })
  const search = await edges(seen.getByPlaceholder('Buscar por nome ou ID'))
  const filter = await edges(seen.getByLabel('Filtrar por status'))
  expect(Math.abs(search.y - filter.y)).toBeLessThan(4)
  await seen.context().close()
})
