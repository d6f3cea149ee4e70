import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type AdminSite, startAdminSite } from './admin-site.ts'
import { Authenticator } from './authenticator.ts'
import { findFaults } from './find-faults.ts'
import { Mailbox } from './mailbox.ts'
import { PRINCIPAL } from './test-app.ts'

export interface AccountSite {
  admin: AdminSite
  mailbox: Mailbox
  /** Restores the principal's first password, without a second factor, and clears all limits. */
  restore(): Promise<void>
  close(): Promise<void>
}

/** The dashboard, and a mailbox that receives its emails. */
export async function startAccountSite(): Promise<AccountSite> {
  const mailbox = await Mailbox.open()
  const admin = await startAdminSite({ SMTP_URL: mailbox.url })
  const { db } = admin.site.database
  const first = await db.selectFrom('auth_users').select('password_hash').executeTakeFirstOrThrow()
  return {
    admin,
    mailbox,
    restore: async () => {
      await db.updateTable('auth_users').set(first).where('email', '=', PRINCIPAL.email).execute()
      await db.deleteFrom('auth_factors').execute()
      await admin.site.forgetLimits()
    },
    close: async () => {
      await admin.close()
      await mailbox.close()
    },
  }
}

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
export const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })

export async function expectAccessible(page: Page): Promise<void> {
  expect(await findFaults(page)).toEqual([])
}

export async function typePassword(page: Page, password = PRINCIPAL.password): Promise<void> {
  await page.getByLabel('Email').fill(PRINCIPAL.email)
  await page.getByLabel('Senha', { exact: true }).fill(password)
  await button(page, 'Entrar').click()
}

/** Activates the second factor through the screens. */
export async function enrol(page: Page): Promise<{ app: Authenticator; codes: string[] }> {
  await page.getByRole('link', { name: 'Minha conta', exact: true }).click()
  await button(page, 'Ativar').click()
  const dialog = page.getByRole('dialog')
  const secret = await dialog.locator('code').textContent()
  const app = new Authenticator((secret ?? '').replaceAll(' ', ''))
  await dialog.getByLabel('Código de 6 dígitos').fill(await app.next())
  await dialog.getByRole('button', { name: 'Ativar' }).click()
  await heading(page, 'Verificação em duas etapas ativada').waitFor()
  const codes = await dialog.getByRole('listitem').allTextContents()
  expect(codes).toHaveLength(10)
  return { app, codes }
}
