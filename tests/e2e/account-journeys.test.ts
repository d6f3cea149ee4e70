import { AuthClient } from '@supabase/auth-js'
import { createClient } from '@supabase/supabase-js'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { readKeys } from '../acceptance/auth-keys.ts'
import { type AdminSite, signIn, startAdminSite } from '../support/admin-site.ts'
import { Authenticator } from '../support/authenticator.ts'
import { PHONE } from '../support/browser.ts'
import { findFaults } from '../support/find-faults.ts'
import { Mailbox } from '../support/mailbox.ts'
import { PRINCIPAL } from '../support/test-app.ts'

const NEW_PASSWORD = 'varanda-azulejo-27'

let admin: AdminSite
let mailbox: Mailbox
let firstHash: string | null

beforeAll(async () => {
  mailbox = await Mailbox.open()
  admin = await startAdminSite({ SMTP_URL: mailbox.url })
  const { db } = admin.site.database
  firstHash = (await db.selectFrom('auth_users').select('password_hash').executeTakeFirstOrThrow())
    .password_hash
})
afterAll(async () => {
  await admin.close()
  await mailbox.close()
})
afterEach(async () => {
  const { db } = admin.site.database
  await db
    .updateTable('auth_users')
    .set({ password_hash: firstHash })
    .where('email', '=', PRINCIPAL.email)
    .execute()
  await db.deleteFrom('auth_factors').execute()
  await admin.site.forgetLimits()
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })

async function expectAccessible(page: Page): Promise<void> {
  expect(await findFaults(page)).toEqual([])
}

async function typePassword(page: Page, password = PRINCIPAL.password): Promise<void> {
  await page.getByLabel('Email').fill(PRINCIPAL.email)
  await page.getByLabel('Senha', { exact: true }).fill(password)
  await button(page, 'Entrar').click()
}

/** Switches the second factor on through the screens. */
async function enrol(page: Page): Promise<{ app: Authenticator; codes: string[] }> {
  await page.getByRole('link', { name: 'Minha conta' }).click()
  await button(page, 'Ativar').click()
  const dialog = page.getByRole('dialog')
  const secret = await dialog.locator('code').textContent()
  const app = new Authenticator((secret ?? '').replaceAll(' ', ''))
  await dialog.getByLabel('Código de 6 dígitos').fill(await app.next())
  await dialog.getByRole('button', { name: 'Ativar' }).click()
  await heading(page, 'Verificação ativada').waitFor()
  const codes = await dialog.getByRole('listitem').allTextContents()
  expect(codes).toHaveLength(10)
  return { app, codes }
}

test('a forgotten password: from the mail’s link to the dashboard', async () => {
  const { page, context, complaints } = await admin.visit({ signedIn: false })
  await button(page, 'Esqueci minha senha').click()
  await expectAccessible(page)
  await button(page, 'Enviar link').click()
  await page.getByText('Digite um e-mail válido.').waitFor()
  await page.getByLabel('Email').fill(PRINCIPAL.email)
  await button(page, 'Enviar link').click()
  await heading(page, 'Confira seu e-mail').waitFor()
  await expectAccessible(page)

  const { link } = await mailbox.take(PRINCIPAL.email, 'Crie uma nova senha')
  await page.goto(link)
  await heading(page, 'Crie uma nova senha').waitFor()
  expect(page.url()).toBe(`${admin.site.url}/admin`)
  await expectAccessible(page)
  await page.getByLabel('Nova senha', { exact: true }).fill('senha123')
  await button(page, 'Salvar e entrar').click()
  await page.getByText('Esta senha é comum ou já vazou').waitFor()
  await page.getByLabel('Nova senha', { exact: true }).fill(NEW_PASSWORD)
  await button(page, 'Salvar e entrar').click()
  await button(page, 'Sair').waitFor()
  await page.reload()
  await button(page, 'Sair').click()
  await typePassword(page, PRINCIPAL.password)
  await page.getByText('E-mail ou senha incorretos').waitFor()
  await typePassword(page, NEW_PASSWORD)
  await button(page, 'Sair').waitFor()

  await page.goto(link)
  await page.getByLabel('Nova senha', { exact: true }).fill(PRINCIPAL.password)
  await button(page, 'Salvar e entrar').click()
  await page.getByText('O link ou o código está errado ou não vale mais').waitFor()
  expect(complaints()).toEqual([])
  await context.close()
})

test('a forgotten password: a link that leads nowhere offers a new one, and the six digits do from another device', async () => {
  const { page, context, complaints } = await admin.visit({
    path: '/auth/v1/verify?token=x&type=recovery',
    signedIn: false,
    options: PHONE,
  })
  await heading(page, 'Este link não vale mais').waitFor()
  await expectAccessible(page)
  await button(page, 'Pedir um novo link').click()
  await heading(page, 'Esqueci minha senha').waitFor()
  await page.getByLabel('Email').fill(PRINCIPAL.email)
  await button(page, 'Enviar link').click()
  const { code } = await mailbox.take(PRINCIPAL.email, 'Crie uma nova senha')
  await page.getByLabel('Código do e-mail').fill(code)
  await page.getByLabel('Nova senha', { exact: true }).fill(NEW_PASSWORD)
  await button(page, 'Salvar e entrar').click()
  await button(page, 'Sair').waitFor()
  expect(complaints()).toEqual([])
  await context.close()
})

test('a link to enter waits for the person’s word, and works once', async () => {
  const keys = await readKeys(admin.site)
  const client = new AuthClient({
    url: `${admin.site.url}/auth/v1`,
    headers: { apikey: keys.anon },
    persistSession: false,
  })
  await client.signInWithOtp({ email: PRINCIPAL.email })
  const { link } = await mailbox.take(PRINCIPAL.email, 'Seu link para entrar')
  const { page, context, complaints } = await admin.visit({ signedIn: false })
  await page.goto(link)
  await heading(page, 'Entrar no painel').waitFor()
  await expectAccessible(page)
  await page.goto(link)
  await button(page, 'Entrar').click()
  await button(page, 'Sair').waitFor()
  await page.goto(link)
  await button(page, 'Entrar').click()
  await page.getByText('O link ou o código está errado ou não vale mais').waitFor()
  await button(page, 'Ir para o login').click()
  await button(page, 'Sair').waitFor()
  expect(complaints()).toEqual([])
  await context.close()
})

test('a new address: the first mailbox confirms, the second completes it', async () => {
  const [email, newEmail] = ['ana@exemplo.com.br', 'ana.nova@exemplo.com.br']
  const keys = await readKeys(admin.site)
  const { auth } = createClient(admin.site.url, keys.service, { auth: { persistSession: false } })
  const { data } = await auth.admin.createUser({ email, password: NEW_PASSWORD, email_confirm: true })
  const { db } = admin.site.database
  const at = new Date().toISOString()
  await db
    .insertInto('admin_roles')
    .values({ user_id: data.user?.id ?? '', role: 'admin', created_at: at, updated_at: at })
    .execute()
  const client = new AuthClient({
    url: `${admin.site.url}/auth/v1`,
    headers: { apikey: keys.anon },
    persistSession: false,
  })
  await client.signInWithPassword({ email, password: NEW_PASSWORD })
  expect((await client.updateUser({ email: newEmail })).error).toBeNull()
  const [current, next] = [
    await mailbox.take(email, 'Autorize a troca do seu e-mail'),
    await mailbox.take(newEmail, 'Confirme seu novo e-mail'),
  ]

  const { page, context, complaints } = await admin.visit({ signedIn: false })
  await page.goto(current.link)
  await button(page, 'Confirmar').click()
  await page.getByText('Falta confirmar pelo link enviado ao outro.').waitFor()
  await expectAccessible(page)
  await page.goto(next.link)
  await button(page, 'Confirmar').click()
  await page.getByText(newEmail).waitFor()
  expect(complaints()).toEqual([])
  await context.close()
  await db.deleteFrom('auth_users').where('email', '=', newEmail).execute()
})

test('second factor: on, asked for at the next login, kept over a reload, and off again', async () => {
  const { page, context, complaints } = await admin.visit()
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
  const { page, context, complaints } = await admin.visit()
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
  await button(page, 'Enviar link').click()
  const { link } = await mailbox.take(PRINCIPAL.email, 'Crie uma nova senha')
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
  const { page, context } = await admin.visit()
  const { app } = await enrol(page)
  await button(page, 'Guardei os códigos').click()
  await page.getByRole('link', { name: 'Usuários Admin' }).click()
  await button(page, 'Adicionar Admin').click()
  await page.getByRole('dialog').getByLabel('Email').fill('rascunho@exemplo.com.br')
  await admin.site.database.db.deleteFrom('auth_logins').execute()
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
  const { page, context, complaints } = await admin.visit({ path: '/admin/conta' })
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
  const other = await admin.visit({ options: PHONE })
  const { page, context, complaints } = await admin.visit({ path: '/admin/conta' })
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
