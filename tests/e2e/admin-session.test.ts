// Needs a browser: several tabs, a shared link, the back button, and what a login leaves in storage.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdminSite, signIn, startAdminSite } from '../support/admin-site.ts'
import { PRINCIPAL } from '../support/test-app.ts'

let admin: AdminSite

beforeAll(async () => {
  admin = await startAdminSite()
})
afterAll(() => admin.close())

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
const leave = (page: Page) => page.getByRole('button', { name: 'Sair', exact: true })

test('the login is as described, and requires both fields', async () => {
  const { page, context, complaints } = await admin.visit({ signedIn: false })
  await heading(page, 'Admin Dashboard').waitFor()
  await page.getByText('Faça login para acessar o painel administrativo').waitFor()
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await page.getByText('Digite um e-mail válido.').waitFor()
  await page.getByText('Digite sua senha.').waitFor()

  const password = page.getByLabel('Senha', { exact: true })
  await password.fill('segredo')
  expect(await password.getAttribute('type')).toBe('password')
  await page.getByRole('button', { name: 'Mostrar senha' }).click()
  expect(await password.getAttribute('type')).toBe('text')
  await page.getByRole('button', { name: 'Ocultar senha' }).click()
  expect(await password.getAttribute('type')).toBe('password')
  expect(complaints()).toEqual([])
  await context.close()
})

test('refuses a wrong password in Portuguese; the right one opens the dashboard', async () => {
  const { page, context, complaints } = await admin.visit({ signedIn: false })
  await page.getByLabel('Email').fill(PRINCIPAL.email)
  await page.getByLabel('Senha', { exact: true }).fill('errada-demais')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('E-mail ou senha incorretos. Confira e tente novamente.').waitFor()
  await signIn(page)
  await heading(page, 'Gerenciar Pixels e Tags').waitFor()
  await page.getByText(PRINCIPAL.email).waitFor()
  expect(await page.title()).toBe('Pixels & Tags · Admin Dashboard Pórtico')
  expect(complaints()).toEqual([])
  await context.close()
})

test('the button says "Entrando..." while it waits', async () => {
  const { page, context } = await admin.visit({ signedIn: false })
  await page.getByLabel('Email').fill(PRINCIPAL.email)
  await page.getByLabel('Senha', { exact: true }).fill(PRINCIPAL.password)
  const held = Promise.withResolvers<void>()
  await page.route('**/auth/v1/token?*', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  const thinking = page.getByRole('button', { name: 'Entrando...', exact: true })
  await thinking.waitFor()
  expect(await thinking.isDisabled()).toBe(true)
  held.resolve()
  await leave(page).waitFor()
  await context.close()
})

test('a reload, a shared link and the back button lead to the right screen', async () => {
  const { page, context, complaints, networkNotes } = await admin.visit({ signedIn: 'by form' })
  await page.getByRole('link', { name: 'Usuários Admin' }).click()
  await heading(page, 'Gerenciar Usuários Admin').waitFor()
  expect(new URL(page.url()).pathname).toBe('/admin/usuarios')
  await page.reload()
  await heading(page, 'Gerenciar Usuários Admin').waitFor()
  await page.getByRole('link', { name: 'Configurações' }).click()
  await page.getByText('Configurações do sistema em desenvolvimento').waitFor()
  await page.goBack()
  await heading(page, 'Gerenciar Usuários Admin').waitFor()
  await page.goto(`${admin.site.url}/admin/configuracoes`)
  await page.getByText('Configurações do sistema em desenvolvimento').waitFor()
  expect(complaints()).toEqual([])
  expect(networkNotes()).toEqual([])
  await context.close()
})

test('leaves nothing of the session where a tag on the page could find it', async () => {
  const { page, context } = await admin.visit({ signedIn: 'by form' })
  await page.reload()
  await leave(page).waitFor()
  const found = await page.evaluate(async () => ({
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    databases: (await indexedDB.databases()).length,
    caches: await caches.keys(),
    history: history.state,
    name: window.name,
    boot: document.getElementById('portico-boot'),
    html: /access_token|refresh_token/.test(document.documentElement.outerHTML),
  }))
  expect(found).toEqual({
    local: [],
    session: [],
    databases: 0,
    caches: [],
    history: null,
    name: '',
    boot: null,
    html: false,
  })
  await context.close()
})

test('"Sair" ends every tab of the browser', async () => {
  const { page, context, complaints } = await admin.visit({ signedIn: 'by form' })
  const other = await context.newPage()
  await other.goto(`${admin.site.url}/admin/usuarios`)
  await heading(other, 'Gerenciar Usuários Admin').waitFor()

  await page.bringToFront()
  await leave(page).click()
  await page.getByRole('button', { name: 'Entrar', exact: true }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Entrar', exact: true }).waitFor()

  await other.bringToFront()
  await other.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await other.getByRole('dialog', { name: 'Sua sessão expirou' }).waitFor()
  await other.reload()
  await other.getByText('Faça login para acessar o painel administrativo').waitFor()
  expect(complaints()).toEqual([])
  await context.close()
})

test('a revoked session shows the login over the page, and what was typed is kept', async () => {
  const { page, context, complaints } = await admin.visit({ signedIn: 'by form' })
  await page.getByRole('button', { name: 'Adicionar Pixel' }).first().click()
  await page.getByLabel('Nome do Pixel').fill('Rascunho')
  await page.getByLabel('Pixel ID').fill('482910377165024')
  await admin.site.database.db.deleteFrom('auth_logins').execute()
  await admin.site.database.db.deleteFrom('auth_sessions').execute()

  // By keyboard: a refresh may notice the ended session first, and its dialog then covers the button.
  await page.keyboard.press('Enter')
  const login = page.getByRole('dialog', { name: 'Sua sessão expirou' })
  await login.waitFor()
  await page.keyboard.press('Escape')
  expect(await login.getByLabel('Email').inputValue()).toBe(PRINCIPAL.email)
  // By mouse: the click is outside of the form underneath, and must not close it.
  await login.getByLabel('Senha', { exact: true }).click()
  expect(await page.getByRole('alertdialog').count()).toBe(0)
  await page.keyboard.type(PRINCIPAL.password)
  await page.keyboard.press('Enter')
  await login.waitFor({ state: 'detached' })

  expect(await page.getByLabel('Nome do Pixel').inputValue()).toBe('Rascunho')
  await page.getByRole('button', { name: 'Salvar' }).click()
  await page
    .getByRole('cell', { name: /Rascunho/ })
    .first()
    .waitFor()
  expect(complaints()).toEqual([])
  await context.close()
})

test('refuses an account without an admin role with a message', async () => {
  const email = 'visitante@portico.example'
  const { db } = admin.site.database
  const principal = await db
    .selectFrom('auth_users')
    .selectAll()
    .where('email', '=', PRINCIPAL.email)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('auth_users')
    .values({
      ...principal,
      id: crypto.randomUUID(),
      email,
      user_metadata: '{}',
      app_metadata: '{}',
    })
    .execute()
  const { page, context, complaints } = await admin.visit({ signedIn: false })
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Senha', { exact: true }).fill(PRINCIPAL.password)
  await page.keyboard.press('Enter')
  await page
    .getByRole('alert')
    .getByText('Sua conta não tem acesso administrativo. Peça acesso a um administrador.')
    .waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)
  await page.reload()
  await page.getByRole('button', { name: 'Entrar', exact: true }).waitFor()
  expect(complaints()).toEqual([])
  await context.close()
})
