import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makePixel, makeStatus, makeUser } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const TAGS = 'GET /admin/api/tags'
const LIST = 'GET /rest/v1/tracking_pixels'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

test('keeps a search box in use when the list becomes short', async () => {
  site.pixels = Array.from({ length: 11 }, (_, n) => makePixel({ name: `Pixel ${n}`, pixel_id: null }))
  const { person } = await openDashboard(site)
  await person.type(await screen.findByRole('searchbox'), 'Pixel 1')
  await waitFor(() => expect(screen.getAllByRole('switch', { name: /^Ativo/ })).toHaveLength(2))
  await person.click(screen.getByRole('button', { name: 'Excluir: Pixel 10' }))
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Excluir' }))
  await screen.findByText('Pixel excluído: Pixel 10')
  await person.clear(screen.getByRole('searchbox'))
  await waitFor(() => expect(screen.getAllByRole('switch', { name: /^Ativo/ })).toHaveLength(10))
  // Deleting the last letter keeps the field focused.
  expect(document.activeElement).toBe(screen.getByRole('searchbox'))
})

test('does the same for people', async () => {
  site.users.push(
    ...Array.from({ length: 9 }, (_, n) => makeUser({ id: `0000000${n}`, email: `p${n}@exemplo.com.br` })),
  )
  const { person } = await openDashboard(site, { path: '/admin/usuarios' })
  await person.type(await screen.findByRole('searchbox'), 'p3')
  await person.click(await screen.findByRole('button', { name: 'Excluir: p3@exemplo.com.br' }))
  await person.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Excluir' }))
  await screen.findByText('Usuário excluído: p3@exemplo.com.br')
  await person.clear(screen.getByRole('searchbox'))
  await waitFor(() => expect(screen.getAllByRole('button', { name: /^Editar/ })).toHaveLength(10))
})

describe('"Pausar todas as tags" is always there', () => {
  test('while the state of the tags is unknown', async () => {
    site.pixels = [makePixel()]
    site.refuse(TAGS, 500)
    const { person } = await openDashboard(site)
    await person.click(await screen.findByRole('button', { name: 'Pausar todas as tags' }))
    await screen.findByText('Todas as tags foram pausadas')
    expect(site.overview.paused).not.toBeNull()
    expect(screen.getByRole('switch', { name: 'Pausar todas as tags' }).getAttribute('aria-checked')).toBe(
      'true',
    )
  })

  test('while the list loads, and when it fails', async () => {
    const held = site.hold(LIST)
    await openDashboard(site)
    await screen.findByRole('switch', { name: 'Pausar todas as tags' })
    site.refuse(LIST, 500)
    for (const call of held) call.release()
    await screen.findByText('Não foi possível carregar os pixels.')
    await screen.findByRole('switch', { name: 'Pausar todas as tags' })
  })

  test('shows a refused pause, and stays', async () => {
    site.pixels = [makePixel()]
    site.refuse('PUT /admin/api/tags/pause', 500)
    const { person } = await openDashboard(site)
    await person.click(await screen.findByRole('switch', { name: 'Pausar todas as tags' }))
    await screen.findByText('Não foi possível pausar as tags.')
    expect(screen.getByRole('switch', { name: 'Pausar todas as tags' }).getAttribute('aria-checked')).toBe(
      'false',
    )
  })

  test('in plain words', async () => {
    site.pixels = [makePixel()]
    await openDashboard(site)
    await screen.findByText('Para todas as tags do site de uma vez. Use em emergências.')
  })
})

describe('the number of active pixels', () => {
  const three = () => {
    site.pixels = ['A', 'B', 'C'].map((name) => makePixel({ name, is_active: name !== 'C' }))
  }

  test('counts what can run', async () => {
    three()
    site.statuses = site.pixels.map((pixel) => makeStatus(pixel, { runnable: pixel.name === 'A' }))
    await openDashboard(site)
    // Two badges are green: the count says so, and how many of them run.
    await screen.findByText(/2 ativos, 1 rodando no site/)
  })

  test('says when everything is paused', async () => {
    three()
    site.overview.paused = { at: '2026-11-15T11:00:00Z', by: 'marina@portico.example' }
    await openDashboard(site)
    await screen.findByText(/todas as tags pausadas/)
    expect(screen.queryByText(/ativos? no site/)).toBeNull()
  })

  test('uses the switches while health is unknown', async () => {
    three()
    site.refuse(TAGS, 500)
    await openDashboard(site)
    await screen.findByText(/2 ativos no site/)
  })
})

test('returns the focus after the code panel closes', async () => {
  site.pixels = [makePixel({ name: 'Meta' }), makePixel({ name: 'Chat' })]
  const { person } = await openDashboard(site)
  const show = await screen.findByRole('button', { name: 'Ver código: Chat' })
  await person.click(show)
  await person.click(await screen.findByRole('button', { name: 'Fechar código' }))
  expect(document.activeElement).toBe(show)
})
