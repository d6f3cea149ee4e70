import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  type AccountSite,
  button,
  enrol,
  expectAccessible,
  heading,
  startAccountSite,
  typePassword,
} from '../support/account-site.ts'
import { signIn } from '../support/admin-site.ts'
import { PHONE } from '../support/browser.ts'
import { PRINCIPAL } from '../support/test-app.ts'

const NEW_PASSWORD = 'varanda-azulejo-27'

let account: AccountSite
beforeAll(async () => {
  account = await startAccountSite()
})
afterAll(() => account.close())
afterEach(() => account.restore())

test('second factor: on, asked for at the next login, kept over a reload, and off again', async () => {
  const { page, context, complaints } = await account.admin.visit()
  await page.getByRole('link', { name: 'Minha conta' }).click()
  await heading(page, 'Minha conta').waitFor()
  expect(await page.title()).toBe('Minha conta · Admin Dashboard Pórtico')
  await page.getByText('Esta sessão').waitFor()
  await expectAccessible(page)
  await button(page, 'Ativar').click()
  await page.getByRole('img', { name: 'Código QR' }).waitFor()
  const shown = await page
    .getByRole('img', { name: 'Código QR' })
    .evaluate((img: HTMLImageElement) => img.naturalWidth)
  expect(shown).toBeGreaterThan(0)
  await expectAccessible(page)
  await page.getByRole('dialog').getByLabel('Código de 6 dígitos').fill('000000')
  await page.getByRole('dialog').getByRole('button', { name: 'Ativar' }).click()
  await page.getByText('Código incorreto.').waitFor()
  await page.keyboard.press('Escape')

  const { app } = await enrol(page)
  await expectAccessible(page)
  // Nothing of it is left where a tag on the page could find it.
  const found = await page.evaluate(async () => ({
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    databases: (await indexedDB.databases()).length,
    history: history.state,
    name: window.name,
  }))
  expect(found).toEqual({ local: [], session: [], databases: 0, history: null, name: '' })
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Baixar').click()])
  expect(download.suggestedFilename()).toBe('codigos-de-recuperacao.txt')
  await button(page, 'Guardei os códigos').click()
  await page.getByText('Restam 10 códigos de recuperação.').waitFor()
  await expectAccessible(page)

  await button(page, 'Sair').click()
  await typePassword(page)
  await heading(page, 'Falta um passo').waitFor()
  await expectAccessible(page)
  await page.reload()
  await heading(page, 'Falta um passo').waitFor()
  await page.getByLabel('Código de 6 dígitos').fill(await app.next())
  await button(page, 'Confirmar').click()
  await button(page, 'Sair').waitFor()
  await page.reload()
  await button(page, 'Desativar').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Desativar' }).click()
  await button(page, 'Ativar').waitFor()
  await button(page, 'Sair').click()
  await signIn(page)
  expect(complaints()).toEqual([])
  await context.close()
})

test('a recovery code lets in once, and gives a new password to who has no phone at hand', async () => {
  const { page, context, complaints } = await account.admin.visit()
  const { codes } = await enrol(page)
  await button(page, 'Guardei os códigos').click()
  await button(page, 'Sair').click()
  await typePassword(page)
  await button(page, 'Usar um código de recuperação').click()
  await expectAccessible(page)
  await page.getByLabel('Código de recuperação').fill('aaaaa-aaaaa')
  await button(page, 'Confirmar').click()
  await page.getByText('Código de recuperação incorreto ou já usado.').waitFor()
  await page.getByLabel('Código de recuperação').fill(codes[0] ?? '')
  await button(page, 'Confirmar').click()
  await page.getByText('Restam 9 códigos de recuperação.').waitFor()

  await button(page, 'Sair').click()
  await button(page, 'Esqueci minha senha').click()
  await page.getByLabel('Email').fill(PRINCIPAL.email)
  await button(page, 'Enviar e-mail').click()
  const { link } = await account.mailbox.take(PRINCIPAL.email, 'Crie uma nova senha')
  await page.goto(link)
  await page.getByLabel('Nova senha', { exact: true }).fill(NEW_PASSWORD)
  await button(page, 'Salvar e entrar').click()
  await page.getByText('Sua conta tem verificação em duas etapas.').waitFor()
  await expectAccessible(page)
  for (const wrong of ['000000', codes[0] ?? '']) {
    await page.getByLabel('Código do aplicativo').fill(wrong)
    await button(page, 'Salvar e entrar').click()
    await page.getByText(/^Código (de recuperação )?incorreto/).waitFor()
  }
  await page.getByLabel('Código do aplicativo').fill(codes[1] ?? '')
  await button(page, 'Salvar e entrar').click()
  await button(page, 'Sair').click()
  await typePassword(page, NEW_PASSWORD)
  await heading(page, 'Falta um passo').waitFor()
  expect(complaints()).toEqual([])
  await context.close()
})

test('a session that ends asks for the code over the page, and what was typed is still there', async () => {
  const { page, context } = await account.admin.visit()
  const { app } = await enrol(page)
  await button(page, 'Guardei os códigos').click()
  await page.getByRole('link', { name: 'Usuários Admin' }).click()
  await button(page, 'Adicionar Admin').click()
  await page.getByRole('dialog').getByLabel('Email').fill('rascunho@exemplo.com.br')
  await account.admin.site.database.db.deleteFrom('auth_logins').execute()
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  const over = page.getByRole('dialog', { name: 'Entre de novo' })
  await over.getByLabel('Senha', { exact: true }).fill(PRINCIPAL.password)
  await over.getByRole('button', { name: 'Entrar', exact: true }).click()
  await over.getByLabel('Código de 6 dígitos').fill(await app.next())
  await expectAccessible(page)
  await over.getByRole('button', { name: 'Confirmar' }).click()
  await over.waitFor({ state: 'detached' })
  expect(await page.getByRole('dialog').getByLabel('Email').inputValue()).toBe('rascunho@exemplo.com.br')
  await context.close()
})

test('one’s own password: the current one is asked for', async () => {
  const { page, context, complaints } = await account.admin.visit({ path: '/admin/conta' })
  await button(page, 'Trocar senha').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Senha atual', { exact: true }).fill('nao-e-esta-senha')
  await dialog.getByLabel('Nova senha', { exact: true }).fill(NEW_PASSWORD)
  await dialog.getByRole('button', { name: 'Trocar senha' }).click()
  await dialog.getByText('A senha atual não está correta.').waitFor()
  await expectAccessible(page)
  for (const [current, next] of [
    [PRINCIPAL.password, NEW_PASSWORD],
    [NEW_PASSWORD, PRINCIPAL.password],
  ] as const) {
    if (!(await dialog.isVisible())) await button(page, 'Trocar senha').click()
    await dialog.getByLabel('Senha atual', { exact: true }).fill(current)
    await dialog.getByLabel('Nova senha', { exact: true }).fill(next)
    await dialog.getByRole('button', { name: 'Trocar senha' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  expect(complaints()).toEqual([])
  await context.close()
})

test('my logins: another browser is listed, ended, and finds itself out', async () => {
  const other = await account.admin.visit({ options: PHONE })
  const { page, context, complaints } = await account.admin.visit({ path: '/admin/conta' })
  await button(page, 'Encerrar outras sessões').waitFor()
  const before = await page.getByRole('button', { name: /^Encerrar Chrome/ }).count()
  await page
    .getByRole('button', { name: /^Encerrar Chrome/ })
    .first()
    .click()
  await page.getByText('Sessão encerrada').waitFor()
  await expect.poll(() => page.getByRole('button', { name: /^Encerrar Chrome/ }).count()).toBe(before - 1)
  await other.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  const over = other.page.getByRole('dialog', { name: 'Entre de novo' })
  await over.getByLabel('Senha', { exact: true }).fill(PRINCIPAL.password)
  await over.getByRole('button', { name: 'Entrar', exact: true }).click()
  await over.waitFor({ state: 'detached' })
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await expect.poll(() => page.getByRole('button', { name: /^Encerrar Chrome/ }).count()).toBe(before)
  await button(page, 'Encerrar outras sessões').click()
  await button(page, 'Encerrar outras sessões').waitFor({ state: 'detached' })
  await other.page.reload()
  await button(other.page, 'Entrar').waitFor()
  expect(complaints()).toEqual([])
  await other.context.close()
  await context.close()
})
