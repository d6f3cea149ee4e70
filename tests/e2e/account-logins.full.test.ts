// Needs a browser: logins of two browsers, and pages that are open while they end.
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
import { PHONE } from '../support/browser.ts'
import { PRINCIPAL } from '../support/test-app.ts'

const NEW_PASSWORD = 'varanda-azulejo-27'

let account: AccountSite
beforeAll(async () => {
  account = await startAccountSite()
})
afterAll(() => account.close())
afterEach(() => account.restore())

test('a recovery code signs in once, and allows a new password without the phone', async () => {
  const { page, context, complaints } = await account.admin.visit()
  const { codes } = await enrol(page)
  await button(page, 'Já guardei os códigos').click()
  await button(page, 'Sair').click()
  await typePassword(page)
  await button(page, 'Usar código de recuperação').click()
  await expectAccessible(page)
  await page.getByLabel('Código de recuperação').fill('aaaaa-aaaaa')
  await button(page, 'Confirmar').click()
  await page.getByText('Código de recuperação incorreto ou já usado. Tente outro.').waitFor()
  await page.getByLabel('Código de recuperação').fill(codes[0] ?? '')
  await button(page, 'Confirmar').click()
  await page.getByText('Você ainda tem 9 códigos de recuperação.').waitFor()

  await button(page, 'Sair').click()
  await button(page, 'Esqueci minha senha').click()
  await page.getByLabel('Email').fill(PRINCIPAL.email)
  await button(page, 'Enviar e-mail').click()
  const { link } = await account.mailbox.take(PRINCIPAL.email, 'Crie uma nova senha')
  await page.goto(link)
  await page.getByLabel('Nova senha', { exact: true }).fill(NEW_PASSWORD)
  await button(page, 'Salvar e entrar').click()
  await page.getByText('Sua conta usa verificação em duas etapas.').waitFor()
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
  await heading(page, 'Confirme que é você').waitFor()
  expect(complaints()).toEqual([])
  await context.close()
})

test('an ended session asks for the code over the page, and what was typed is kept', async () => {
  const { page, context } = await account.admin.visit()
  const { app } = await enrol(page)
  await button(page, 'Já guardei os códigos').click()
  await page.getByRole('link', { name: 'Usuários Admin' }).click()
  await button(page, 'Adicionar Admin').click()
  await page.getByRole('dialog').getByLabel('Email').fill('rascunho@exemplo.com.br')
  await account.admin.site.database.db.deleteFrom('auth_logins').execute()
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  const over = page.getByRole('dialog', { name: /^(Sua sessão expirou|Confirme que é você)$/ })
  await over.getByLabel('Senha', { exact: true }).fill(PRINCIPAL.password)
  await over.getByRole('button', { name: 'Entrar', exact: true }).click()
  await over.getByLabel('Código de 6 dígitos').fill(await app.next())
  await expectAccessible(page)
  await over.getByRole('button', { name: 'Confirmar' }).click()
  await over.waitFor({ state: 'detached' })
  expect(await page.getByRole('dialog').getByLabel('Email').inputValue()).toBe('rascunho@exemplo.com.br')
  await context.close()
})

test("lists another browser's login, ends it, and that browser is signed out", async () => {
  const other = await account.admin.visit({ options: PHONE })
  const { page, context, complaints } = await account.admin.visit({ path: '/admin/conta' })
  await button(page, 'Encerrar as outras sessões').waitFor()
  const before = await page.getByRole('button', { name: /^Encerrar sessão: Chrome/ }).count()
  await page
    .getByRole('button', { name: /^Encerrar sessão: Chrome/ })
    .first()
    .click()
  await page.getByText('Sessão encerrada').waitFor()
  await expect
    .poll(() => page.getByRole('button', { name: /^Encerrar sessão: Chrome/ }).count())
    .toBe(before - 1)
  await other.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  const over = other.page.getByRole('dialog', { name: 'Sua sessão expirou' })
  await over.getByLabel('Senha', { exact: true }).fill(PRINCIPAL.password)
  await over.getByRole('button', { name: 'Entrar', exact: true }).click()
  await over.waitFor({ state: 'detached' })
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await expect.poll(() => page.getByRole('button', { name: /^Encerrar sessão: Chrome/ }).count()).toBe(before)
  await button(page, 'Encerrar as outras sessões').click()
  await button(page, 'Encerrar as outras sessões').waitFor({ state: 'detached' })
  await other.page.reload()
  await button(other.page, 'Entrar').waitFor()
  expect(complaints()).toEqual([])
  await other.context.close()
  await context.close()
})
