// Needs a browser: an administrator's journey, and the logins that follow.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { SITE_TIME_ZONE } from '#contract/site.ts'
import { type AdminSite, signIn, startAdminSite, type Visit } from '../support/admin-site.ts'
import { PRINCIPAL } from '../support/test-app.ts'

const ANA = { email: 'ana@portico.example', password: 'janela-verde-oceano-41' }

let admin: AdminSite
let visit: Visit
let page: Page

beforeAll(async () => {
  admin = await startAdminSite()
  visit = await admin.visit({ path: '/admin/usuarios' })
  page = visit.page
})
afterAll(async () => {
  expect(visit.complaints()).toEqual([])
  await admin.close()
})
beforeEach(async () => {
  await admin.site.database.db.deleteFrom('auth_users').where('email', '!=', PRINCIPAL.email).execute()
  await page.goto(`${admin.site.url}/admin/usuarios`)
  await page.getByRole('heading', { name: 'Gerenciar Usuários Admin' }).waitFor()
})

const save = () => page.getByRole('button', { name: 'Salvar', exact: true }).click()
const add = async ({ email, password } = ANA) => {
  await page.getByRole('button', { name: 'Adicionar Admin' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Senha', { exact: true }).fill(password)
  await save()
  await row(email).waitFor()
}
const row = (email: string) => page.getByRole('row', { name: new RegExp(email) })

test('adds an admin, shown as described, who can sign in', async () => {
  await page.getByText('Adicione e gerencie usuários com acesso administrativo').waitFor()
  await add()
  expect(await page.getByRole('columnheader').allTextContents()).toEqual([
    'Usuário',
    'Função',
    'Criado em',
    'Ações',
  ])
  const { id, created_at } = await admin.site.database.db
    .selectFrom('auth_users')
    .select(['id', 'created_at'])
    .where('email', '=', ANA.email)
    .executeTakeFirstOrThrow()
  await row(ANA.email)
    .getByText(`${id.slice(0, 8)}…`, { exact: true })
    .waitFor()
  await row(ANA.email).getByText('Admin', { exact: true }).waitFor()
  await row(ANA.email)
    .getByText(new Intl.DateTimeFormat('pt-BR', { timeZone: SITE_TIME_ZONE }).format(new Date(created_at)))
    .waitFor()

  const hers = await admin.visit({ signedIn: false })
  await signIn(hers.page, ANA)
  await hers.context.close()
})

test('the form requires its fields, and says why a password is refused', async () => {
  await page.getByRole('button', { name: 'Adicionar Admin' }).click()
  const dialog = page.getByRole('dialog', { name: 'Adicionar Novo Admin' })
  expect((await dialog.boundingBox())?.width).toBeLessThanOrEqual(448)
  expect(await page.getByLabel('Função').locator('option').allTextContents()).toEqual([
    'Admin',
    'Super Admin',
  ])
  await save()
  await page.getByText('Digite um e-mail válido.').waitFor()
  await page.getByText('Digite uma senha.').waitFor()
  await page.getByLabel('Email').fill(ANA.email)
  await page.getByLabel('Senha', { exact: true }).fill('curta')
  await page.getByText('Use de 8 a 128 caracteres.').waitFor()
  await page.getByLabel('Senha', { exact: true }).fill('12345678')
  await save()
  await dialog
    .getByRole('alert')
    .getByText('Esta senha é comum ou já vazou na internet. Escolha outra.')
    .waitFor()
  await page.getByLabel('Email').fill(PRINCIPAL.email)
  await page.getByLabel('Senha', { exact: true }).fill(ANA.password)
  await save()
  await dialog
    .getByRole('alert')
    .getByText('Já existe um usuário com este e-mail. Use outro e-mail.')
    .waitFor()
  await page.getByRole('button', { name: 'Cancelar' }).click()
  await page.getByRole('button', { name: 'Descartar' }).click()
})

test('an edit changes email, role and password; an empty password keeps the old one', async () => {
  await add()
  await page.getByRole('button', { name: `Editar: ${ANA.email}` }).click()
  await page.getByRole('dialog', { name: 'Editar Usuário Admin' }).waitFor()
  await page.getByLabel('Email').fill('ana.lima@portico.example')
  await page.getByLabel('Função').selectOption('super_admin')
  expect(await page.getByLabel('Nova Senha (deixe em branco para manter)').inputValue()).toBe('')
  await save()
  await row('ana.lima@').getByText('Super Admin', { exact: true }).waitFor()

  const hers = await admin.visit({ signedIn: false })
  await signIn(hers.page, { email: 'ana.lima@portico.example', password: ANA.password })
  await hers.context.close()

  await page.getByRole('button', { name: 'Editar: ana.lima@' }).click()
  await page.getByLabel('Nova Senha (deixe em branco para manter)').fill('trilho-pedra-nuvem-77')
  await save()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const again = await admin.visit({ signedIn: false })
  await signIn(again.page, { email: 'ana.lima@portico.example', password: 'trilho-pedra-nuvem-77' })
  await again.context.close()
})

test('protects the principal', async () => {
  await row(PRINCIPAL.email).getByText('Principal', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: `Excluir: ${PRINCIPAL.email}` }).count()).toBe(0)
  expect(await page.getByText('Não é possível excluir o usuário administrador principal.').count()).toBe(1)
  await page.getByRole('button', { name: `Editar: ${PRINCIPAL.email}` }).click()
  await page
    .getByText('Este é o usuário administrador principal. Email e função não podem ser alterados.')
    .waitFor()
  expect(await page.getByLabel('Email').isDisabled()).toBe(true)
  expect(await page.getByLabel('Função').isDisabled()).toBe(true)
  await save()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('deleting asks with the agreed text, and ends the access at once', async () => {
  await add()
  const hers = await admin.visit({ signedIn: false })
  await signIn(hers.page, ANA)
  await page.getByRole('button', { name: `Excluir: ${ANA.email}` }).click()
  const question = page.getByRole('alertdialog', { name: 'Tem certeza que deseja excluir este usuário?' })
  expect(await question.locator(':focus').textContent()).toBe('Cancelar')
  await question.getByRole('button', { name: 'Excluir' }).click()
  await page.getByText(`Usuário excluído: ${ANA.email}`).waitFor()
  expect(await row(ANA.email).count()).toBe(0)

  await hers.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await hers.page.getByRole('dialog', { name: 'Sua sessão expirou' }).waitFor()
  await hers.context.close()
})

test('people may delete their own account, and are then signed out', async () => {
  await add()
  const hers = await admin.visit({ signedIn: false, path: '/admin/usuarios' })
  await signIn(hers.page, ANA)
  await hers.page.getByRole('button', { name: `Excluir: ${ANA.email}` }).click()
  await hers.page.getByRole('alertdialog').getByRole('button', { name: 'Excluir' }).click()
  await hers.page.getByText('Sua conta foi excluída.').waitFor()
  await hers.page.reload()
  await hers.page.getByRole('button', { name: 'Entrar', exact: true }).waitFor()
  await hers.context.close()
})

test('editing oneself shows the new address in the header, and keeps the session', async () => {
  await add()
  const hers = await admin.visit({ signedIn: false, path: '/admin/usuarios' })
  await signIn(hers.page, ANA)
  await hers.page.getByRole('button', { name: `Editar: ${ANA.email}` }).click()
  await hers.page.getByLabel('Email').fill('ana.nova@portico.example')
  await hers.page.getByRole('button', { name: 'Salvar' }).click()
  await hers.page.getByText('Para alterar sua própria conta, digite sua senha atual.').waitFor()
  await hers.page.getByLabel('Sua senha atual').fill('nao-e-esta-senha')
  await hers.page.getByRole('button', { name: 'Salvar' }).click()
  await hers.page.getByText('A senha atual está incorreta. Confira e tente novamente.').waitFor()
  await hers.page.getByLabel('Sua senha atual').fill(ANA.password)
  await hers.page.getByRole('button', { name: 'Salvar' }).click()
  await hers.page.getByRole('banner').getByText('ana.nova@portico.example').waitFor()
  await hers.context.close()
})
