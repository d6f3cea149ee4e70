// Needs a browser: layouts, frames and the bytes of a first load are counted.
import { statSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { BUDGETS } from '../../scripts/bundles.ts'
import { insertPixels } from '../support/admin-data.ts'
import { type AdminSite, startAdminSite } from '../support/admin-site.ts'
import { countPageWork, observePageWork, type PageWork } from '../support/page-work.ts'

const PIXELS = 10_000
const ROWS_AT_MOST = 40
/** Costs of one step. Times are measured by the bench (`--only=dashboard`): here they would depend on the machine. */
const STEP_AT_MOST = { elements: 1_500, layouts: 5, mutations: 150, commits: 10 }
/** The cached list, its count and its filter are each passed once; anything more is a defect. */
const PASSES_OF_A_CLICK = 4

let admin: AdminSite
beforeAll(async () => {
  admin = await startAdminSite()
  // Only a new installation loads the code of the first steps.
  await admin.site.database.db
    .updateTable('auth_users')
    .set({ user_metadata: JSON.stringify({ hides_first_steps: true }) })
    .execute()
})
afterAll(() => admin.close())
afterEach(() => admin.site.database.db.deleteFrom('tracking_pixels').execute())

test('the scripts until the list is shown, and those of a session that opens every screen, are within their budgets', async () => {
  const [pixel] = await insertPixels(admin.site.database.db, [{ name: 'Loja' }])
  const { context } = await admin.visit({ path: '/admin/conta' })
  const page = await context.newPage()
  const scripts = new Set<string>()
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.add(new URL(request.url()).pathname)
  })
  const list = Promise.withResolvers<void>()
  await page.route('**/rest/v1/tracking_pixels*order*', async (route) => {
    await list.promise
    await route.continue()
  })
  const figures = page.waitForResponse('**/admin/api/today')
  await page.goto(`${admin.site.url}/admin`)
  await figures
  await page.getByText('Responderam ao aviso', { exact: true }).waitFor()
  expectLight(scripts, BUDGETS.list)

  list.resolve()
  await page.getByRole('button', { name: 'Ver código: Loja' }).click()
  await page.getByRole('region', { name: 'Código para: Loja' }).waitFor()
  await page.getByRole('button', { name: 'Excluir: Loja' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancelar' }).click()
  await page.getByRole('button', { name: 'Editar: Loja' }).click()
  await page.getByLabel('Nome do Pixel').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Loja', exact: true }).click()
  await page.getByRole('heading', { name: 'Histórico' }).waitFor()
  for (const name of ['Visitas', 'Consentimento', 'Inscrições', 'Inventário', 'Lixeira', 'Atividade']) {
    await page.getByRole('navigation', { name: 'Subpáginas' }).getByRole('link', { name }).click()
    await page.getByRole('heading', { level: 2, name }).waitFor()
  }
  for (const name of ['Usuários Admin', 'Configurações', 'Minha conta']) {
    await page.getByRole('link', { name }).first().click()
    await page.getByRole('heading', { level: 2, name: new RegExp(name) }).waitFor()
  }
  await page.goto(`${admin.site.url}/admin/pixels/${pixel}/testes/${pixel}`)
  await page.getByText('Este teste não existe mais').waitFor()
  await page.getByRole('button', { name: 'Sair', exact: true }).click()
  await page.getByRole('button', { name: 'Entrar', exact: true }).waitFor()
  expectLight(scripts, BUDGETS.session)
  await context.close()
})

/** As they are on the wire, brotli. */
function expectLight(scripts: ReadonlySet<string>, most: { files: number; bytes: number }): void {
  const bytes = [...scripts].map((path) => statSync(`dist/client${path}.br`).size)
  expect(scripts.size).toBeLessThanOrEqual(most.files)
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(most.bytes)
}

test.each(['/admin', '/admin/pixels/:id'])('%s asks for nothing twice as it loads', async (path) => {
  const [id = ''] = await insertPixels(admin.site.database.db, [{ name: 'Loja' }, { name: 'Chat' }])
  const { context } = await admin.visit({ path: '/admin/conta' })
  const page = await context.newPage()
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    // A period begins at the moment at which it is asked for.
    searchParams.delete('from')
    if (/^\/(admin\/api|rest|auth)\//.test(pathname))
      asked.push(`${request.method()} ${pathname}?${searchParams}`)
  })
  await page.goto(admin.site.url + path.replace(':id', id))
  await page.getByRole('button', { name: 'Editar: Loja' }).waitFor()
  await page.waitForLoadState('networkidle')
  expect(asked.filter((address, index) => asked.indexOf(address) !== index)).toEqual([])
  const pixels = asked.filter((address) => address.includes('/rest/v1/tracking_pixels'))
  expect(pixels).toHaveLength(1)
  if (path === '/admin') expect(pixels[0]).not.toContain('select=*')
  else expect(pixels[0]).toContain(`id=eq.${id}`)
  await context.close()
})

test('with 10,000 pixels a click is on screen and stored, and neither it nor scrolling does anything for each row', async () => {
  const code = generateSnippet('meta', '482910377165024')
  // All but the newest are off: the public page is not tested here.
  const pixels = Array.from({ length: PIXELS }, (_, n) => ({
    name: `Pixel ${n}`,
    code,
    is_active: n === PIXELS - 1,
  }))
  await insertPixels(admin.site.database.db, pixels)
  // Inserting them keeps this process busy, and a busy server refuses visitors.
  await expect
    .poll(async () => (await fetch(`${admin.site.url}/admin`)).status, { timeout: 30_000 })
    .toBe(200)
  const { page, context, complaints } = await admin.visit({ prepare: observePageWork })
  await page.getByText('10.000 pixels').waitFor({ timeout: 120_000 })
  const cdp = await context.newCDPSession(page)

  /** Until nothing is loaded or drawn: each step is counted alone. */
  const atRest = () =>
    expect
      .poll(
        async () => {
          const { calls, commits } = await countPageWork(cdp, () => page.waitForTimeout(1_000))
          return calls < PIXELS && commits === 0
        },
        { timeout: 60_000 },
      )
      .toBe(true)

  await atRest()
  const newest = page.getByRole('switch', { name: `Ativo: Pixel ${PIXELS - 1}`, checked: false })
  // The answer comes when the click has been counted: it has the list loaded again.
  const counted = Promise.withResolvers<void>()
  await page.route('**/rest/v1/tracking_pixels*', async (route) => {
    if (route.request().method() === 'PATCH') await counted.promise
    await route.continue()
  })
  const click = await countPageWork(cdp, () => clickAndPaint(page))
  counted.resolve()
  expectWithin(click, { ...STEP_AT_MOST, calls: PASSES_OF_A_CLICK * PIXELS })
  expect(await newest.count()).toBe(1)
  await page.getByText(`Pixel desativado: Pixel ${PIXELS - 1}`).waitFor()
  // The list is reloaded after the click.
  await atRest()
  const active = await admin.site.database.db
    .selectFrom('tracking_pixels')
    .select('name')
    .where('is_active', '=', true)
    .execute()
  expect(active).toEqual([])

  for (let step = 1; step <= 10; step += 1) {
    // Near rows first, then jumps, as with the scroll bar.
    const scroll = await countPageWork(cdp, () =>
      scrollAndPaint(page, step <= 5 ? { by: 300 } : { to: step / 10 }),
    )
    // Scrolling passes through no list.
    expectWithin(scroll, { ...STEP_AT_MOST, calls: PIXELS - 1 })
    expect(await page.locator('tbody tr').count()).toBeLessThanOrEqual(ROWS_AT_MOST)
  }
  await page.getByText('Pixel 0', { exact: true }).waitFor()
  expect(complaints()).toEqual([])
  await context.close()
})

function expectWithin(work: PageWork, most: PageWork): void {
  const over = Object.entries(work).filter(([what, count]) => count > most[what as keyof PageWork])
  expect(over).toEqual([])
}

/** Done when the frame after the click shows its result. */
function clickAndPaint(page: Page): Promise<void> {
  return page.evaluate(async () => {
    // Looked up again: the row may be drawn anew meanwhile.
    const badge = () => document.querySelector<HTMLElement>('tbody [role="switch"]')
    badge()?.click()
    while (badge()?.getAttribute('aria-checked') !== 'false') await new Promise(requestAnimationFrame)
    await new Promise(requestAnimationFrame)
  })
}

function scrollAndPaint(page: Page, where: { by?: number; to?: number }): Promise<void> {
  return page.evaluate(async ({ by, to }) => {
    const list = document.querySelector('table')?.closest('.overflow-y-auto')
    if (!list) throw new Error('the list does not scroll')
    list.scrollTop = to === undefined ? list.scrollTop + (by ?? 0) : to * list.scrollHeight
    await new Promise(requestAnimationFrame)
    await new Promise(requestAnimationFrame)
  }, where)
}
