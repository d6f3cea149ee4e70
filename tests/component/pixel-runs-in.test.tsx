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

test('suggests where a tag should run, and changes nothing by itself', async () => {
  const pixel = makePixel({ name: 'Kwai', type: 'custom', pixel_id: null, code: CODE })
  site.pixels = [pixel]
  const { person, dialog } = await openForm('Kwai')
  const choice = within(dialog).getByRole('group', { name: 'Onde a tag roda' })
  await within(choice).findByText('Sugerida para este código')
  within(choice).getByText(REASON)
  const isolated = within(choice).getByRole('radio', { name: 'Isolada da página' })
  expect((isolated as HTMLInputElement).checked).toBe(false)
  await person.click(within(dialog).getByRole('button', { name: 'Salvar' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(site.pixels[0]?.runs_in).toBe('page')
})

test('saves the choice, and says what isolation does not prevent', async () => {
  site.pixels = [makePixel({ name: 'Kwai', type: 'custom', pixel_id: null, code: CODE })]
  const { person, dialog } = await openForm('Kwai')
  expect(within(dialog).queryByText(/WebRTC/)).toBeNull()
  await person.click(within(dialog).getByRole('radio', { name: 'Isolada da página' }))
  within(dialog).getByText(/WebRTC/)
  expect(await findComponentFaults(dialog)).toEqual([])
  await person.click(within(dialog).getByRole('button', { name: 'Salvar' }))
  await waitFor(() => expect(site.pixels[0]?.runs_in).toBe('isolated'))
})

test('offers the choice for custom pixels only', async () => {
  site.pixels = [makePixel({ name: 'Meta' })]
  const { dialog } = await openForm('Meta')
  within(dialog).getByLabelText('Código do Pixel')
  expect(within(dialog).queryByRole('group', { name: 'Onde a tag roda' })).toBeNull()
})

test('an isolated pixel is named as such, with its domains', async () => {
  const isolated = { type: 'custom', pixel_id: null, code: CODE, runs_in: 'isolated' } as const
  site.addPixel('Kwai', { health: 'waiting' }, isolated)
  site.preview = makePreview({ allowed: [{ host: 's1.kwai.net', directive: 'script', source: 'vendor' }] })
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('link', { name: 'Kwai' }))
  await screen.findByText('Personalizado · Código personalizado · Isolada da página')
  await screen.findByText('Nenhum. Este pixel não se comunica com outros domínios.')
  screen.getByText(/Ao restaurar, volta tudo o que o formulário tinha\./)
  await person.click(screen.getByRole('button', { name: 'Editar: Kwai' }))
  const dialog = within(await screen.findByRole('dialog'))
  await dialog.findByText('1 domínio permitido')
})
