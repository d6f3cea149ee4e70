// Needs a browser: axe needs layout and computed colours, on a phone and on a desktop.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { storeReports } from '#tests/support/stored-counts.ts'
import { insertPixels, removePixels } from '../support/admin-data.ts'
import { type AdminSite, signIn, startAdminSite, type Visit } from '../support/admin-site.ts'
import { DESKTOP, PHONE } from '../support/browser.ts'
import { findFaults } from '../support/find-faults.ts'

let admin: AdminSite

beforeAll(async () => {
  admin = await startAdminSite()
})
afterAll(() => admin.close())

async function check(page: Page, state: string): Promise<void> {
  expect.soft(await findFaults(page), state).toEqual([])
}

const button = (page: Page, name: string) => page.getByRole('button', { name }).first()

describe.each([
  ['phone', PHONE],
  ['desktop', DESKTOP],
])('has no violation in any state on a %s', (_name, options) => {
  let visit: Visit
  let page: Page
  beforeAll(async () => {
    await removePixels(admin.site.database.db)
    visit = await admin.visit({ signedIn: false, options })
    page = visit.page
  })
  afterAll(async () => {
    expect(visit.complaints()).toEqual([])
    await visit.context.close()
  })

  test('login', async () => {
    await button(page, 'Entrar').waitFor()
    await check(page, 'login')
    await button(page, 'Entrar').click()
    await check(page, 'login with faults')
    await page.getByLabel('Email').fill('ninguem@portico.example')
    await page.getByLabel('Senha', { exact: true }).fill('errada-demais')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await check(page, 'login refused')
    await signIn(page)
  })

  test('pixels', async () => {
    await page.getByText('Nenhum pixel configurado').waitFor()
    await check(page, 'no pixels')
    await insertPixels(admin.site.database.db, [
      { name: 'Chat', type: 'custom', pixel_id: null, is_active: false },
      { name: 'Contêiner de campanhas', type: 'google_tag_manager', pixel_id: 'GTM-K4W8PZ2' },
      { name: 'Meta Pixel Principal', code: generateSnippet('meta', '482910377165024') },
    ])
    // As after another person's change: by a visibility change, not by a reload.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await button(page, 'Ver código: Meta').click()
    await check(page, 'pixels with the code panel')
    await page.getByRole('switch').first().click()
    await button(page, 'Desfazer').waitFor()
    await check(page, 'a toast')
    await button(page, 'Excluir: Meta').click()
    const question = page.getByRole('alertdialog')
    await question.waitFor()
    await check(page, 'confirmation')
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
  })

  test('the page of a pixel, and the trash', async () => {
    const { db } = admin.site.database
    const [pixel] = await db.selectFrom('tracking_pixels').selectAll().where('type', '=', 'meta').execute()
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString()
    const counts = { ran: 12, blocked: 3, failed: 1, not_consented: 4 }
    await storeReports(db, [{ pixel_id: pixel?.id ?? '', hour, ...counts }])
    await page.getByRole('link', { name: 'Meta Pixel Principal' }).click()
    await page.getByText(/rodou normalmente em 12 de 16 visitas/).waitFor()
    await page.getByRole('slider').focus()
    await check(page, 'page of a pixel')
    await button(page, 'Tabela').click()
    await check(page, 'every number')
    await db
      .updateTable('tracking_pixels')
      .set({ deleted_at: new Date().toISOString(), deleted_by: 'ana@exemplo.com.br', is_active: false })
      .where('name', '=', 'Chat')
      .execute()
    await page.getByRole('link', { name: 'Lixeira' }).locator('visible=true').click()
    await button(page, 'Restaurar: Chat').waitFor()
    await check(page, 'trash')
    await button(page, 'Restaurar: Chat').click()
    await page.getByText('A lixeira está vazia').waitFor()
    await check(page, 'empty trash')
    await page.goBack()
    await page.goBack()
  })

  test('pixel form', async () => {
    await button(page, 'Adicionar Pixel').click()
    await page.getByRole('dialog').waitFor()
    await check(page, 'new pixel')
    await button(page, 'Salvar').click()
    await check(page, 'new pixel with faults')
    await page.getByText('Mais opções').click()
    await page.getByRole('radio', { name: 'Pelo servidor', exact: true }).check()
    await check(page, 'sent by the server')
    await page.getByRole('radio', { name: 'Pela página', exact: true }).check()
    await page.getByLabel('Tipo de Pixel').selectOption('custom')
    await page.getByLabel('Código do Pixel').fill('<b></b>')
    await page.getByLabel('Tipo de Pixel').selectOption('meta')
    await button(page, 'Manter meu código').waitFor()
    await check(page, 'question about the code')
    await button(page, 'Manter meu código').click()
    await page.getByLabel('Pixel ID').fill('abc')
    await check(page, 'hint')
    // Another type and ID than in the form, and something that cannot work.
    const clash = `${generateSnippet('google_analytics', 'G-7XK2M9QTLP')}<script>document.write('x')</script>`
    await page.getByLabel('Código do Pixel').fill(clash)
    await button(page, 'Manter como está').waitFor()
    await page.getByText(/domínios? permitidos?$/).click()
    await check(page, 'a recognised code, a question, a warning and the hosts')
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog', { name: 'Descartar as alterações?' }).waitFor()
    await check(page, 'question about closing')
    await page.getByRole('button', { name: 'Descartar' }).click()
  })

  test('users and settings', async () => {
    await page.getByRole('link', { name: 'Usuários Admin' }).click()
    await button(page, 'Editar: principal@').waitFor()
    await check(page, 'users')
    await button(page, 'Editar: principal@').click()
    await page.getByRole('dialog').waitFor()
    await check(page, 'principal admin')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Configurações' }).click()
    await page.getByText('em desenvolvimento').waitFor()
    await check(page, 'settings')
  })

  test('help, which asks no other host for anything', async () => {
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).origin))
    await page.getByRole('link', { name: 'Ajuda' }).click()
    await page.getByRole('link', { name: /^Minha tag não funciona/ }).click()
    await page.getByRole('heading', { name: 'Pausa automática' }).waitFor()
    await check(page, 'a chapter')
    await page.getByLabel('Buscar na ajuda').fill('token')
    await page.getByText(/^\d+ resultados$/).waitFor()
    await check(page, 'a search')
    await page.getByLabel('Buscar na ajuda').fill('xilofone')
    await page.getByText('Nenhum resultado').waitFor()
    await check(page, 'a search without result')
    await page.goBack()
    await check(page, 'chapters')
    expect([...hosts]).toEqual([admin.site.url])
  })

  test('a long list, and an ended session', async () => {
    await insertPixels(
      admin.site.database.db,
      Array.from({ length: 120 }, (_, n) => ({ name: `Pixel ${n}` })),
    )
    await page.getByRole('link', { name: 'Pixels & Tags' }).click()
    await page.getByText('Pixel 119').waitFor()
    await check(page, 'long list')
    await admin.site.database.db.deleteFrom('auth_logins').execute()
    await admin.site.database.db.deleteFrom('auth_sessions').execute()
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await page.getByRole('dialog', { name: 'Sua sessão expirou' }).waitFor()
    await check(page, 'session over')
  })
})
