// Needs a browser: the back button returns to a scroll position in a list.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertPixels, removePixels } from '../support/admin-data.ts'
import { type AdminSite, signIn, startAdminSite } from '../support/admin-site.ts'
import { until } from '../support/until.ts'

let admin: AdminSite
beforeAll(async () => {
  admin = await startAdminSite()
})
afterAll(() => admin.close())

const fill = async (count: number) => {
  await removePixels(admin.site.database.db)
  const pixels = Array.from({ length: count }, (_, n) => ({ name: `Loja ${n}`, is_active: false }))
  await insertPixels(admin.site.database.db, pixels)
}
const search = (page: Page) => new URL(page.url()).search
const scrollOf = (page: Page) =>
  page.evaluate(() => ({
    page: scrollY,
    list: document.querySelector('table')?.closest('.overflow-y-auto')?.scrollTop ?? null,
  }))
const openPixel = async (page: Page, name: string) => {
  await page.getByRole('link', { name, exact: true }).click()
  const heading = page.getByRole('heading', { level: 2, name, exact: true })
  await heading.waitFor()
  expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true)
  expect(await page.evaluate(() => scrollY)).toBe(0)
}

test('shares a list by its address, and the back button restores the position in page and card', async () => {
  await fill(40)
  const { page, context, complaints } = await admin.visit()
  await page.getByLabel('Filtrar por status').selectOption('inactive')
  await page.getByLabel('Buscar por nome ou ID').fill('loja')
  const row = page.getByRole('link', { name: 'Loja 5', exact: true })
  await row.scrollIntoViewIfNeeded()
  const before = await scrollOf(page)
  expect(before.page).toBeGreaterThan(500)
  await openPixel(page, 'Loja 5')
  await page.getByRole('button', { name: '30 dias' }).click()
  await page.goBack()
  await row.waitFor()
  await expect.poll(() => scrollOf(page)).toEqual(before)
  expect(search(page)).toBe('?status=inativos&busca=loja')
  await page.goForward()
  await page.getByRole('button', { name: '30 dias', pressed: true }).waitFor()
  expect(search(page)).toBe('?periodo=30d')
  await page.goBack()

  const shared = await context.newPage()
  await shared.goto(page.url())
  await shared.getByText('40 pixels').waitFor()
  expect(await shared.getByLabel('Buscar por nome ou ID').inputValue()).toBe('loja')
  expect(await shared.getByLabel('Filtrar por status').inputValue()).toBe('inactive')
  await shared.close()

  // Lists of more than sixty scroll inside their card.
  await fill(200)
  await page.goto(`${admin.site.url}/admin?status=inativos`)
  await page.getByText('200 pixels').waitFor()
  await page.locator('.overflow-y-auto table').waitFor()
  await page.evaluate(() => {
    document.querySelector('table')?.closest('.overflow-y-auto')?.scrollTo(0, 6_000)
  })
  const far = page.locator('tbody tr').nth(12).getByRole('link').first()
  const name = await far.innerText()
  await far.scrollIntoViewIfNeeded()
  const inCard = await scrollOf(page)
  expect(inCard.list).toBeGreaterThan(5_000)
  await openPixel(page, name)
  await page.goBack()
  await page.getByRole('link', { name, exact: true }).waitFor()
  await expect.poll(() => scrollOf(page)).toEqual(inCard)

  expect(await page.evaluate(() => history.state)).toBeNull()
  expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0)
  expect(complaints()).toEqual([])
  await context.close()
})

test('shows that an address does not exist', async () => {
  const { page, context } = await admin.visit({ path: '/admin/nada' })
  await page.getByRole('heading', { name: 'Página não encontrada' }).waitFor()
  await page.goto(`${admin.site.url}/admin/pixels/nada`)
  await page.getByText('Este pixel não existe').waitFor()
  await context.close()
})

test('follows an emailed link pasted into an open tab, and removes it from the address', async () => {
  const { page, context } = await admin.visit({ signedIn: false })
  await page.getByRole('button', { name: 'Entrar', exact: true }).waitFor()
  await page.goto(`${admin.site.url}/admin#token_hash=0123456789abcdef&type=recovery`)
  await page.getByRole('heading', { name: /senha/i }).waitFor()
  expect(page.url()).toBe(`${admin.site.url}/admin`)
  await context.close()
})

test('the dashboard begins at the top after a scrolled login, and the login after a scrolled dashboard', async () => {
  await fill(40)
  const { page, context, complaints } = await admin.visit({
    signedIn: false,
    options: { viewport: { width: 375, height: 600 } },
  })
  const scrollToBottom = async () => {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await until(page, () => scrollY > 20)
  }
  await page.getByLabel('Email').waitFor()
  await scrollToBottom()
  await signIn(page)
  expect((await scrollOf(page)).page).toBe(0)
  await page.getByRole('link', { name: 'Loja 5', exact: true }).waitFor()
  await scrollToBottom()
  await page.getByRole('button', { name: 'Sair', exact: true }).click()
  await page.getByLabel('Email').waitFor()
  expect((await scrollOf(page)).page).toBe(0)
  expect(complaints()).toEqual([])
  await context.close()
})
