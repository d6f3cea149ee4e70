// Needs a browser: keyboard, focus, clipboard, the back button and the real server together.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'
import { insertPixels, removePixels } from '../support/admin-data.ts'
import { type AdminSite, startAdminSite, type Visit } from '../support/admin-site.ts'
import { UNSEEN } from '../support/browser.ts'
import { until } from '../support/until.ts'

let admin: AdminSite
let visit: Visit
let page: Page

beforeAll(async () => {
  admin = await startAdminSite()
  // With motion, like most people: dialogs rise and messages slide in.
  visit = await admin.visit({ options: { ...UNSEEN, reducedMotion: 'no-preference' } })
  await visit.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  page = visit.page
})
afterAll(async () => {
  expect(visit.complaints()).toEqual([])
  expect(visit.networkNotes()).toEqual([])
  await admin.close()
})
beforeEach(() => removePixels(admin.site.database.db))

const stored = () =>
  admin.site.database.db.selectFrom('tracking_pixels').selectAll().where('deleted_at', 'is', null).execute()
const start = async (pixels: Parameters<typeof insertPixels>[1]) => {
  const ids = await insertPixels(admin.site.database.db, pixels)
  await page.goto(`${admin.site.url}/admin`)
  await page.getByRole('heading', { name: 'Gerenciar Pixels e Tags' }).waitFor()
  return ids
}
const openForm = () => page.getByRole('button', { name: 'Adicionar Pixel' }).first().click()
const save = () => page.getByRole('button', { name: 'Salvar', exact: true }).click()
const code = () => page.getByLabel('Código do Pixel')
const dialog = () => page.getByRole('dialog')

test('creates a pixel by keyboard alone, and the list shows it', async () => {
  await start([])
  await page.getByText('Configure pixels do Meta, Google Analytics e tags personalizadas').waitFor()
  await page.getByText('Nenhum pixel configurado').waitFor()
  await page.getByText('Adicione seu primeiro pixel para começar o rastreamento').waitFor()

  await page.getByRole('button', { name: 'Adicionar Pixel' }).first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Adicionar Novo Pixel' }).waitFor()
  await page.keyboard.type('Meta Pixel Principal')
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').inputValue()).toBe('meta')
  await page.keyboard.press('Tab')
  await page.keyboard.type('482910377165024')
  expect(await code().inputValue()).toBe(generateSnippet('meta', '482910377165024'))
  await page.keyboard.press('Enter')

  await dialog().waitFor({ state: 'detached' })
  const row = page.getByRole('row', { name: /Meta Pixel Principal/ })
  await row.getByText('482910377165024').waitFor()
  await row.getByRole('switch', { name: /Ativo/ }).waitFor()
  const [made] = await stored()
  await row
    .getByText(
      new Intl.DateTimeFormat('pt-BR', { timeZone: SITE_TIME_ZONE }).format(new Date(made?.created_at ?? '')),
    )
    .waitFor()
  expect(await page.getByRole('columnheader').allTextContents()).toEqual([
    'Pixel',
    'Tipo',
    'ID/Código',
    'Status',
    'Ações',
  ])
  expect(await stored()).toMatchObject([
    { name: 'Meta Pixel Principal', type: 'meta', pixel_id: '482910377165024', is_active: true },
  ])
})

test('the form starts as described, follows the type, and hints without refusing', async () => {
  await start([])
  await openForm()
  expect(await page.getByLabel('Nome do Pixel').getAttribute('placeholder')).toBe('Meta Pixel Principal')
  expect(await page.getByLabel('Tipo de Pixel').inputValue()).toBe('meta')
  expect(await page.getByLabel('Pixel ativo').isChecked()).toBe(true)
  expect(await code().getAttribute('rows')).toBe('12')
  expect((await dialog().boundingBox())?.width).toBeLessThanOrEqual(672)
  await save()
  await page.getByText('Dê um nome ao pixel.').waitFor()
  await page.getByText('Digite o ID do pixel.').waitFor()

  await page.getByLabel('Tipo de Pixel').selectOption('google_analytics')
  const measurement = page.getByLabel('Measurement ID (GA4)')
  expect(await measurement.getAttribute('placeholder')).toBe('G-XXXXXXXXXX')
  await measurement.fill('G-7XK2M9QTLP')
  expect(await code().inputValue()).toBe(generateSnippet('google_analytics', 'G-7XK2M9QTLP'))

  await page.getByLabel('Tipo de Pixel').selectOption('google_tag_manager')
  const container = page.getByLabel('Container ID (GTM)')
  expect(await container.getAttribute('placeholder')).toBe('GTM-XXXXXXX')
  expect(await code().inputValue()).toContain('ns.html?id=G-7XK2M9QTLP')
  await page.getByText('O ID G-7XK2M9QTLP não é do Google Tag Manager: é do Google Analytics.').waitFor()
  await container.fill('')
  expect(await code().inputValue()).toBe('')
  await container.fill('com espaço')
  await save()
  await page.getByText('Use até 64 caracteres: letras, números, hífen (-) e sublinhado (_).').waitFor()

  await container.fill('estranho')
  await page.getByLabel('Nome do Pixel').fill('Contêiner')
  await save()
  await dialog().waitFor({ state: 'detached' })
  expect(await stored()).toMatchObject([{ type: 'google_tag_manager', pixel_id: 'estranho' }])
})

test('a custom pixel has no ID, and its code starts as the agreed comment', async () => {
  await start([])
  await openForm()
  await page.getByLabel('Nome do Pixel').fill('Chat')
  await page.getByLabel('Pixel ID').fill('123456789012345')
  await page.getByLabel('Tipo de Pixel').selectOption('custom')
  expect(await page.getByLabel('Pixel ID').count()).toBe(0)
  expect(await code().inputValue()).toBe('<!-- Código personalizado aqui -->')
  expect(await code().getAttribute('placeholder')).toBe('<!-- Código personalizado aqui -->')
  await code().fill('<script>chat()</script>')
  await page.getByLabel('Pixel ativo').uncheck()
  await save()
  const row = page.getByRole('row', { name: /Chat/ })
  await row.getByText('Código personalizado').waitFor()
  await row.getByRole('switch', { checked: false }).waitFor()
  expect(await stored()).toMatchObject([
    { type: 'custom', pixel_id: null, code: '<script>chat()</script>', is_active: false },
  ])
})

describe('code written by hand', () => {
  const written = `${generateSnippet('meta', '482910377165024')}\n<!-- meu -->`

  test('survives saving, and is only replaced after a question', async () => {
    await start([{ name: 'Meta', code: generateSnippet('meta', '482910377165024') }])
    await page.getByRole('button', { name: 'Editar: Meta' }).click()
    await page.getByRole('dialog', { name: 'Editar Pixel' }).waitFor()
    await code().fill(written)
    await save()
    await dialog().waitFor({ state: 'detached' })
    expect((await stored())[0]?.code).toBe(written)

    await page.getByRole('button', { name: 'Editar: Meta' }).click()
    expect(await code().inputValue()).toBe(written)
    await page.getByLabel('Tipo de Pixel').selectOption('google_analytics')
    await page.getByRole('alertdialog', { name: 'Substituir o código?' }).waitFor()
    await page.getByRole('button', { name: 'Manter meu código' }).click()
    // The focus returns to the form first.
    await page.locator('form :focus').waitFor()
    expect(await code().inputValue()).toBe(written)

    await page.getByLabel('Measurement ID (GA4)').fill('G-1')
    expect(await code().inputValue()).toBe(written)
    await page.getByLabel('Measurement ID (GA4)').press('Enter')
    await page.getByRole('button', { name: 'Substituir' }).click()
    expect(await code().inputValue()).toBe(generateSnippet('google_analytics', 'G-1'))
    expect((await stored())[0]?.code).toBe(written)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Descartar' }).click()
  })

  test('is not lost by closing the form: Escape, the X and the back button all ask', async () => {
    await start([{ name: 'Meta' }])
    await openForm()
    await dialog().waitFor()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Configurações' }).click()
    await page.getByRole('link', { name: 'Pixels & Tags' }).click()

    await openForm()
    await page.getByLabel('Nome do Pixel').fill('Rascunho')
    const question = page.getByRole('alertdialog', { name: 'Descartar as alterações?' })
    const ways = [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('button', { name: 'Fechar', exact: true }).click(),
      () => page.getByRole('button', { name: 'Cancelar', exact: true }).click(),
      () => page.evaluate(() => history.back()),
    ]
    for (const close of ways) {
      await close()
      await question.waitFor()
      await page.getByRole('button', { name: 'Continuar editando' }).click()
      await question.waitFor({ state: 'detached' })
      expect(await page.getByLabel('Nome do Pixel').inputValue()).toBe('Rascunho')
      expect(new URL(page.url()).pathname).toBe('/admin')
    }
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Descartar' }).click()
    await dialog().waitFor({ state: 'detached' })
    await until(page, () => document.activeElement?.textContent === 'Adicionar Pixel')
    expect(await stored()).toHaveLength(1)
  })
})

test('the badge toggles the stored state, and can be undone', async () => {
  await start([{ name: 'GA4 do site' }])
  await page.getByRole('switch', { name: 'Ativo: GA4 do site' }).click()
  await page.getByRole('switch', { name: 'Ativo: GA4 do site', checked: false }).waitFor()
  await page.getByText('Pixel desativado: GA4 do site').waitFor()
  expect((await stored())[0]?.is_active).toBe(false)
  await page.getByRole('button', { name: 'Desfazer' }).click()
  await page.getByText('Pixel ativado: GA4 do site').waitFor()
  expect((await stored())[0]?.is_active).toBe(true)
})

test('stores quick clicks in their order', async () => {
  await start([{ name: 'GA4 do site' }])
  const badge = page.getByRole('switch', { name: /GA4 do site/ })
  let answers = 0
  page.on('response', (response) => {
    if (response.request().method() === 'PATCH') answers += 1
  })
  for (let click = 0; click < 5; click += 1) await badge.click()
  await expect.poll(() => answers).toBe(5)
  await page.getByText('Pixel desativado: GA4 do site').first().waitFor()
  expect(await badge.getAttribute('aria-checked')).toBe('false')
  expect((await stored())[0]?.is_active).toBe(false)
})

test('the code panel shows, copies and closes; a pixel without code shows a comment', async () => {
  const snippet = generateSnippet('meta', '482910377165024')
  await start([{ name: 'Sem código' }, { name: 'Principal', code: snippet }])
  const eye = page.getByRole('button', { name: 'Ver código: Principal' })
  await eye.click()
  const panel = page.getByRole('region', { name: 'Código para: Principal' })
  expect(await panel.locator('pre').textContent()).toBe(snippet)
  expect(await eye.getAttribute('aria-pressed')).toBe('true')
  await panel.getByRole('button', { name: 'Copiar' }).click()
  await panel.getByRole('button', { name: 'Copiado' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(snippet)
  await eye.click()
  await panel.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Ver código: Sem código' }).click()
  const empty = page.getByRole('region', { name: 'Código para: Sem código' })
  expect(await empty.locator('pre').textContent()).toBe('<!-- Sem código: 482910377165024 -->')
  await empty.getByRole('button', { name: 'Fechar código' }).click()
  await empty.waitFor({ state: 'detached' })
})

test('deleting asks with the agreed text, with the safe button focused', async () => {
  await start([{ name: 'Fica' }, { name: 'Sai' }])
  await page.getByRole('button', { name: 'Excluir: Sai' }).click()
  const question = page.getByRole('alertdialog', { name: 'Tem certeza que deseja excluir este pixel?' })
  expect(await question.locator(':focus').textContent()).toBe('Cancelar')
  await page.keyboard.press('Enter')
  await question.waitFor({ state: 'detached' })
  expect(await stored()).toHaveLength(2)
  await page.getByRole('button', { name: 'Excluir: Sai' }).click()
  await question.getByRole('button', { name: 'Excluir' }).click()
  await page.getByText('Pixel excluído: Sai').waitFor()
  expect(await page.getByRole('row', { name: /Sai/ }).count()).toBe(0)
  await until(page, () => document.activeElement?.textContent === 'Gerenciar Pixels e Tags')
  expect(await stored()).toMatchObject([{ name: 'Fica' }])
  await page.getByRole('button', { name: 'Desfazer' }).click()
  await page.getByRole('row', { name: /Sai/ }).waitFor()
  expect(await stored()).toHaveLength(2)
})

test("a pixel's page restores a version from its history, and a deleted pixel is in the trash", async () => {
  const [id] = await start([{ name: 'Loja', type: 'custom', pixel_id: null, code: '<script>a()</script>' }])
  await page.getByRole('link', { name: 'Loja', exact: true }).click()
  await page.waitForURL(`**/admin/pixels/${id}`)
  await page.getByRole('slider', { name: 'Visitas por hora' }).waitFor()
  for (const letter of ['b', 'c']) {
    await page.getByRole('button', { name: 'Editar: Loja' }).click()
    await code().fill(`<script>${letter}()</script>`)
    await save()
    await dialog().waitFor({ state: 'detached' })
    await page.getByText(`<script>${letter}()</script>`).last().waitFor()
  }
  const history = page.getByRole('region', { name: 'Histórico' })
  await history.getByRole('button', { name: /^Restaurar esta versão/ }).click()
  await page.getByText('Versão restaurada: Loja').waitFor()
  expect(await stored()).toMatchObject([{ code: '<script>b()</script>' }])
  await page.getByRole('button', { name: 'Excluir: Loja' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Excluir' }).click()
  await page.getByText('Nenhum pixel configurado').waitFor()
  await page.getByRole('link', { name: 'Lixeira' }).first().click()
  await page.getByRole('button', { name: 'Restaurar: Loja' }).click()
  await page.getByText('A lixeira está vazia').waitFor()
  // Back to the list and forward again, as in any browser.
  await page.goBack()
  await page.getByRole('link', { name: 'Loja', exact: true }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Loja', level: 2 }).waitFor()
  await history.getByText('restaurou o pixel da lixeira').waitFor()
})

describe('two administrators at once', () => {
  const changeElsewhere = (id: string) =>
    admin.site.database.db
      .updateTable('tracking_pixels')
      .set({ name: 'Deles', updated_at: new Date().toISOString() })
      .where('id', '=', id)
      .execute()

  test('the list refreshes when the window becomes visible', async () => {
    const [id = ''] = await start([{ name: 'Original' }])
    await page.getByText('Original').waitFor()
    await changeElsewhere(id)
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
    await page.getByText('Deles').waitFor()
  })
})

test('search and filters appear for long lists', async () => {
  await start(Array.from({ length: 3 }, (_, n) => ({ name: `Poucos ${n}` })))
  await page.getByText('3 pixels').waitFor()
  expect(await page.getByRole('searchbox').count()).toBe(0)

  await start(Array.from({ length: 20 }, (_, n) => ({ name: `Contêiner ${n}`, is_active: n % 2 === 0 })))
  await page.getByRole('searchbox', { name: 'Buscar por nome ou ID' }).fill('conteiner 19')
  await page.getByText('1 encontrado').waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
  await page.getByLabel('Filtrar por status').selectOption('active')
  await page.getByText('Nenhum pixel encontrado').waitFor()
  await page.getByRole('button', { name: 'Limpar busca e filtros' }).click()
  await page.getByText('23 pixels').waitFor()
})
