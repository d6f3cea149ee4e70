import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makePixel, NOW } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

test('"Desfazer" on the message of a deletion brings the pixel back', async () => {
  const pixel = site.addPixel('Loja', { health: 'waiting' })
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Excluir: Loja' }))
  const question = within(await screen.findByRole('alertdialog'))
  question.getByText('Loja deixa de rodar no site na próxima visita. Fica trinta dias na lixeira.')
  await person.click(question.getByRole('button', { name: 'Excluir' }))
  await screen.findByText('Pixel excluído: Loja')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Excluir: Loja' })).toBeNull())
  await person.click(screen.getByRole('button', { name: 'Desfazer' }))
  await screen.findByText('Pixel restaurado: Loja')
  await screen.findByRole('button', { name: 'Excluir: Loja' })
  expect(site.callsTo(`POST /admin/api/trash/${pixel.id}/restore`)).toHaveLength(1)
})

test('an undo that is refused says why, and offers to try again', async () => {
  site.addPixel('Loja', { health: 'waiting' })
  const message = 'Com esta mudança, as tags ativas usariam hosts demais.'
  site.refuse('POST /admin/api/trash/*/restore', 400, { error: 'policy_full', message })
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Excluir: Loja' }))
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Excluir' }))
  await person.click(await screen.findByRole('button', { name: 'Desfazer' }))
  await screen.findByText(message)
  await screen.findByRole('button', { name: 'Tentar novamente' })
})

test('one that can no longer run comes back switched off, and says why', async () => {
  site.addPixel('Loja', { health: 'waiting' })
  const warning = 'O código dele não é mais aceito como está. Edite o código para ativá-lo.'
  site.answer('POST /admin/api/trash/*/restore', () => ({ warning }))
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Excluir: Loja' }))
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Excluir' }))
  await person.click(await screen.findByRole('button', { name: 'Desfazer' }))
  await screen.findByText('Pixel restaurado, desligado: Loja')
  await screen.findByText(warning)
})

test('the trash has its address and its place under the tab, says who, when and for how long, and gives back', async () => {
  site.trash = [
    makePixel({ name: 'Inverno', type: 'custom', pixel_id: null }),
    makePixel({ name: 'Verão', is_active: false }),
  ]
  const { person } = await openDashboard(site)
  const tab = screen.getByRole('link', { name: /^Pixels & Tags/ })
  expect(tab.getAttribute('aria-current')).toBe('page')
  const [room] = screen.getAllByRole('link', { name: 'Lixeira' })
  await person.click(room as HTMLElement)
  expect(location.pathname).toBe('/admin/lixeira')
  const heading = await screen.findByRole('heading', { name: 'Lixeira' })
  await waitFor(() => expect(document.activeElement).toBe(heading))
  expect(document.title).toMatch(/^Lixeira · /)
  expect(tab.getAttribute('aria-current')).toBe('true')
  for (const link of screen.getAllByRole('link', { name: 'Lixeira' }))
    expect(link.getAttribute('aria-current')).toBe('page')
  const [winter, summer] = await screen
    .findAllByRole('listitem')
    .then((items) => items.filter((item) => within(item).queryByRole('button') !== null))
  expect(winter?.textContent).toMatch(
    /Inverno.*Personalizado.*Excluído por bia@portico\.example, há 1 dia\. Volta ligado, como estava\..*mais 29 dias/,
  )
  expect(summer?.textContent).toMatch(/Verão.*Meta · 482910377165024.*Volta desligado/)
  await person.click(screen.getByRole('button', { name: 'Restaurar: Inverno' }))
  await screen.findByText('Pixel restaurado: Inverno')
  await waitFor(() => expect(screen.queryByText('Inverno')).toBeNull())
  // The row went with its button.
  expect(document.activeElement).toBe(heading)
  await person.click(screen.getByRole('button', { name: 'Restaurar: Verão' }))
  await screen.findByText('A lixeira está vazia')
})

test('what a program deleted is told as such', async () => {
  const kept = { deleted_at: NOW, kept_until: NOW, was_active: true }
  const { id, name, type, pixel_id } = makePixel({ name: 'Loja' })
  const deleted = { id, name, type, pixel_id, ...kept, deleted_by: 'service key' }
  site.answer('GET /admin/api/trash', () => ({ pixels: [deleted], total: 1 }))
  await openDashboard(site, { path: '/admin/lixeira' })
  await screen.findByText(/Excluído por um programa, com a chave de serviço,/)
})

test('a trash that does not come says so, and is asked for again', async () => {
  site.refuse('GET /admin/api/trash', 500)
  const { person } = await openDashboard(site, { path: '/admin/lixeira' })
  await screen.findByText('Não deu para carregar a lixeira.')
  site.answer('GET /admin/api/trash', () => ({ pixels: [], total: 0 }))
  await person.click(screen.getByRole('button', { name: 'Tentar novamente' }))
  await screen.findByText('A lixeira está vazia')
})

test('the page of a pixel that is in the trash says so, and brings it back', async () => {
  const deleted = makePixel({ name: 'Inverno' })
  site.trash = [deleted]
  const { person } = await openDashboard(site, { path: `/admin/pixels/${deleted.id}` })
  await screen.findByText('Este pixel está na lixeira')
  expect(screen.queryByText('Este pixel não existe')).toBeNull()
  screen.getByText(/^Inverno foi excluído em 14\/11\/2026.* por bia@portico\.example\./)
  await person.click(screen.getByRole('button', { name: 'Restaurar' }))
  await screen.findByText('Pixel restaurado: Inverno')
  await screen.findByRole('heading', { name: 'Inverno' })
})
