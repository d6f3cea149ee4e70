import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makeBlocked } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const CTRL_Z = '{Control>}z{/Control}'
const PAUSE = 'PUT /admin/api/tags/pause'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

const messageOf = async (text: string) =>
  within((await screen.findByText(text)).closest('[data-toast]') as HTMLElement)

test('ignoring a host after pausing: neither its message nor Ctrl+Z resumes the tags', async () => {
  site.addPixel('Loja', { health: 'waiting' })
  site.overview.blocked_hosts = [makeBlocked('um.example')]
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('switch', { name: 'Pausar todas as tags' }))
  await screen.findByText('Todas as tags foram pausadas')
  await person.click(await screen.findByRole('button', { name: 'Ignorar bloqueio: um.example' }))
  const ignored = await messageOf('Bloqueio ignorado: um.example')
  expect(ignored.queryByRole('button', { name: 'Desfazer' })).toBeNull()
  await person.keyboard(CTRL_Z)
  await vi.advanceTimersByTimeAsync(500)
  expect(site.callsTo(PAUSE).map(({ body }) => body)).toEqual([{ paused: true }])
  await person.click(
    (await messageOf('Todas as tags foram pausadas')).getByRole('button', { name: 'Desfazer' }),
  )
  await screen.findByText('As tags voltaram a funcionar')
})

test('two permissions have two messages, and each takes its own back', async () => {
  const pixel = site.addPixel('Loja', { health: 'partial' })
  site.overview.blocked_hosts = ['um.example', 'dois.example'].map((host) =>
    makeBlocked(host, { pixel_ids: [pixel.id], vendor: { id: null, name: host } }),
  )
  const { person } = await openDashboard(site)
  for (const host of ['um.example', 'dois.example']) {
    await person.click(await screen.findByRole('button', { name: `Permitir ${host}` }))
    await screen.findByText(`Domínio permitido: ${host}`)
  }
  await person.click(
    (await messageOf('Domínio permitido: um.example')).getByRole('button', { name: 'Desfazer' }),
  )
  await screen.findByText('Permissão removida: um.example')
  expect(site.callsTo(`DELETE /admin/api/tags/${pixel.id}/hosts/um.example`)).toHaveLength(1)
  expect(site.callsTo(`DELETE /admin/api/tags/${pixel.id}/hosts/dois.example`)).toHaveLength(0)
})

test.each(['the button twice', 'the button, then Ctrl+Z', 'Ctrl+Z twice'])('%s undoes once', async (how) => {
  const pixel = site.addPixel('Loja', { health: 'waiting' })
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Excluir: Loja' }))
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Excluir' }))
  const restore = `POST /admin/api/trash/${pixel.id}/restore`
  const held = site.hold(restore)
  const undo = await screen.findByRole('button', { name: 'Desfazer' })
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  if (how === 'Ctrl+Z twice') await person.keyboard(CTRL_Z)
  else await person.click(undo)
  if (how === 'the button twice') undo.click()
  else await person.keyboard(CTRL_Z)
  await vi.waitFor(() => expect(held).toHaveLength(1), 30_000)
  await vi.advanceTimersByTimeAsync(500)
  expect(site.callsTo(restore)).toHaveLength(1)
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Desfazer' })).toBeNull())
  held[0]?.release()
  await screen.findByText('Pixel restaurado: Loja')
})

test('a later change of the same pixel removes the undo', async () => {
  const pixel = site.addPixel('Loja', { health: 'waiting' })
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('switch', { name: /Loja/ }))
  await messageOf('Pixel desativado: Loja')
  await person.click(screen.getByRole('button', { name: 'Editar: Loja' }))
  await person.type(await screen.findByLabelText('Nome do Pixel'), ' nova')
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Pixel salvo: Loja nova')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Desfazer' })).toBeNull())
  await person.keyboard(CTRL_Z)
  await vi.advanceTimersByTimeAsync(500)
  expect(site.pixels.find(({ id }) => id === pixel.id)).toMatchObject({ is_active: false })
})

test('Ctrl+Z does nothing while a question is open, wherever the focus is', async () => {
  site.addPixel('Loja', { health: 'waiting' })
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('switch', { name: 'Pausar todas as tags' }))
  await screen.findByText('Todas as tags foram pausadas')
  await person.click(screen.getByRole('button', { name: 'Excluir: Loja' }))
  await screen.findByRole('alertdialog')
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, bubbles: true }))
  await vi.advanceTimersByTimeAsync(500)
  expect(site.callsTo(PAUSE)).toHaveLength(1)
})

test("one person's changes cannot be undone by the next", async () => {
  site.addPixel('Loja', { health: 'waiting' })
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('switch', { name: 'Pausar todas as tags' }))
  await screen.findByText('Todas as tags foram pausadas')
  await person.click(screen.getByRole('button', { name: 'Sair' }))
  await screen.findByRole('button', { name: 'Entrar' })
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Desfazer' })).toBeNull())
  await person.keyboard(CTRL_Z)
  await vi.advanceTimersByTimeAsync(500)
  expect(site.callsTo(PAUSE)).toHaveLength(1)
})
