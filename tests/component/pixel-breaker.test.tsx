import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { HealthReason } from '#contract/tag-status.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { ScriptedSite } from '../support/scripted-site.ts'

const PAUSED: HealthReason = {
  code: 'breaker_paused',
  message: 'Em 15/11/2026, 09:00, a tag falhou em 40 de 60 visitas (67%) em 10 minutos.',
  action: { kind: 'rearm', label: 'Retomar' },
}

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
  site.answer('POST /admin/api/pixels/*/rearm', () => {
    for (const status of site.statuses) Object.assign(status, { health: 'waiting', reasons: [] })
    return { ...site.overview, pixels: site.statuses, blocked_groups: [] }
  })
})

test('a paused tag is a problem in the list, with its reason, and can be resumed there', async () => {
  const pixel = site.addPixel('Loja', { health: 'paused', reasons: [PAUSED] })
  const { person } = await openDashboard(site)
  await screen.findByText(PAUSED.message)
  screen.getByText('Pausado automaticamente', { selector: 'p *, p' })
  await screen.findByRole('link', { name: /, 1 pixel com problema$/ })
  // The switch is the person's and stays.
  screen.getByRole('switch', { name: 'Ativo: Loja' })
  await person.click(screen.getByRole('button', { name: 'Retomar' }))
  await screen.findByText('A tag voltou a funcionar')
  expect(site.callsTo(`POST /admin/api/pixels/${pixel.id}/rearm`)).toHaveLength(1)
  await waitFor(() => expect(screen.queryByText(PAUSED.message)).toBeNull())
})

test('no tag is a problem for a global pause', async () => {
  site.addPixel('Loja', { health: 'paused', reasons: [] })
  await openDashboard(site)
  await screen.findByText('Pausado', { selector: 'p *, p' })
  expect(screen.queryByRole('link', { name: /, \d+ pixels? com problema$/ })).toBeNull()
})

test('asks in the form whether a tag may be paused, off by default', async () => {
  const pixel = site.addPixel('Loja', { health: 'waiting' })
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Editar: Loja' }))
  const dialog = await screen.findByRole('dialog')
  const allow = within(dialog).getByRole('checkbox', { name: /Pausar automaticamente em caso de problema/ })
  expect((allow as HTMLInputElement).checked).toBe(false)
  await person.click(allow)
  await person.click(within(dialog).getByRole('button', { name: 'Salvar' }))
  await waitFor(() => expect(pixel.auto_disable).toBe(true))
})
