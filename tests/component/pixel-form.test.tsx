import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makePixel, makePreview } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
  site.pixels = [makePixel({ name: 'Meta' })]
})

test.each([
  ['a pixel', '/admin', 'Editar: Meta', 'Nome do Pixel', 'PATCH /rest/v1/tracking_pixels'],
  ['a person', '/admin/usuarios', 'Editar: bia@portico.example', 'Email', 'PATCH /rest/v1/admin_users'],
])('"Descartar" during a slow save of %s cancels it, and says what to check', async (...row) => {
  const [, path, edit, label, route] = row
  const { person } = await openDashboard(site, { path })
  await person.click(await screen.findByRole('button', { name: edit }))
  const held = site.hold(route)
  await person.type(await screen.findByLabelText(label), 'x')
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await screen.findByRole('button', { name: 'Salvando...' })
  await person.keyboard('{Escape}')
  const question = await screen.findByRole('alertdialog', { name: 'Parar de salvar?' })
  await person.click(within(question).getByRole('button', { name: 'Parar' }))
  await screen.findByText('Você parou o salvamento')
  expect(screen.queryByRole('dialog')).toBeNull()
  for (const call of held) call.release()
  await vi.advanceTimersByTimeAsync(100)
  expect(site.pixels[0]?.name).toBe('Meta')
  expect(site.users[1]?.email).toBe('bia@portico.example')
  expect(screen.queryByText(/salvo:/)).toBeNull()
})

test('a save that succeeds during the question closes it', async () => {
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Editar: Meta' }))
  const held = site.hold('PATCH /rest/v1/tracking_pixels')
  await person.type(await screen.findByLabelText('Nome do Pixel'), ' 2')
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await person.keyboard('{Escape}')
  await screen.findByRole('alertdialog')
  for (const call of held) call.release()
  await screen.findByText('Pixel salvo: Meta 2')
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a save that fails during the question closes it without another one', async () => {
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Editar: Meta' }))
  const held = site.hold('PATCH /rest/v1/tracking_pixels')
  await person.type(await screen.findByLabelText('Nome do Pixel'), ' 2')
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await person.keyboard('{Escape}')
  await screen.findByRole('alertdialog', { name: 'Parar de salvar?' })
  site.refuse('PATCH /rest/v1/tracking_pixels', 500)
  for (const call of held) call.release()
  await screen.findByRole('button', { name: 'Salvar' })
  expect(screen.queryByRole('alertdialog')).toBeNull()
  expect(screen.queryByText('Descartar as alterações?')).toBeNull()
  expect(screen.getByLabelText<HTMLInputElement>('Nome do Pixel').value).toBe('Meta 2')
})

test('"Descartar as alterações?" stays when the save starts meanwhile, and does what it says', async () => {
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Adicionar Pixel' }))
  const asked = site.hold('POST /admin/api/tags/preview')
  const stored = site.hold('POST /rest/v1/tracking_pixels')
  await person.type(await screen.findByLabelText('Pixel ID'), '123456789012345')
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await person.keyboard('{Escape}')
  const question = await screen.findByRole('alertdialog', { name: 'Descartar as alterações?' })
  site.preview = makePreview({
    recognised: {
      vendor: 'meta',
      name: 'Meta',
      id: '123456789012345',
      id_label: 'Pixel ID',
      type: 'meta',
      category: null,
      code: null,
      advice: null,
    },
  })
  for (const call of asked) call.release()
  await vi.waitFor(() => expect(stored).toHaveLength(1), 30_000)
  expect(screen.queryByText('Parar de salvar?')).toBeNull()
  await person.click(within(question).getByRole('button', { name: 'Descartar' }))
  for (const call of stored) call.release()
  await screen.findByText('Você parou o salvamento')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a warning about the code does not scroll the form', async () => {
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Editar: Meta' }))
  const code = await screen.findByLabelText('Código do Pixel')
  await vi.waitFor(() => expect(site.callsTo('POST /admin/api/tags/preview')).toHaveLength(1), 30_000)
  site.preview = makePreview({
    warnings: [{ code: 'write', message: 'document.write não roda nesta página.' }],
  })
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView')
  await person.type(code, 'x')
  await screen.findByText('document.write não roda nesta página.')
  expect(scrolled).not.toHaveBeenCalled()
  // A refusal must be seen, so it scrolls.
  site.refuse('PATCH /rest/v1/tracking_pixels', 500)
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Erro ao salvar pixel')
  expect(scrolled).toHaveBeenCalled()
})

test('a double click on "Salvar" adds one pixel', async () => {
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Adicionar Pixel' }))
  await person.type(await screen.findByLabelText('Nome do Pixel'), 'GA')
  await person.type(screen.getByLabelText('Pixel ID'), '482910377165024')
  await person.dblClick(screen.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Pixel salvo: GA')
  expect(site.callsTo('POST /rest/v1/tracking_pixels')).toHaveLength(1)
})

const moreOptions = () => screen.getByText('Mais opções').closest('details') as HTMLDetailsElement

test('shows the essential fields, and the rest under "Mais opções"', async () => {
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Adicionar Pixel' }))
  await screen.findByLabelText('Nome do Pixel')
  const more = moreOptions()
  expect(more.open).toBe(false)
  for (const label of ['Nome do Pixel', 'Tipo de Pixel', 'Pixel ID', 'Código do Pixel', 'Pixel ativo'])
    expect(more.contains(screen.getByLabelText(label)), label).toBe(false)
  expect(more.contains(screen.getByLabelText('Consentimento necessário'))).toBe(false)
  for (const label of [/^Motivo/, /^Pausar automaticamente/])
    expect(more.contains(screen.getByLabelText(label))).toBe(true)
  expect(screen.getByLabelText<HTMLTextAreaElement>('Código do Pixel').placeholder).toMatch(/^Cole aqui/)
})

test('"Mais opções" opens at a field with an error', async () => {
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Editar: Meta' }))
  const reason = await screen.findByLabelText(/^Motivo/)
  expect(moreOptions().open).toBe(false)
  await person.click(reason)
  await person.paste('x'.repeat(2000))
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await waitFor(() => expect(moreOptions().open).toBe(true))
  expect(document.activeElement).toBe(reason)
})

test('"Pixel salvo" offers a test of an active pixel', async () => {
  const opened = vi.spyOn(window, 'open').mockReturnValue(null)
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Editar: Meta' }))
  await person.type(await screen.findByLabelText('Nome do Pixel'), ' 2')
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Pixel salvo: Meta 2')
  await person.click(screen.getByRole('button', { name: 'Testar agora' }))
  await vi.waitFor(() => expect(opened).toHaveBeenCalledTimes(1), 30_000)
  expect(location.pathname).toMatch(/^\/admin\/pixels\/.*\/testes\//)
})

test.each(['/admin', '/admin/usuarios', '/admin/configuracoes', '/admin/conta'])(
  'reaches every sub-page from %s, in one order',
  async (path) => {
    await openDashboard(site, { path })
    const names = [
      'Visitas',
      'Resultados',
      'Consentimento',
      'Inscrições',
      'Inventário',
      'Lixeira',
      'Atividade',
    ]
    const side = within(screen.getByRole('navigation', { name: 'Menu principal' }))
    const shown = side.getAllByRole('link').map(({ textContent }) => textContent)
    expect(shown.filter((name) => names.includes(name ?? ''))).toEqual(names)
    const line = within(screen.getByRole('navigation', { name: 'Subpáginas' }))
    expect(line.getAllByRole('link').map(({ textContent }) => textContent)).toEqual([
      'Pixels',
      ...names.slice(0, -1),
      'Usuários',
      'Atividade',
    ])
  },
)
