// Needs a browser: only a browser can use an authenticator.
import type { CDPSession, Page } from 'playwright-core'
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
import { readAnonKey } from '../support/hostile-site.ts'
import { PRINCIPAL } from '../support/test-app.ts'

let account: AccountSite
beforeAll(async () => {
  account = await startAccountSite()
})
afterAll(() => account.close())
afterEach(async () => {
  await account.admin.site.database.db.deleteFrom('auth_passkeys').execute()
  await account.restore()
})

interface Device {
  cdp: CDPSession
  authenticatorId: string
}

/** Chromium's virtual authenticator: a phone that recognises its owner. */
async function plugIn(page: Page): Promise<Device> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}

async function createKey(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Minha conta', exact: true }).click()
  await button(page, 'Criar chave de acesso').click()
  await page.getByText('Nunca usada').waitFor()
}

function askForKey(page: Page): Promise<string> {
  return page.evaluate(async () => {
    try {
      await navigator.credentials.get({ publicKey: { challenge: new Uint8Array(32), rpId: 'localhost' } })
      return 'given'
    } catch (error) {
      return (error as Error).name
    }
  })
}

test('creates a passkey, signs in without a password, emails about it, and removes it', async () => {
  const { page, context, complaints } = await account.admin.visit()
  await plugIn(page)
  await createKey(page)
  await expectAccessible(page)
  await account.mailbox.take(PRINCIPAL.email, 'Nova chave de acesso na sua conta')
  // The device has one already: the browser refuses, and nothing is added.
  await button(page, 'Criar chave de acesso').click()
  await page.getByText('Este dispositivo já tem uma chave de acesso desta conta.').waitFor()

  await button(page, 'Sair').click()
  await button(page, 'Entrar com chave de acesso').waitFor()
  await expectAccessible(page)
  await button(page, 'Entrar com chave de acesso').click()
  await button(page, 'Sair').waitFor()
  await page.reload()
  await button(page, 'Sair').waitFor()
  await page
    .getByText(/Último uso: /)
    .first()
    .waitFor()
  await page.getByRole('button', { name: /^Remover chave de acesso: Chrome/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remover' }).click()
  await page.getByText('Chave de acesso removida').waitFor()

  await button(page, 'Sair').click()
  await button(page, 'Entrar com chave de acesso').click()
  await page.getByText('Esta chave de acesso não vale mais. Entre com a senha.').waitFor()
  await expectAccessible(page)
  expect(complaints()).toEqual([])
  await context.close()
})

test('a passkey counts as both factors without a code; a device that does not verify its owner is refused', async () => {
  const { page, context } = await account.admin.visit({ options: PHONE })
  const { cdp, authenticatorId } = await plugIn(page)
  await createKey(page)
  await enrol(page)
  await button(page, 'Já guardei os códigos').click()
  await button(page, 'Sair').click()
  await button(page, 'Entrar com chave de acesso').click()
  await button(page, 'Sair').waitFor()
  expect(await heading(page, 'Confirme que é você').count()).toBe(0)
  await button(page, 'Sair').click()
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await button(page, 'Entrar com chave de acesso').click()
  await page.getByText('Nenhuma chave de acesso foi usada.').waitFor()
  await context.close()
})

/** As an integrating program does it: the dashboard itself creates no such factor. */
async function makeKeyTheSecondFactor(page: Page): Promise<void> {
  const credentials = { ...PRINCIPAL, apikey: await readAnonKey(account.admin.site.url) }
  await page.evaluate(async ({ apikey, ...who }) => {
    const headers: Record<string, string> = { apikey, 'content-type': 'application/json' }
    const send = async (path: string, body: object) =>
      (await fetch(`/auth/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
    const { access_token } = await send('token?grant_type=password', who)
    headers.authorization = `Bearer ${access_token}`
    const factor = await send('factors', { factor_type: 'webauthn', friendly_name: 'Chave' })
    const { id, webauthn } = await send(`factors/${factor.id}/challenge`, {})
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(webauthn.credential_options.publicKey)
    const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential
    await send(`factors/${factor.id}/verify`, {
      challenge_id: id,
      webauthn: { type: 'create', credential_response: made.toJSON() },
    })
  }, credentials)
}

test('signs in with a security key as the second factor, which can be removed', async () => {
  const { page, context } = await account.admin.visit({ options: PHONE })
  const { cdp, authenticatorId } = await plugIn(page)
  await makeKeyTheSecondFactor(page)
  await button(page, 'Sair').click()
  await typePassword(page)
  await heading(page, 'Confirme que é você').waitFor()
  await button(page, 'Usar chave de acesso').waitFor()
  expect(await page.getByLabel('Código de 6 dígitos').count()).toBe(0)
  await expectAccessible(page)
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await button(page, 'Usar chave de acesso').click()
  await page.getByText('Nenhuma chave de acesso foi usada.').waitFor()
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
  await button(page, 'Usar chave de acesso').click()
  await page.getByRole('link', { name: 'Minha conta', exact: true }).click()
  await page.getByText('pedimos a chave de acesso do seu dispositivo').waitFor()
  await button(page, 'Desativar').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Desativar' }).click()
  await page.getByText('Verificação em duas etapas desativada').waitFor()
  await context.close()
})

test('no code on the public page can request a passkey', async () => {
  const { page, context } = await account.admin.visit()
  await plugIn(page)
  await createKey(page)
  expect(await askForKey(page)).toBe('given')
  await page.goto(account.admin.site.url)
  expect(await askForKey(page)).toBe('NotAllowedError')
  await context.close()
})
