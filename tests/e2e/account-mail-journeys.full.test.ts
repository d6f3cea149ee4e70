// Needs a browser: emailed links are opened as pages, and their secrets must leave the address.
import { AuthClient } from '@supabase/auth-js'
import { createClient } from '@supabase/supabase-js'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { readKeys } from '../acceptance/auth-keys.ts'
import {
  type AccountSite,
  button,
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

test('a forgotten password: from the email’s link to the dashboard', async () => {
  const { page, context, complaints } = await account.admin.visit({ signedIn: false })
  await button(page, 'Esqueci minha senha').click()
  await expectAccessible(page)
  await button(page, 'Enviar e-mail').click()
  await page.getByText('Digite um e-mail válido.').waitFor()
  await page.getByLabel('Email').fill(PRINCIPAL.email)
  await button(page, 'Enviar e-mail').click()
  await heading(page, 'Confira seu e-mail').waitFor()
  await expectAccessible(page)

  const { link } = await account.mailbox.take(PRINCIPAL.email, 'Crie uma nova senha')
  await page.goto(link)
  await heading(page, 'Crie uma nova senha').waitFor()
  expect(page.url()).toBe(`${account.admin.site.url}/admin`)
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
  await page.getByText('O link ou código está incorreto ou venceu').waitFor()
  expect(complaints()).toEqual([])
  await context.close()
})

test('a forgotten password: an invalid link offers a new one, and the six digits work from another device', async () => {
  const { page, context, complaints } = await account.admin.visit({
    path: '/auth/v1/verify?token=x&type=recovery',
    signedIn: false,
    options: PHONE,
  })
  await heading(page, 'Este link não vale mais').waitFor()
  await expectAccessible(page)
  await button(page, 'Pedir novo link').click()
  await heading(page, 'Esqueci minha senha').waitFor()
  await page.getByLabel('Email').fill(PRINCIPAL.email)
  await button(page, 'Enviar e-mail').click()
  const { code } = await account.mailbox.take(PRINCIPAL.email, 'Crie uma nova senha')
  await page.getByLabel('Código enviado por e-mail').fill(code)
  await page.getByLabel('Nova senha', { exact: true }).fill(NEW_PASSWORD)
  await button(page, 'Salvar e entrar').click()
  await button(page, 'Sair').waitFor()
  expect(complaints()).toEqual([])
  await context.close()
})

test('a login link waits for confirmation, and works once', async () => {
  const keys = await readKeys(account.admin.site)
  const client = new AuthClient({
    url: `${account.admin.site.url}/auth/v1`,
    headers: { apikey: keys.anon },
    persistSession: false,
  })
  await client.signInWithOtp({ email: PRINCIPAL.email })
  const { link } = await account.mailbox.take(PRINCIPAL.email, 'Seu link para entrar')
  const { page, context, complaints } = await account.admin.visit({ signedIn: false })
  await page.goto(link)
  await heading(page, 'Entrar no painel').waitFor()
  await expectAccessible(page)
  await page.goto(link)
  await button(page, 'Entrar').click()
  await button(page, 'Sair').waitFor()
  await page.goto(link)
  await button(page, 'Entrar').click()
  await page.getByText('O link ou código está incorreto ou venceu').waitFor()
  await button(page, 'Ir para o login').click()
  await button(page, 'Sair').waitFor()
  expect(complaints()).toEqual([])
  await context.close()
})

test('a new address: the first mailbox confirms, the second completes it', async () => {
  const [email, newEmail] = ['ana@exemplo.com.br', 'ana.nova@exemplo.com.br']
  const keys = await readKeys(account.admin.site)
  const { auth } = createClient(account.admin.site.url, keys.service, { auth: { persistSession: false } })
  const { data } = await auth.admin.createUser({ email, password: NEW_PASSWORD, email_confirm: true })
  const { db } = account.admin.site.database
  const at = new Date().toISOString()
  await db
    .insertInto('admin_roles')
    .values({ user_id: data.user?.id ?? '', role: 'admin', created_at: at, updated_at: at })
    .execute()
  const client = new AuthClient({
    url: `${account.admin.site.url}/auth/v1`,
    headers: { apikey: keys.anon },
    persistSession: false,
  })
  await client.signInWithPassword({ email, password: NEW_PASSWORD })
  expect((await client.updateUser({ email: newEmail })).error).toBeNull()
  const [current, next] = [
    await account.mailbox.take(email, 'Confirme a alteração do seu e-mail'),
    await account.mailbox.take(newEmail, 'Confirme seu novo e-mail'),
  ]

  const { page, context, complaints } = await account.admin.visit({ signedIn: false })
  await page.goto(current.link)
  await button(page, 'Confirmar').click()
  await page.getByText('Agora confirme pelo link que enviamos ao outro.').waitFor()
  await expectAccessible(page)
  await page.goto(next.link)
  await button(page, 'Confirmar').click()
  await page.getByText(newEmail).waitFor()
  expect(complaints()).toEqual([])
  await context.close()
  await db.deleteFrom('auth_users').where('email', '=', newEmail).execute()
})
