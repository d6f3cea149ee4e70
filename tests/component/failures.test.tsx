import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { openDashboard } from '../support/render-dashboard.tsx'
import { BIA, MARINA, makePixel, PASSWORD } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
  site.pixels = [makePixel({ name: 'Meta' })]
})

test('a login without a server shows it, and works once it is back', async () => {
  const { person } = await openDashboard(site, { who: null })
  await person.type(screen.getByLabelText('Email'), MARINA.email)
  await person.type(screen.getByLabelText('Senha'), PASSWORD)
  site.away = true
  await person.click(screen.getByRole('button', { name: 'Entrar' }))
  const alert = await screen.findByRole('alert')
  await within(alert).findByText('Erro ao fazer login')
  await within(alert).findByText(/Verifique sua conexão/)
  site.away = false
  await person.click(screen.getByRole('button', { name: 'Entrar' }))
  await screen.findByRole('button', { name: 'Sair' })
})

test('keeps what was typed when a pixel cannot be saved, and saves it once the server is back', async () => {
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Editar: Meta' }))
  const name = await screen.findByLabelText<HTMLInputElement>('Nome do Pixel')
  await person.clear(name)
  await person.type(name, 'Outro')
  site.away = true
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await within(screen.getByRole('dialog')).findByText('Erro ao salvar pixel')
  expect(name.value).toBe('Outro')
  expect(site.pixels[0]?.name).toBe('Meta')
  site.away = false
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Pixel salvo: Outro')
  expect(site.pixels[0]?.name).toBe('Outro')
})

test('keeps a pixel that cannot be deleted, and offers a retry', async () => {
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Excluir: Meta' }))
  site.away = true
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Excluir' }))
  const message = (await screen.findByText('Não foi possível excluir o pixel Meta.')).closest('li')
  expect(site.pixels).toHaveLength(1)
  site.away = false
  await person.click(within(message as HTMLElement).getByRole('button', { name: 'Tentar novamente' }))
  await screen.findByText('Pixel excluído: Meta')
  await screen.findByText('Nenhum pixel configurado')
})

test('shows the agreed texts for an administrator who cannot be saved or deleted', async () => {
  const { person } = await openDashboard(site, { path: '/admin/usuarios' })
  await person.click(await screen.findByRole('button', { name: `Editar: ${BIA.email}` }))
  await person.selectOptions(await screen.findByLabelText('Função'), 'super_admin')
  site.away = true
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await within(screen.getByRole('dialog')).findByText('Erro ao salvar usuário')
  site.away = false
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await screen.findByText(`Usuário salvo: ${BIA.email}`)
  await person.click(screen.getByRole('button', { name: `Excluir: ${BIA.email}` }))
  site.away = true
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Excluir' }))
  await screen.findByText('Erro ao excluir usuário')
  expect(site.users.map(({ email }) => email)).toContain(BIA.email)
})

test.each([
  ['/admin', 'Não foi possível carregar os pixels.', 'Meta'],
  ['/admin/usuarios', 'Não foi possível carregar os usuários.', BIA.email],
])('the list of %s shows an unreachable server, and is loaded again', async (path, message, row) => {
  const { person } = await openDashboard(site, { path: '/admin/configuracoes' })
  site.away = true
  await person.click(
    screen.getAllByRole('link', {
      name: path === '/admin' ? /^Pixels & Tags/ : /^Usuários Admin/,
    })[0] as Element,
  )
  // A lost read is repeated three times, for seven seconds in all.
  await vi.advanceTimersByTimeAsync(10_000)
  const alert = await screen.findByText(message)
  site.away = false
  await person.click(
    within(alert.closest('[role=alert]') as HTMLElement).getByRole('button', { name: 'Tentar novamente' }),
  )
  await waitFor(() => expect(screen.getAllByText(row).length).toBeGreaterThan(0))
})
