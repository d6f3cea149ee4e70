// Needs a browser: the dashboard shows what a real visit did with a tag.
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { type AdminSite, startAdminSite } from '../support/admin-site.ts'
import { UNSEEN } from '../support/browser.ts'
import { KILLERS, linksTo } from '../support/nasty-snippets.ts'
import { reportTotals } from '../support/report-totals.ts'
import { until } from '../support/until.ts'

const CALLS_HOME = `<script>
  window.ran = true
  fetch('https://' + 'api.novo-fornecedor.com/x', { mode: 'no-cors' }).catch(function () {})
</script>`

let admin: AdminSite
let context: BrowserContext
let page: Page
let complaints: () => string[]

beforeAll(async () => {
  admin = await startAdminSite()
  const visit = await admin.visit()
  context = visit.context
  page = visit.page
  complaints = visit.complaints
})
afterAll(() => admin.close())

/** Including the row below it. */
const row = (name: string) =>
  page.getByRole('rowgroup').filter({ has: page.getByText(name, { exact: true }) })
const policy = async () => (await fetch(admin.site.url)).headers.get('content-security-policy') ?? ''
const tagsOnPage = async () => (await (await fetch(admin.site.url)).text()).includes('data-tags=')

/** A new visitor who accepts and stays until the tags have run and reported. */
async function visitSite(): Promise<void> {
  const visitor = await admin.browser.newContext(UNSEEN)
  const visited = await visitor.newPage()
  await visited.goto(admin.site.url)
  await visited.getByRole('button', { name: 'Aceitar todos' }).click()
  await until(visited, () => 'ran' in window)
  await vi.waitFor(async () => {
    expect((await reportTotals(admin.site.database.db)).size).toBe(1)
  }, 30_000)
  await visitor.close()
}

test('warns while code is typed, and does not block saving', async () => {
  await page.getByRole('button', { name: 'Adicionar Pixel' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Nome do Pixel').fill('Fornecedor novo')
  await dialog.getByLabel('Tipo de Pixel').selectOption('custom')
  const code = dialog.getByLabel('Código do Pixel')
  await code.fill('<script>document.write("x")</script>')
  await dialog.getByText('document.write', { exact: false }).last().waitFor()
  await code.fill("fbq('track', 'X')")
  const warning = dialog.getByRole('note').filter({ hasText: 'Não há nenhum script aqui.' })
  await warning.waitFor()
  await code.fill(CALLS_HOME)
  await warning.waitFor({ state: 'detached' })
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await dialog.waitFor({ state: 'detached' })
  // The response came after the swap: no waiting here.
  expect(await tagsOnPage()).toBe(true)
  await row('Fornecedor novo').getByText('Aguardando visita').waitFor()
})

test('shows a visit below the status and in the chart, and its blocked host can be permitted', async () => {
  await visitSite()
  await vi.waitFor(async () => {
    expect(await admin.site.database.db.selectFrom('blocked_hosts').selectAll().execute()).toHaveLength(1)
  }, 30_000)
  await page.reload()
  await row('Fornecedor novo').getByText('Com falhas').waitFor()
  await row('Fornecedor novo').getByText('Rodou normalmente em 0 de 1 visita').waitFor()
  await page.getByRole('link', { name: '1 pixel com problema' }).waitFor()
  await row('Fornecedor novo').getByRole('button', { name: 'Ver código: Fornecedor novo' }).click()
  await page.getByRole('img', { name: /Rodou: 0, Bloqueada: 0, Falhou: 1/ }).waitFor()

  // Of no vendor, so by its full name; in the row of its pixel, and not below the list.
  expect(await page.getByRole('region', { name: 'Domínios bloqueados' }).count()).toBe(0)
  expect(await policy()).not.toContain('novo-fornecedor')
  await row('Fornecedor novo').getByRole('button', { name: 'Permitir api.novo-fornecedor.com' }).click()
  await page.getByText('Domínio permitido: api.novo-fornecedor.com').waitFor()
  expect(await policy()).toContain('https://api.novo-fornecedor.com')
  // Another policy is another revision without observations.
  await row('Fornecedor novo').getByText('Aguardando visita').waitFor()
  await until(
    page,
    () => document.activeElement?.getAttribute('aria-label') === 'Ver código: Fornecedor novo',
  )
})

test('lists a permission in the panel with its author, and revokes it after a question', async () => {
  const panel = page.getByRole('region', { name: 'Código para: Fornecedor novo' })
  await panel.getByText(/permitido por principal@portico\.example em /).waitFor()
  await panel.getByRole('button', { name: 'Remover permissão: api.novo-fornecedor.com' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remover permissão' }).click()
  await page.getByText('Permissão removida: api.novo-fornecedor.com').waitFor()
  await panel
    .getByRole('button', { name: 'Remover permissão: api.novo-fornecedor.com' })
    .waitFor({ state: 'detached' })
  expect(await policy()).not.toContain('novo-fornecedor')
  await until(page, () => document.activeElement?.textContent === 'Domínios permitidos')
})

test('refuses invalid code at its field, and warns early about many hosts', async () => {
  await page.getByRole('button', { name: 'Adicionar Pixel' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Nome do Pixel').fill('Lista de links')
  await dialog.getByLabel('Tipo de Pixel').selectOption('custom')
  const code = dialog.getByLabel('Código do Pixel')
  const save = dialog.getByRole('button', { name: 'Salvar' })
  for (const [snippet, message] of [
    // On a busy machine the deadline is reached before the limit of elements.
    [Object.values(KILLERS)[0] ?? '', /(?:complexo|demora) demais.*Nada foi salvo/],
    [linksTo(2_000, 'muitos'), /"Lista de links" \(2\.000 domínios\)/],
  ] as const) {
    await code.fill(snippet)
    await save.click()
    await dialog.locator('p.text-bad').filter({ hasText: message }).waitFor()
    expect(await code.getAttribute('aria-invalid')).toBe('true')
  }
  await code.fill(linksTo(60, 'sessenta'))
  await save.click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('As que mais usam: Lista de links (60 domínios)', { exact: false }).waitFor()
  expect(complaints()).toEqual([])
})

test('explains a container in plain words, and warns about a duplicate ID in the table', async () => {
  const { db } = admin.site.database
  for (const name of ['Contêiner', 'Contêiner repetido']) {
    await page.getByRole('button', { name: 'Adicionar Pixel' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Nome do Pixel').fill(name)
    await dialog.getByLabel('Tipo de Pixel').selectOption('google_tag_manager')
    await dialog.getByLabel('Container ID (GTM)').fill('GTM-ABC12')
    await dialog.getByRole('button', { name: 'Salvar' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  expect((await db.selectFrom('tracking_pixels').select('code').execute()).map(({ code }) => code)).toContain(
    generateSnippet('google_tag_manager', 'GTM-ABC12'),
  )
  await page.getByText('Há um contêiner do Tag Manager ativo.', { exact: false }).waitFor()
  await page.getByText('O site e o painel usam o mesmo endereço.', { exact: false }).waitFor()
  await row('Contêiner repetido').getByRole('button', { name: '1 aviso' }).click()
  await page.getByText('já está no pixel "Contêiner"', { exact: false }).waitFor()
  expect(complaints()).toEqual([])
  await context.close()
})
