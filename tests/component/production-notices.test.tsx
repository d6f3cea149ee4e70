import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { openDashboard } from '../support/render-dashboard.tsx'
import { ScriptedSite } from '../support/scripted-site.ts'

afterEach(() => localStorage.clear())

const GAP = { code: 'no_smtp_url', message: 'Nenhum e-mail é enviado. Defina SMTP_URL.' }
const heading = () => screen.findByRole('heading', { name: 'Configurações' })
const line = () => screen.queryByText(/Nenhum e-mail é enviado/)

function siteWith(gaps: (typeof GAP)[]): ScriptedSite {
  const site = new ScriptedSite()
  site.gaps = gaps
  return site
}

test('what production lacks is one line, which goes when it is dismissed and comes back only for something new', async () => {
  const site = siteWith([GAP])
  const { person } = await openDashboard(site, { path: '/admin/configuracoes' })
  await heading()
  expect(await screen.findByText(/Defina SMTP_URL/)).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Dispensar aviso' }))
  expect(line()).toBeNull()
  cleanup()
  site.gaps = [GAP, { code: 'no_admin_url', message: 'Dê ao painel um endereço próprio.' }]
  await openDashboard(site, { path: '/admin/configuracoes' })
  expect(await screen.findByText(/um endereço próprio/)).toBeTruthy()
  expect(line()).toBeNull()
})

test('where nothing is missing, nothing is said', async () => {
  await openDashboard(siteWith([]), { path: '/admin/configuracoes' })
  await heading()
  expect(line()).toBeNull()
  expect(screen.queryByRole('button', { name: 'Dispensar aviso' })).toBeNull()
})
