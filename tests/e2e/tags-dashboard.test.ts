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

/** With what stands under it. */
const row = (name: string) =>
  page.getByRole('rowgroup').filter({ has: page.getByText(name, { exact: true }) })
const policy = async () => (await fetch(admin.site.url)).headers.get('content-security-policy') ?? ''
const tagsOnPage = async () => (await (await fetch(admin.site.url)).text()).includes('data-tags=')

/** A visitor of their own, who accepts and stays until the tags have run and been reported. */
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

test('warnings come while the code is typed, and do not keep anyone from saving', async () => {
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
  // The answer came after the swap: no waiting here.
  expect(await tagsOnPage()).toBe(true)
  await row('Fornecedor novo').getByText('Aguardando visita').waitFor()
})

test('a visit is seen under the status and in the chart, and what it was kept from can be allowed', async () => {
  await visitSite()
  await vi.waitFor(async () => {
    expect(await admin.site.database.db.selectFrom('blocked_hosts').selectAll().execute()).toHaveLength(1)
  }, 30_000)
  await page.reload()
  await row('Fornecedor novo').getByText('Com falhas').waitFor()
  await row('Fornecedor novo').getByText('Rodou sem impedimento em 0 de 1 visita').waitFor()
  await page.getByRole('link', { name: '1 com problema' }).waitFor()
  await row('Fornecedor novo').getByRole('button', { name: 'Ver código: Fornecedor novo' }).click()
  await page.getByRole('img', { name: /Rodou: 0, Bloqueado: 0, Falhou: 1/ }).waitFor()

  // Of no vendor, so by its full name; in the row that it belongs to, and not below the list.
  expect(await page.getByRole('region', { name: 'Endereços bloqueados' }).count()).toBe(0)
  expect(await policy()).not.toContain('novo-fornecedor')
  await row('Fornecedor novo').getByRole('button', { name: 'Permitir api.novo-fornecedor.com' }).click()
  await page.getByText('Permitido: api.novo-fornecedor.com').waitFor()
  expect(await policy()).toContain('https://api.novo-fornecedor.com')
  // Another policy is another revision, of which nothing was seen yet.
  await row('Fornecedor novo').getByText('Aguardando visita').waitFor()
  await until(
    page,
    () => document.activeElement?.getAttribute('aria-label') === 'Ver código: Fornecedor novo',
  )
})

test('a permission is in the panel with who gave it, and is taken back after a question', async () => {
  const panel = page.getByRole('region', { name: 'Código para: Fornecedor novo' })
  await panel.getByText(/permitido por principal@portico\.example em /).waitFor()
  await panel.getByRole('button', { name: 'Revogar api.novo-fornecedor.com' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revogar' }).click()
  await page.getByText('Revogado: api.novo-fornecedor.com').waitFor()
  await panel.getByRole('button', { name: 'Revogar api.novo-fornecedor.com' }).waitFor({ state: 'detached' })
  expect(await policy()).not.toContain('novo-fornecedor')
  await until(page, () => document.activeElement?.textContent === 'Fala com')
})

test('a pasted snippet is recognised, filled in and saved as it is', async () => {
  const snippet = generateSnippet('meta', '482910377165024')
  await page.getByRole('button', { name: 'Adicionar Pixel' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Código do Pixel').fill(snippet)
  await dialog.getByText('Reconhecemos: Meta Pixel').waitFor()
  await dialog.getByText(/^Ao abrir a página, depois do consentimento: a visita, para Meta Pixel/).waitFor()
  await dialog.getByText(/endereços que a página abre$/).click()
  await dialog.getByText('connect.facebook.net').waitFor()
  expect(await dialog.getByLabel('Pixel ID').inputValue()).toBe('482910377165024')
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { db } = admin.site.database
  const saved = await db.selectFrom('tracking_pixels').selectAll().where('type', '=', 'meta').execute()
  expect(saved).toMatchObject([{ code: snippet, pixel_id: '482910377165024', vendor: 'meta-pixel' }])
})

test('"Pausar tudo" stops every tag, says who and when, and brings them back as they were', async () => {
  const pause = page.getByRole('switch', { name: 'Pausar tudo' })
  const before = await policy()
  await pause.click()
  await page.getByText(/^Pausado por principal@portico\.example, /).waitFor()
  expect(await tagsOnPage()).toBe(false)
  await row('Fornecedor novo').getByText('Pausado').waitFor()
  await pause.click()
  await page.getByText('Interrompe todas as tags do site de uma vez.').waitFor()
  expect(await policy()).toBe(before)
})

test('a code that cannot be saved says so at its field, and one with many hosts warns before it is too late', async () => {
  await page.getByRole('button', { name: 'Adicionar Pixel' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Nome do Pixel').fill('Lista de links')
  await dialog.getByLabel('Tipo de Pixel').selectOption('custom')
  const code = dialog.getByLabel('Código do Pixel')
  const save = dialog.getByRole('button', { name: 'Salvar' })
  for (const [snippet, message] of [
    [Object.values(KILLERS)[0] ?? '', /complexo demais.*não foi salvo/],
    [linksTo(2_000, 'muitos'), /"Lista de links" com 2\.000 hosts/],
  ] as const) {
    await code.fill(snippet)
    await save.click()
    await dialog.locator('p.text-bad').filter({ hasText: message }).waitFor()
    expect(await code.getAttribute('aria-invalid')).toBe('true')
  }
  await code.fill(linksTo(60, 'sessenta'))
  await save.click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Quem usa mais: Lista de links (60 hosts)', { exact: false }).waitFor()
  expect(complaints()).toEqual([])
})

test('a container is explained in plain words, and the same ID twice is a warning in the table', async () => {
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
  await page.getByText('Um contêiner do Tag Manager está ativo.', { exact: false }).waitFor()
  await page.getByText('O site e este painel usam o mesmo endereço.', { exact: false }).waitFor()
  await row('Contêiner repetido').getByRole('button', { name: '1 aviso' }).click()
  await page.getByText('já está em "Contêiner"', { exact: false }).waitFor()
  expect(complaints()).toEqual([])
  await context.close()
})
