import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makePixel, NOW } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

test('"Desfazer" after a deletion restores the pixel', async () => {
  const pixel = site.addPixel('Loja', { health: 'waiting' })
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Excluir: Loja' }))
  const question = within(await screen.findByRole('alertdialog'))
  question.getByText('Loja sai do site na próxima visita. Você pode restaurar pela Lixeira por 30 dias.')
  await person.click(question.getByRole('button', { name: 'Excluir' }))
  await screen.findByText('Pixel excluído: Loja')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Excluir: Loja' })).toBeNull())
  await person.click(screen.getByRole('button', { name: 'Desfazer' }))
  await screen.findByText('Pixel restaurado: Loja')
  await screen.findByRole('button', { name: 'Excluir: Loja' })
  expect(site.callsTo(`POST /admin/api/trash/${pixel.id}/restore`)).toHaveLength(1)
})

test('shows why an undo was refused, and offers a retry', async () => {
  site.addPixel('Loja', { health: 'waiting' })
  const message = 'O site chegou ao limite de domínios.'
  site.refuse('POST /admin/api/trash/*/restore', 400, { error: 'policy_full', message })
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Excluir: Loja' }))
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Excluir' }))
  await person.click(await screen.findByRole('button', { name: 'Desfazer' }))
  await screen.findByText(message)
  await screen.findByRole('button', { name: 'Tentar novamente' })
})

test('restores a pixel that can no longer run switched off, with the reason', async () => {
  site.addPixel('Loja', { health: 'waiting' })
  const warning = 'O código dele não é mais aceito. Edite o código e ative o pixel.'
  site.answer('POST /admin/api/trash/*/restore', () => ({ warning }))
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Excluir: Loja' }))
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Excluir' }))
  await person.click(await screen.findByRole('button', { name: 'Desfazer' }))
  await screen.findByText('Pixel restaurado como inativo: Loja')
  await screen.findByText(warning)
})

test('the trash has its address and sub-page, shows who, when and until when, and restores', async () => {
  site.trash = [
    makePixel({ name: 'Inverno', type: 'custom', pixel_id: null }),
    makePixel({ name: 'Verão', is_active: false }),
  ]
  const { person } = await openDashboard(site)
  const tab = screen.getByRole('link', { name: /^Pixels & Tags/ })
  expect(tab.getAttribute('aria-current')).toBe('page')
  const [link] = screen.getAllByRole('link', { name: 'Lixeira' })
  await person.click(link as HTMLElement)
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
    /Inverno.*Personalizado.*Excluído por bia@portico\.example há 1 dia\. Ao restaurar, volta como ativo\..*restam 29 dias/,
  )
  expect(summer?.textContent).toMatch(/Verão.*Meta · 482910377165024.*volta como inativo/)
  await person.click(screen.getByRole('button', { name: 'Restaurar: Inverno' }))
  await screen.findByText('Pixel restaurado: Inverno')
  await waitFor(() => expect(screen.queryByText('Inverno')).toBeNull())
  // The row disappeared with its button.
  expect(document.activeElement).toBe(heading)
  await person.click(screen.getByRole('button', { name: 'Restaurar: Verão' }))
  await screen.findByText('A lixeira está vazia')
})

test('names a program that deleted', async () => {
  const kept = { deleted_at: NOW, kept_until: NOW, was_active: true }
  const { id, name, type, pixel_id } = makePixel({ name: 'Loja' })
  const deleted = { id, name, type, pixel_id, ...kept, deleted_by: 'service key' }
  site.answer('GET /admin/api/trash', () => ({ pixels: [deleted], total: 1 }))
  await openDashboard(site, { path: '/admin/lixeira' })
  await screen.findByText(/Excluído por um sistema integrado \(chave de serviço\)/)
})

test('reports a failed load of the trash, and retries', async () => {
  site.refuse('GET /admin/api/trash', 500)
  const { person } = await openDashboard(site, { path: '/admin/lixeira' })
  await screen.findByText('Não foi possível carregar a lixeira.')
  site.answer('GET /admin/api/trash', () => ({ pixels: [], total: 0 }))
  await person.click(screen.getByRole('button', { name: 'Tentar novamente' }))
  await screen.findByText('A lixeira está vazia')
})

test('the page of a pixel in the trash says so, and restores it', async () => {
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
