import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makePixel } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const network = vi.hoisted(() => ({ isAway: true }))
vi.mock('#admin/features/session/login-screens.tsx', (original) => {
  if (network.isAway) throw new Error('away')
  return original()
})

test('shows over the page that a login could not be loaded, keeps what was typed, and retries', async () => {
  const site = new ScriptedSite()
  site.pixels = [makePixel({ name: 'Meta' })]
  vi.mocked(console.error).mockImplementation(() => {})
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Editar: Meta' }))
  await person.type(await screen.findByLabelText('Nome do Pixel'), ' rascunho')
  site.refuse('GET /auth/v1/user', 403, { code: 'session_not_found', msg: 'Session not found' })
  document.dispatchEvent(new Event('visibilitychange'))
  const alert = await screen.findByText(/a tela de login não carregou/)
  expect((screen.getByLabelText('Nome do Pixel') as HTMLInputElement).value).toBe('Meta rascunho')
  expect(await findComponentFaults(alert.parentElement as HTMLElement)).toEqual([])
  network.isAway = false
  await person.click(screen.getByRole('button', { name: 'Tentar novamente' }))
  await screen.findByRole('dialog', { name: 'Sua sessão expirou' })
})
