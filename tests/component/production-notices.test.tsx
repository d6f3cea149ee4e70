import { cleanup, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openDashboard } from '../support/render-dashboard.tsx'
import { ScriptedSite } from '../support/scripted-site.ts'

const GAP = { code: 'no_smtp_url', message: 'Nenhum e-mail é enviado. Defina SMTP_URL.' }
const PATH = '/admin/configuracoes'
const line = () => screen.queryByText(/Nenhum e-mail é enviado/)

function siteWith(gaps: (typeof GAP)[]): ScriptedSite {
  const site = new ScriptedSite()
  site.gaps = gaps
  return site
}

test('shows missing settings in one line, which can be dismissed until the dashboard is opened again', async () => {
  const site = siteWith([GAP])
  const { person } = await openDashboard(site, { path: PATH })
  expect(await screen.findByText(/Defina SMTP_URL/)).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Dispensar aviso' }))
  expect(line()).toBeNull()
  await person.click(screen.getByRole('link', { name: 'Usuários Admin' }))
  await person.click(screen.getByRole('link', { name: 'Configurações' }))
  await screen.findByRole('heading', { name: 'Configurações' })
  expect(line()).toBeNull()
  // A tag of the same origin could write there.
  expect([localStorage.length, sessionStorage.length]).toEqual([0, 0])
  cleanup()
  await openDashboard(site, { path: PATH })
  expect(await screen.findByText(/Defina SMTP_URL/)).toBeTruthy()
})

test('shows nothing if nothing is missing or known', async () => {
  await openDashboard(siteWith([]), { path: PATH })
  await screen.findByRole('heading', { name: 'Configurações' })
  expect(line()).toBeNull()
  expect(screen.queryByRole('button', { name: 'Dispensar aviso' })).toBeNull()
})

test('a demonstration says on every screen that its data are made up, and nothing else does', async () => {
  const { person } = await openDashboard(new ScriptedSite(), { demonstration: true })
  const note = () => screen.queryByRole('note')?.textContent
  expect(note()).toBe('Dados de demonstração. Nada aqui veio do seu site, e nada foi enviado a ninguém.')
  await person.click(screen.getByRole('link', { name: 'Configurações' }))
  await screen.findByRole('heading', { name: 'Configurações' })
  expect(note()).toContain('Dados de demonstração.')
  cleanup()
  await openDashboard(new ScriptedSite())
  expect(note()).toBeUndefined()
})

const JUMPED = {
  code: 'clock_jumped',
  message: 'O relógio do servidor marca 2032-11-15 12:00 UTC, 2192 dias adiantado.',
} as const

test('shows a clock jump on every screen until somebody confirms it', async () => {
  const site = new ScriptedSite()
  site.problems = [JUMPED]
  const { person } = await openDashboard(site, { path: '/admin/usuarios' })
  await screen.findByText(/2192 dias adiantado/)
  await person.click(screen.getByRole('link', { name: 'Configurações' }))
  await person.click(await screen.findByRole('button', { name: 'O relógio está certo' }))
  await waitFor(() => expect(screen.queryByText(/2192 dias adiantado/)).toBeNull())
  expect(site.problems).toEqual([])
})

test('shows a damaged database, which cannot be confirmed', async () => {
  const site = new ScriptedSite()
  site.problems = [{ code: 'database_damaged', message: 'Restaure um backup.' }]
  await openDashboard(site, { path: PATH })
  await screen.findByText('O banco de dados está danificado')
  expect(screen.queryByRole('button', { name: 'O relógio está certo' })).toBeNull()
})
