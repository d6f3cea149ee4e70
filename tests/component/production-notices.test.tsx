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

test('what production lacks is one line, which goes when it is dismissed until the dashboard is opened again', async () => {
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

test('where nothing is missing, or nobody can tell, nothing is said', async () => {
  await openDashboard(siteWith([]), { path: PATH })
  await screen.findByRole('heading', { name: 'Configurações' })
  expect(line()).toBeNull()
  expect(screen.queryByRole('button', { name: 'Dispensar aviso' })).toBeNull()
})

const JUMPED = {
  code: 'clock_jumped',
  message: 'O relógio do servidor marca 2032-11-15 12:00 UTC, 2192 dias adiantado.',
} as const

test('a clock that jumped is told on every screen until somebody confirms it', async () => {
  const site = new ScriptedSite()
  site.problems = [JUMPED]
  const { person } = await openDashboard(site, { path: '/admin/usuarios' })
  await screen.findByText(/2192 dias adiantado/)
  await person.click(screen.getByRole('link', { name: 'Configurações' }))
  await person.click(await screen.findByRole('button', { name: 'O relógio está certo' }))
  await waitFor(() => expect(screen.queryByText(/2192 dias adiantado/)).toBeNull())
  expect(site.problems).toEqual([])
})

test('a damaged database is told, and cannot be confirmed away', async () => {
  const site = new ScriptedSite()
  site.problems = [{ code: 'database_damaged', message: 'Restaure um backup.' }]
  await openDashboard(site, { path: PATH })
  await screen.findByText('O banco de dados está danificado')
  expect(screen.queryByRole('button', { name: 'O relógio está certo' })).toBeNull()
})
