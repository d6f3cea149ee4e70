import { screen, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { openDashboard } from '../support/render-dashboard.tsx'
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
  person = (await openDashboard(site, { path: '/admin/conta' })).person
})

async function askForCodes(): Promise<void> {
  await person.click(await screen.findByRole('button', { name: 'Gerar novos códigos' }))
}
const question = () => screen.findByRole('alertdialog', { name: 'Gerar novos códigos de recuperação?' })
const codes = () => screen.findByRole('dialog', { name: 'Novos códigos de recuperação' })

test('nothing is made before the person has said that the old ones may go', async () => {
  await askForCodes()
  await person.click(within(await question()).getByRole('button', { name: 'Cancelar' }))
  expect(site.callsTo(MAKE)).toEqual([])
})

test('a double click makes one set', async () => {
  await askForCodes()
  const held = site.hold(MAKE)
  await person.dblClick(within(await question()).getByRole('button', { name: 'Gerar novos códigos' }))
  // The button behind the question, too, is good for one set at a time.
  await person.click(await screen.findByRole('button', { name: /^Gerar novos códigos|Gerando/ }))
  await vi.advanceTimersByTimeAsync(100)
  for (const call of held) call.release()
  await codes()
  expect(site.callsTo(MAKE)).toHaveLength(1)
})

test.each([
  ['Escape', () => person.keyboard('{Escape}')],
  ['a click outside', () => person.click(document.querySelector('[data-overlay]') as Element)],
  ['the X', () => person.click(screen.getByRole('button', { name: 'Fechar' }))],
])('%s does not end their only showing', async (_name, leave) => {
  await askForCodes()
  await person.click(within(await question()).getByRole('button', { name: 'Gerar novos códigos' }))
  await codes()
  await leave()
  const ask = await screen.findByRole('alertdialog', { name: QUESTION })
  await person.click(within(ask).getByRole('button', { name: 'Voltar aos códigos' }))
  expect(within(await codes()).getAllByRole('listitem')).toHaveLength(10)
  await person.click(screen.getByRole('button', { name: 'Guardei os códigos' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

test('they can be copied and downloaded', async () => {
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
  // A browser may still be writing it.
  expect(revoked).not.toHaveBeenCalled()
  const [file] = made.mock.calls[0] ?? []
  expect(file instanceof Blob && (await file.text())).toContain('aaaa9-bbbb9')
})
