// Needs a browser: the real server stops, with the browser's connections and the login's cookie.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdminSite, startAdminSite } from '../support/admin-site.ts'
import { loadParts } from '../support/load-parts.ts'

let admin: AdminSite
beforeAll(async () => {
  admin = await startAdminSite()
})
afterAll(() => admin.close())

test('"Sair" without a server says that it is not done yet, and finishes later', async () => {
  await admin.site.database.db.deleteFrom('auth_logins').execute()
  // By the form, whose code is then there without a server.
  const { page, complaints } = await admin.visit({ signedIn: 'by form' })
  await loadParts(page, 'today', 'auth', 'forms')
  await admin.stop()
  await page.getByRole('button', { name: 'Sair', exact: true }).click()
  await page.getByText('Faça login para acessar o painel administrativo').waitFor()
  await page.getByText('Não foi possível encerrar sua sessão neste navegador.').waitFor()
  await admin.resume()
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect.poll(() => admin.site.database.db.selectFrom('auth_logins').select('id').execute()).toEqual([])
  await page.reload()
  await page.getByRole('button', { name: 'Entrar', exact: true }).waitFor()
  expect(complaints()).toEqual([])
})
