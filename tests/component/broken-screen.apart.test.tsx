import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { Suspense } from 'react'
import { expect, test, vi } from 'vitest'
import { lazyPart, RootBoundary, ScreenBoundary } from '#admin/components/error-boundary.tsx'
import { openDashboard } from '../support/render-dashboard.tsx'
import { BIA, makeLogin, makePixel, makeUser } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const MALFORMED = 'ontem'

test.each([
  ['/admin', (site: ScriptedSite) => (site.pixels = [makePixel({ created_at: MALFORMED })])],
  ['/admin/usuarios', (site: ScriptedSite) => (site.users = [makeUser({ ...BIA, created_at: MALFORMED })])],
  ['/admin/conta', (site: ScriptedSite) => (site.logins = [makeLogin('x', { created_at: MALFORMED })])],
])('an invalid date breaks neither %s nor the navigation', async (path, spoil) => {
  const site = new ScriptedSite()
  spoil(site)
  const { person } = await openDashboard(site, { path })
  expect(await screen.findAllByText(/data desconhecida/)).not.toEqual([])
  await person.click(screen.getByRole('link', { name: 'Configurações' }))
  await screen.findByText('Configurações do sistema em desenvolvimento')
})

test('a broken screen shows its own error, can be retried, and leaves the others alone', async () => {
  const site = new ScriptedSite()
  // What no version of the server sends.
  site.pixels = [null as never]
  vi.mocked(console.error).mockImplementation(() => {})
  const { person } = await openDashboard(site)
  await screen.findByRole('heading', { name: 'Algo deu errado nesta tela' })
  await person.click(screen.getByRole('link', { name: 'Usuários Admin' }))
  await screen.findByRole('heading', { name: 'Gerenciar Usuários Admin' })
  await person.click(screen.getByRole('link', { name: 'Pixels & Tags' }))
  await screen.findByRole('heading', { name: 'Algo deu errado nesta tela' })
  site.pixels = [makePixel({ name: 'Meta' })]
  await person.click(screen.getByRole('button', { name: 'Tentar novamente' }))
  await screen.findByRole('switch', { name: 'Ativo: Meta' })
})

test('does not call a screen broken whose code could not be loaded', async () => {
  vi.mocked(console.error).mockImplementation(() => {})
  const Screen = lazyPart(() => Promise.reject(new TypeError('offline')))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ScreenBoundary>
        <Suspense>
          <Screen />
        </Suspense>
      </ScreenBoundary>
    </QueryClientProvider>,
  )
  await screen.findByRole('heading', { name: 'Esta tela não carregou' })
  expect(screen.queryByText(/parou de funcionar/)).toBeNull()
})

test('shows an error outside of every screen instead of an empty page', async () => {
  vi.mocked(console.error).mockImplementation(() => {})
  const reload = vi.spyOn(location, 'reload').mockImplementation(() => {})
  const Broken = () => {
    throw new Error('broken')
  }
  render(
    <RootBoundary>
      <Broken />
    </RootBoundary>,
  )
  await screen.findByRole('heading', { name: 'O painel parou de funcionar' })
  screen.getByRole('button', { name: 'Recarregar a página' }).click()
  expect(reload).toHaveBeenCalledOnce()
})
