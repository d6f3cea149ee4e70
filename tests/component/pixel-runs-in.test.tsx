import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makePixel, makePreview } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const CODE = '<script>kwaiq.load("123456789")</script>'
const REASON = 'Kwai for Business mede visitas e conversões sem precisar da página.'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
  site.preview = makePreview({ runs_in: { runs_in: 'isolated', reason: REASON } })
})

async function openForm(name: string) {
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: `Editar: ${name}` }))
  const dialog = await screen.findByRole('dialog')
  return { person, dialog }
}

test('where a tag runs is proposed with a reason, and changed by nobody but the person', async () => {
  const pixel = makePixel({ name: 'Kwai', type: 'custom', pixel_id: null, code: CODE })
  site.pixels = [pixel]
  const { person, dialog } = await openForm('Kwai')
  const choice = within(dialog).getByRole('group', { name: 'Onde roda' })
  await within(choice).findByText('Sugerido para este código')
  within(choice).getByText(REASON)
  const isolated = within(choice).getByRole('radio', { name: 'Isolada' })
  expect((isolated as HTMLInputElement).checked).toBe(false)
  await person.click(within(dialog).getByRole('button', { name: 'Salvar' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(site.pixels[0]?.runs_in).toBe('page')
})

test('chosen, it is saved, and says what a frame does not keep a tag from', async () => {
  site.pixels = [makePixel({ name: 'Kwai', type: 'custom', pixel_id: null, code: CODE })]
  const { person, dialog } = await openForm('Kwai')
  expect(within(dialog).queryByText(/WebRTC/)).toBeNull()
  await person.click(within(dialog).getByRole('radio', { name: 'Isolada' }))
  within(dialog).getByText(/WebRTC/)
  expect(await findComponentFaults(dialog)).toEqual([])
  await person.click(within(dialog).getByRole('button', { name: 'Salvar' }))
  await waitFor(() => expect(site.pixels[0]?.runs_in).toBe('isolated'))
})

test('only a custom pixel has the choice', async () => {
  site.pixels = [makePixel({ name: 'Meta' })]
  const { dialog } = await openForm('Meta')
  within(dialog).getByLabelText('Código do Pixel')
  expect(within(dialog).queryByRole('group', { name: 'Onde roda' })).toBeNull()
})

test('everything about an isolated pixel says that its frame, and not the page, opens its addresses', async () => {
  const isolated = { type: 'custom', pixel_id: null, code: CODE, runs_in: 'isolated' } as const
  site.addPixel('Kwai', { health: 'waiting' }, isolated)
  site.preview = makePreview({ allowed: [{ host: 's1.kwai.net', directive: 'script', source: 'vendor' }] })
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('link', { name: 'Kwai' }))
  await screen.findByText('Personalizado · Código personalizado · Roda isolada da página')
  await screen.findByText('Com ninguém: o quadro desta tag não abre endereço nenhum.')
  screen.getByText(/Restaurar traz de volta tudo o que o formulário tinha;/)
  await person.click(screen.getByRole('button', { name: 'Editar: Kwai' }))
  const dialog = within(await screen.findByRole('dialog'))
  await dialog.findByText('1 endereço que o quadro desta tag abre')
  await person.click(dialog.getByRole('radio', { name: 'Na página' }))
  dialog.getByText('1 endereço que a página abre')
})
