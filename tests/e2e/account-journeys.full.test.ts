// Needs a browser: the login's cookie, a QR code that is drawn, a download, and a reload in the middle of a login.
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
import { PRINCIPAL } from '../support/test-app.ts'

const NEW_PASSWORD = 'varanda-azulejo-27'

let account: AccountSite
beforeAll(async () => {
  account = await startAccountSite()
})
afterAll(() => account.close())
afterEach(() => account.restore())

test('second factor: activated, required at the next login, kept over a reload, and removed', async () => {
  const { page, context, complaints } = await account.admin.visit()
  await page.getByRole('link', { name: 'Minha conta', exact: true }).click()
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
  // Nothing is left where a tag on the page could find it.
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
  await button(page, 'Já guardei os códigos').click()
  await page.getByText('Você ainda tem 10 códigos de recuperação.').waitFor()
  await expectAccessible(page)

  await button(page, 'Sair').click()
  await typePassword(page)
  await heading(page, 'Confirme que é você').waitFor()
  await expectAccessible(page)
  await page.reload()
  await heading(page, 'Confirme que é você').waitFor()
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

test('one’s own password requires the current one', async () => {
  const { page, context, complaints } = await account.admin.visit({ path: '/admin/conta' })
  await button(page, 'Alterar senha').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Senha atual', { exact: true }).fill('nao-e-esta-senha')
  await dialog.getByLabel('Nova senha', { exact: true }).fill(NEW_PASSWORD)
  await dialog.getByRole('button', { name: 'Alterar senha' }).click()
  await dialog.getByText('A senha atual está incorreta. Confira e tente novamente.').waitFor()
  await expectAccessible(page)
  for (const [current, next] of [
    [PRINCIPAL.password, NEW_PASSWORD],
    [NEW_PASSWORD, PRINCIPAL.password],
  ] as const) {
    if (!(await dialog.isVisible())) await button(page, 'Alterar senha').click()
    await dialog.getByLabel('Senha atual', { exact: true }).fill(current)
    await dialog.getByLabel('Nova senha', { exact: true }).fill(next)
    await dialog.getByRole('button', { name: 'Alterar senha' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  expect(complaints()).toEqual([])
  await context.close()
})
