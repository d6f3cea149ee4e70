import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { openDashboard } from '../support/render-dashboard.tsx'
import { BIA, makeLogin, NOW } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

test('says in text that the principal cannot be deleted', async () => {
  await openDashboard(site, { path: '/admin/usuarios' })
  const row = (await screen.findByText('Principal')).closest('tr') as HTMLElement
  within(row).getByText('Não é possível excluir o usuário administrador principal.')
})

test('reports a new administrator as added, an edited one as saved', async () => {
  const { person } = await openDashboard(site, { path: '/admin/usuarios' })
  await person.click(await screen.findByRole('button', { name: 'Adicionar Admin' }))
  const dialog = await screen.findByRole('dialog')
  await person.type(within(dialog).getByLabelText('Email'), 'ana@exemplo.com.br')
  await person.type(within(dialog).getByLabelText('Senha'), 'varanda-azulejo-27')
  await person.click(within(dialog).getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Usuário adicionado: ana@exemplo.com.br')
  await person.click(screen.getByRole('button', { name: 'Editar: ana@exemplo.com.br' }))
  await person.selectOptions(await screen.findByLabelText('Função'), 'super_admin')
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Usuário salvo: ana@exemplo.com.br')
})

test('saving over a newer change of the same person warns first', async () => {
  const { person } = await openDashboard(site, { path: '/admin/usuarios' })
  await person.click(await screen.findByRole('button', { name: `Editar: ${BIA.email}` }))
  await person.selectOptions(await screen.findByLabelText('Função'), 'super_admin')
  const saved = site.users.find(({ email }) => email === BIA.email)
  Object.assign(saved ?? {}, { updated_at: NOW })
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Este usuário foi alterado depois que você abriu o formulário.')
  expect(saved?.role).toBe('admin')
  await person.click(screen.getByRole('button', { name: 'Salvar a minha versão' }))
  await screen.findByText(`Usuário salvo: ${BIA.email}`)
  expect(saved?.role).toBe('super_admin')
})

test('distinguishes sessions of the same browser by hour and address', async () => {
  site.logins = [
    makeLogin('a', { current: true }),
    makeLogin('b', { created_at: '2026-11-14T21:07:00Z', address: '187.45.12.0/24' }),
    makeLogin('c', { created_at: '2026-11-14T09:30:00Z', address: '2804:14c::/48' }),
    makeLogin('d', { created_at: '2026-11-14T09:30:00Z', address: null }),
  ]
  await openDashboard(site, { path: '/admin/conta' })
  const items = (await screen.findAllByText('Chrome no Linux')).map((name) => name.closest('li')?.textContent)
  expect(items[1]).toMatch(/14\/11\/2026,? (às )?\d\d:07/)
  expect(items[1]).toContain('187.45.12.0/24')
  expect(items[2]).toContain('2804:14c::/48')
  expect(items[3]).not.toContain('null')
  expect(new Set(items).size).toBe(4)
})

test('keeps the focus after a session was ended', async () => {
  site.logins = [makeLogin('a', { current: true }), makeLogin('b'), makeLogin('c')]
  const { person } = await openDashboard(site, { path: '/admin/conta' })
  for (const left of [1, 0]) {
    const [end] = await screen.findAllByRole('button', { name: /^Encerrar sessão: Chrome/ })
    await person.click(end as Element)
    await waitFor(() =>
      expect(screen.queryAllByRole('button', { name: /^Encerrar sessão: Chrome/ })).toHaveLength(left),
    )
    expect(document.activeElement?.textContent).toBe('Sessões ativas')
  }
})

test('ends a session once for two clicks, with Portuguese texts', async () => {
  site.logins = [makeLogin('a', { current: true }), makeLogin('b')]
  const { person } = await openDashboard(site, { path: '/admin/conta' })
  const held = site.hold('DELETE /admin/api/logins/b')
  await person.dblClick(await screen.findByRole('button', { name: /^Encerrar sessão: Chrome/ }))
  await waitFor(() => expect(held.length).toBeGreaterThan(0))
  for (const call of held) call.release()
  await screen.findByText('Sessão encerrada')
  expect(site.callsTo('DELETE /admin/api/logins/b')).toHaveLength(1)
})

test('treats a session that was ended elsewhere as ended', async () => {
  site.logins = [makeLogin('a', { current: true }), makeLogin('b')]
  const { person } = await openDashboard(site, { path: '/admin/conta' })
  const end = await screen.findByRole('button', { name: /^Encerrar sessão: Chrome/ })
  site.logins = site.logins.slice(0, 1)
  site.refuse('DELETE /admin/api/logins/*', 404, { error: 'not_found', message: 'Not found' })
  await person.click(end)
  await screen.findByText('Sessão encerrada')
  expect(screen.queryByText(/Not found/)).toBeNull()
})
