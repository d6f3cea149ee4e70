import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { insertPixels, removePixels } from '../support/admin-data.ts'
import { type AdminSite, startAdminSite, type Visit } from '../support/admin-site.ts'
import { loadParts } from '../support/load-parts.ts'
import { PRINCIPAL } from '../support/test-app.ts'
import { until } from '../support/until.ts'

let admin: AdminSite
let visit: Visit
let stopped = false

beforeAll(async () => {
  admin = await startAdminSite()
})
afterAll(() => admin.close())
afterEach(async () => {
  const complaints = visit.complaints()
  await visit.context.close()
  await resume()
  await removePixels(admin.site.database.db)
  expect(complaints).toEqual([])
})

const TODAY = 'features/overview/today-strip.tsx'

/** Code that is not in the page from the start is asked for once there is time; what is tried here is a server that goes after it came. */
const untilAsked = (part: string) =>
  until(
    visit.page,
    (name) => performance.getEntriesByType('resource').some((entry) => entry.name.includes(name)),
    `/${part}-`,
  )

const stop = async () => {
  await admin.stop()
  stopped = true
}
const resume = async () => {
  if (stopped) await admin.resume()
  stopped = false
}

test('login: "Erro ao fazer login" while the server is away, and in once it is back', async () => {
  visit = await admin.visit({ signedIn: false })
  const { page } = visit
  await page.getByLabel('Email').fill(PRINCIPAL.email)
  await page.getByLabel('Senha', { exact: true }).fill(PRINCIPAL.password)
  await stop()
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  const box = page.getByRole('alert')
  await box.getByText('Erro ao fazer login', { exact: true }).waitFor()
  await box.getByText('Verifique sua conexão').waitFor()
  await resume()
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await page.getByRole('button', { name: 'Sair', exact: true }).waitFor()
})

test('pixels: toggle, save and delete fail visibly, change nothing, and can be tried again', async () => {
  await insertPixels(admin.site.database.db, [{ name: 'Meta' }])
  visit = await admin.visit()
  const { page } = visit
  await page.getByRole('switch', { name: 'Ativo: Meta' }).waitFor()
  await untilAsked('pixel-form')
  const parts = ['form/pixel-form', 'delete-pixel-dialog'].map((part) => `features/pixels/${part}.tsx`)
  await loadParts(page, TODAY, ...parts)
  await stop()

  await page.getByRole('switch', { name: 'Ativo: Meta' }).click()
  await page.getByText('Não deu para desativar o pixel Meta.').waitFor()
  await page.getByRole('switch', { name: 'Ativo: Meta' }).waitFor()

  await page.getByRole('button', { name: 'Editar: Meta' }).click()
  await page.getByLabel('Nome do Pixel').fill('Outro')
  await page.getByRole('button', { name: 'Salvar' }).click()
  await page.getByRole('dialog').getByText('Erro ao salvar pixel', { exact: true }).waitFor()
  expect(await page.getByLabel('Nome do Pixel').inputValue()).toBe('Outro')
  await resume()
  await page.getByRole('button', { name: 'Salvar' }).click()
  await page.getByRole('switch', { name: 'Ativo: Outro' }).waitFor()

  await stop()
  await page.getByRole('button', { name: 'Excluir: Outro' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Excluir' }).click()
  const toast = page.getByRole('listitem').filter({ hasText: 'Não deu para excluir o pixel Outro.' })
  await toast.waitFor()
  await resume()
  await toast.getByRole('button', { name: 'Tentar novamente' }).click()
  await page.getByText('Pixel excluído: Outro').waitFor()
  await page.getByText('Nenhum pixel configurado').waitFor()
})

test('users: the agreed texts for save and delete', async () => {
  visit = await admin.visit({ path: '/admin/usuarios' })
  const { page } = visit
  await page.getByRole('button', { name: 'Adicionar Admin' }).click()
  await page.getByLabel('Email').fill('bia@portico.example')
  await page.getByLabel('Senha', { exact: true }).fill('janela-verde-oceano-41')
  await stop()
  await page.getByRole('button', { name: 'Salvar' }).click()
  await page.getByRole('dialog').getByText('Erro ao salvar usuário', { exact: true }).waitFor()
  await resume()
  await page.getByRole('button', { name: 'Salvar' }).click()
  await page.getByRole('button', { name: 'Excluir: bia@portico.example' }).waitFor()
  await stop()
  await page.getByRole('button', { name: 'Excluir: bia@portico.example' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Excluir' }).click()
  await page.getByText('Erro ao excluir usuário', { exact: true }).waitFor()
})

test('lists: a server that is away is said so, with a way to try again', async () => {
  visit = await admin.visit({ path: '/admin/configuracoes' })
  const { page } = visit
  await untilAsked('admin-users-screen')
  await loadParts(page, TODAY, 'features/admin-users/admin-users-screen.tsx')
  await stop()
  // The data client itself repeats a lost read three times, for seven seconds in all.
  await page.clock.install()
  await page.getByRole('link', { name: 'Pixels & Tags' }).click()
  await page.getByText('Carregando pixels').waitFor({ state: 'attached' })
  for (let second = 0; second < 10; second += 1) {
    await page.clock.runFor(1000)
  }
  await page.getByRole('alert').getByText('Não deu para carregar os pixels.').waitFor()
  await page.getByRole('link', { name: 'Usuários Admin' }).click()
  for (let second = 0; second < 10; second += 1) {
    await page.clock.runFor(1000)
  }
  await page.getByRole('alert').getByText('Não deu para carregar os usuários.').waitFor()
  await resume()
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await page.clock.runFor(1000)
  await page.getByRole('row', { name: new RegExp(PRINCIPAL.email) }).waitFor()
})

test('"Sair" without a server says that it is not done yet, and finishes when it can', async () => {
  await admin.site.database.db.deleteFrom('auth_logins').execute()
  // By the form, whose code is then there without a server.
  visit = await admin.visit({ signedIn: 'by form' })
  const { page } = visit
  await loadParts(page, TODAY)
  await stop()
  await page.getByRole('button', { name: 'Sair', exact: true }).click()
  await page.getByText('Faça login para acessar o painel administrativo').waitFor()
  await page.getByText('O servidor ainda não encerrou sua sessão neste navegador.').waitFor()
  await resume()
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect.poll(() => admin.site.database.db.selectFrom('auth_logins').select('id').execute()).toEqual([])
  await page.reload()
  await page.getByRole('button', { name: 'Entrar', exact: true }).waitFor()
})
