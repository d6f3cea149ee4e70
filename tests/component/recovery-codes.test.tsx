import { cleanup, screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { openDashboard } from '../support/render-dashboard.tsx'
import { MARINA } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const MAKE = 'POST /admin/api/recovery-codes'
const QUESTION = 'Já guardou os códigos?'

let site: ScriptedSite
let person: UserEvent

beforeEach(async () => {
  site = new ScriptedSite()
  site.factors = [{ id: 'f1', status: 'verified', factor_type: 'totp', friendly_name: 'Celular' }]
  const session = site.sessionOf
  site.sessionOf = (user) => session.call(site, user, 'aal2')
  site.answer('GET /auth/v1/passkeys', () => [
    { id: 'p1', friendly_name: 'Celular da Marina', created_at: '2026-11-01T12:00:00.000Z' },
  ])
  person = (await openDashboard(site, { path: '/admin/conta' })).person
})

async function askForCodes(): Promise<void> {
  await person.click(await screen.findByRole('button', { name: 'Gerar novos códigos' }))
}
const question = () => screen.findByRole('alertdialog', { name: 'Gerar novos códigos de recuperação?' })
const codes = () => screen.findByRole('dialog', { name: 'Novos códigos de recuperação' })

test('makes nothing before the person has confirmed that the old ones may go', async () => {
  await askForCodes()
  await person.click(within(await question()).getByRole('button', { name: 'Cancelar' }))
  expect(site.callsTo(MAKE)).toEqual([])
})

test('a double click makes one set', async () => {
  await askForCodes()
  const held = site.hold(MAKE)
  await person.dblClick(within(await question()).getByRole('button', { name: 'Gerar novos códigos' }))
  // The button behind the question also makes one set at a time.
  await person.click(await screen.findByRole('button', { name: /^Gerar novos códigos|Gerando\.\.\./ }))
  await vi.advanceTimersByTimeAsync(100)
  for (const call of held) call.release()
  await codes()
  expect(site.callsTo(MAKE)).toHaveLength(1)
})

test.each([
  ['Escape', () => person.keyboard('{Escape}')],
  ['a click outside', () => person.click(document.querySelector('[data-overlay]') as Element)],
  ['the X', () => person.click(screen.getByRole('button', { name: 'Fechar' }))],
])('%s does not end their only display', async (_name, leave) => {
  await askForCodes()
  await person.click(within(await question()).getByRole('button', { name: 'Gerar novos códigos' }))
  await codes()
  await leave()
  const ask = await screen.findByRole('alertdialog', { name: QUESTION })
  await person.click(within(ask).getByRole('button', { name: 'Voltar aos códigos' }))
  expect(within(await codes()).getAllByRole('listitem')).toHaveLength(10)
  await person.click(screen.getByRole('button', { name: 'Já guardei os códigos' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

test('can be copied and downloaded', async () => {
  await askForCodes()
  await person.click(within(await question()).getByRole('button', { name: 'Gerar novos códigos' }))
  await person.click(within(await codes()).getByRole('button', { name: 'Copiar' }))
  expect(await navigator.clipboard.readText()).toContain('aaaa0-bbbb0\naaaa1-bbbb1')
  await screen.findByRole('button', { name: 'Copiado' })
  const made = vi.spyOn(URL, 'createObjectURL')
  const revoked = vi.spyOn(URL, 'revokeObjectURL')
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  await person.click(screen.getByRole('button', { name: 'Baixar' }))
  expect((clicked.mock.contexts[0] as HTMLAnchorElement).download).toMatch(/\.txt$/)
  // The browser may still be writing it.
  expect(revoked).not.toHaveBeenCalled()
  const [file] = made.mock.calls[0] ?? []
  expect(file instanceof Blob && (await file.text())).toContain('aaaa9-bbbb9')
})

/** The window becomes visible, and its request fails. */
async function failRefresh(route: string): Promise<void> {
  site.refuse(route, 403)
  const before = site.callsTo(route).length
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  await waitFor(() => expect(site.callsTo(route).length).toBeGreaterThan(before))
  await vi.advanceTimersByTimeAsync(1000)
}

test('keeps codes on the screen when a refresh fails', async () => {
  await askForCodes()
  await person.click(within(await question()).getByRole('button', { name: 'Gerar novos códigos' }))
  await codes()
  await failRefresh('GET /admin/api/recovery-codes')
  expect(within(await codes()).getAllByRole('listitem')).toHaveLength(10)
  expect(screen.queryByText('Não foi possível carregar esta configuração.')).toBeNull()
})

test('keeps the list of logins when a refresh fails, without an error', async () => {
  await screen.findByText('Esta sessão')
  await failRefresh('GET /admin/api/logins')
  screen.getByText('Esta sessão')
  expect(screen.queryByText('Não foi possível carregar suas sessões.')).toBeNull()
  expect(screen.queryByRole('alert')).toBeNull()
})

test('keeps the list of passkeys when a refresh fails, without an error', async () => {
  await screen.findByText('Celular da Marina')
  await failRefresh('GET /auth/v1/passkeys')
  screen.getByText('Celular da Marina')
  expect(screen.queryByText('Não foi possível carregar suas chaves de acesso.')).toBeNull()
  expect(screen.queryByRole('alert')).toBeNull()
})

describe('activating it', () => {
  const FACTOR = { id: 'f2', type: 'totp', friendly_name: 'Aplicativo autenticador' }

  async function confirmCode(): Promise<void> {
    const verified = { ...FACTOR, status: 'verified', factor_type: 'totp' }
    site.factors = []
    site.answer('POST /auth/v1/factors', () => ({
      ...FACTOR,
      totp: { qr_code: '<svg/>', secret: 'ABCDEFGH', uri: 'otpauth://totp/x' },
    }))
    site.answer('POST /auth/v1/factors/*/challenge', () => ({ id: 'c1', type: 'totp', expires_at: 1 }))
    site.answer('POST /auth/v1/factors/*/verify', () => {
      site.factors = [verified]
      return site.sessionOf(MARINA)
    })
    cleanup()
    person = (await openDashboard(site, { path: '/admin/conta' })).person
    await person.click(await screen.findByRole('button', { name: 'Ativar' }))
    await screen.findByRole('img', { name: /Código QR/ })
    await person.type(screen.getByLabelText(/Código/), '123456')
    await person.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Ativar' }))
  }

  test('keeps the codes when a refresh fails, and does not show the picture again', async () => {
    await confirmCode()
    await screen.findByRole('dialog', { name: 'Verificação em duas etapas ativada' })
    await failRefresh('GET /admin/api/recovery-codes')
    const shown = within(screen.getByRole('dialog', { name: 'Verificação em duas etapas ativada' }))
    expect(shown.getAllByRole('listitem')).toHaveLength(10)
    expect(screen.queryByRole('img', { name: /Código QR/ })).toBeNull()
  })

  test('says that it is active if only the codes could not be made, and offers them', async () => {
    site.refuse(MAKE, 500)
    site.codesLeft = 0
    await confirmCode()
    await screen.findByText('A verificação em duas etapas foi ativada, mas os códigos não foram gerados.')
    expect(screen.queryByRole('dialog')).toBeNull()
    await screen.findByText(/^Seus códigos de recuperação acabaram/)
    screen.getByRole('button', { name: 'Gerar novos códigos' })
  })
})
