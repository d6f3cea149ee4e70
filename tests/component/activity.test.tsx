import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { ActivityEvent } from '#contract/activity.ts'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { BIA, MARINA } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const PATH = '/admin/atividade'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

let ids = 0
const event = (text: string, change: Partial<ActivityEvent> = {}): ActivityEvent => ({
  id: String(ids++),
  at: '2026-11-15T11:18:00.000Z',
  by: MARINA.email,
  kind: 'pixels',
  text,
  ...change,
})
const items = (day: string) =>
  within(screen.getByRole('region', { name: day }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent)

test('lists actions in words by day under the users, and filters by person and kind', async () => {
  const pixel = site.addPixel('Loja', { health: 'waiting' })
  site.activity = [
    event('pausou todas as tags'),
    event('editou o pixel Loja', { pixel_id: pixel.id, at: '2026-11-15T10:00:00.000Z' }),
    event('entrou', { kind: 'sign_ins', by: BIA.email, at: '2026-11-14T12:05:00.000Z' }),
  ]
  const { person } = await openDashboard(site, { path: '/admin/usuarios' })
  await screen.findByRole('heading', { name: 'Gerenciar Usuários Admin' })
  const [link] = await screen.findAllByRole('link', { name: 'Atividade' })
  await person.click(link as HTMLElement)
  expect(location.pathname).toBe(PATH)
  const heading = await screen.findByRole('heading', { name: 'Atividade' })
  await waitFor(() => expect(document.activeElement).toBe(heading))
  expect(document.title).toMatch(/^Atividade · /)
  expect(screen.getByRole('link', { name: 'Usuários Admin' }).getAttribute('aria-current')).toBe('true')
  await screen.findByText('Guardamos a atividade por 730 dias e as tentativas de login com erro por 90 dias.')
  expect(items('Hoje')).toEqual([
    `08h18${MARINA.email} pausou todas as tags`,
    `07h00${MARINA.email} editou o pixel LojaAbrir pixel`,
  ])
  expect(items('Ontem')).toEqual([`09h05${BIA.email} entrou`])
  await person.selectOptions(screen.getByLabelText('Filtrar por usuário'), BIA.email)
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Hoje' })).toBeNull())
  expect(items('Ontem')).toHaveLength(1)
  await person.selectOptions(screen.getByLabelText('Filtrar por tipo'), 'pixels')
  await screen.findByText('Nenhum resultado')
  await person.click(screen.getByRole('button', { name: 'Limpar busca e filtros' }))
  await waitFor(() => expect(items('Hoje')).toHaveLength(2))
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
})

test('searches, pages, and saves the filtered list', async () => {
  site.activity = Array.from({ length: 52 }, (_, n) => event(`editou o pixel ${n}`))
  const { person } = await openDashboard(site, { path: PATH })
  await person.click(await screen.findByRole('button', { name: 'Mostrar mais' }))
  await waitFor(() => expect(items('Hoje')).toHaveLength(52))
  await person.click(screen.getByRole('searchbox', { name: 'Buscar na atividade' }))
  await person.paste('pixel 51')
  await waitFor(() => expect(items('Hoje')).toHaveLength(1))
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  await person.click(screen.getByRole('button', { name: 'Baixar CSV' }))
  await waitFor(() => expect(clicked).toHaveBeenCalledTimes(1))
  expect(site.callsTo('GET /admin/api/activity/export')[0]?.query.get('search')).toBe('pixel 51')
})

test('shows an empty state', async () => {
  await openDashboard(site, { path: PATH })
  await screen.findByText('Nenhuma atividade ainda')
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
})

test('reports a failed load and retries', async () => {
  const held = site.hold('GET /admin/api/activity')
  site.refuse('GET /admin/api/activity', 500)
  await openDashboard(site, { path: PATH })
  await screen.findByText('Carregando a atividade')
  site.letGo('GET /admin/api/activity')
  await waitFor(() => expect(held).toHaveLength(1))
  held[0]?.release()
  const again = await screen.findByRole('button', { name: 'Tentar novamente' })
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
  site.activity = [event('pausou todas as tags')]
  site.answer('GET /admin/api/activity', () => ({
    events: site.activity,
    next: null,
    kept_days: 730,
    failed_login_days: 90,
    people: [],
  }))
  again.click()
  await screen.findByText('pausou todas as tags', { exact: false })
})
