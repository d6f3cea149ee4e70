import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makeSubscription } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const PATH = '/admin/inscricoes'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

const rows = () => within(screen.getByRole('list', { name: 'Inscrições' })).getAllByRole('listitem')

test('have their place under the tab, and say of each whether it was delivered, and if not why', async () => {
  site.subscriptions = [
    makeSubscription('ana@exemplo.com.br'),
    makeSubscription('bia@exemplo.com.br', { status: 'pending', last_error: 'HTTP 503', attempts: 2 }),
    makeSubscription('caio@exemplo.com.br', { status: 'failed', last_error: 'timeout', attempts: 12 }),
  ]
  const { person } = await openDashboard(site)
  await person.click(screen.getAllByRole('link', { name: 'Inscrições' })[0] as HTMLElement)
  expect(location.pathname).toBe(PATH)
  const heading = await screen.findByRole('heading', { name: 'Inscrições' })
  await waitFor(() => expect(document.activeElement).toBe(heading))
  expect(document.title).toMatch(/^Inscrições · /)
  await screen.findByText('3 inscrições')
  const [ana, bia, caio] = rows()
  expect(ana?.textContent).toMatch(/ana@exemplo\.com\.br.*Entregue/)
  expect(bia?.textContent).toMatch(/Na fila.*o webhook respondeu 503; nova tentativa em/)
  expect(caio?.textContent).toMatch(/Falhou.*não respondeu a tempo; desistimos após 12 tentativas/)
  expect(within(ana as HTMLElement).queryByRole('button', { name: /^Tentar agora/ })).toBeNull()
  await person.click(within(caio as HTMLElement).getByRole('button', { name: /^Tentar agora/ }))
  await screen.findByText('De volta à fila: caio@exemplo.com.br')
  await waitFor(() => expect(rows()[2]?.textContent).toContain('Na fila'))
  await person.click(screen.getByRole('button', { name: 'Tentar todas agora' }))
  await waitFor(() => expect(site.callsTo('POST /admin/api/subscriptions/retry')).toHaveLength(2))
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
})

test('are found, shown page by page, and saved as a file', async () => {
  site.subscriptions = Array.from({ length: 52 }, (_, n) => makeSubscription(`pessoa${n}@exemplo.com.br`))
  const { person } = await openDashboard(site, { path: PATH })
  await waitFor(() => expect(rows()).toHaveLength(50))
  await person.click(screen.getByRole('button', { name: 'Mostrar mais antigas' }))
  await waitFor(() => expect(rows()).toHaveLength(52))
  expect(screen.queryByRole('button', { name: 'Mostrar mais antigas' })).toBeNull()
  await person.click(screen.getByRole('searchbox', { name: 'Buscar por e-mail' }))
  await person.paste('pessoa51')
  await waitFor(() => expect(rows()).toHaveLength(1))
  await person.selectOptions(screen.getByLabelText('Situação'), 'failed')
  await screen.findByText('Nenhuma inscrição encontrada')
  await person.click(screen.getByRole('button', { name: 'Limpar busca e situação' }))
  await waitFor(() => expect(rows()).toHaveLength(52))
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  await person.click(screen.getByRole('button', { name: 'Baixar CSV' }))
  await waitFor(() => expect(clicked).toHaveBeenCalledTimes(1))
  expect((clicked.mock.contexts[0] as HTMLAnchorElement).download).toBe('inscricoes.csv')
})

test('are erased after a question, from the row or by the address alone', async () => {
  site.subscriptions = [makeSubscription('ana@exemplo.com.br'), makeSubscription('bia@exemplo.com.br')]
  const { person } = await openDashboard(site, { path: PATH })
  await person.click(await screen.findByRole('button', { name: 'Apagar: ana@exemplo.com.br' }))
  const question = within(await screen.findByRole('alertdialog'))
  question.getByText(/^ana@exemplo\.com\.br sai da lista/)
  await person.click(question.getByRole('button', { name: 'Cancelar' }))
  expect(site.callsTo('POST /admin/api/subscriptions/erase')).toEqual([])
  await person.click(screen.getByRole('button', { name: 'Apagar: ana@exemplo.com.br' }))
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Apagar' }))
  await screen.findByText('O endereço pode já ter chegado ao webhook: peça que seja apagado lá também.')
  await waitFor(() => expect(rows()).toHaveLength(1))

  const address = screen.getByLabelText('E-mail de quem pediu')
  const button = screen.getByRole('button', { name: 'Apagar dados' })
  await person.type(address, 'ninguém')
  await person.click(button)
  await screen.findByText('Digite o e-mail de quem pediu.')
  await person.clear(address)
  await person.type(address, 'ninguem@exemplo.com.br')
  await person.click(button)
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Cancelar' }))
  expect((address as HTMLInputElement).value).toBe('ninguem@exemplo.com.br')
  await person.click(button)
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Apagar' }))
  await screen.findByText('Não há inscrição com este e-mail.')
  expect(rows()).toHaveLength(1)
})

test('with nobody yet, says who will be there and that nothing is delivered', async () => {
  site.delivers = false
  await openDashboard(site, { path: PATH })
  await screen.findByText('Ninguém se inscreveu ainda')
  screen.getByText(/aparece aqui, com a situação da entrega/)
  screen.getByText(/^Não há webhook configurado/)
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
  // A file of nobody is of no use.
  expect(screen.queryByRole('button', { name: 'Baixar CSV' })).toBeNull()
})

test.each([
  [1, '1 inscrição, guardada: não há webhook configurado'],
  [2, '2 inscrições, guardadas: não há webhook configurado'],
])('%i that nobody is told of: kept, in the right number', async (count, summary) => {
  site.delivers = false
  site.subscriptions = Array.from({ length: count }, (_, n) =>
    makeSubscription(`pessoa${n}@exemplo.com.br`, { status: 'pending' }),
  )
  await openDashboard(site, { path: PATH })
  await waitFor(() => expect(screen.getByRole('main').textContent).toContain(summary))
})

test('that do not come say so, and are asked for again', async () => {
  const held = site.hold('GET /admin/api/subscriptions')
  site.refuse('GET /admin/api/subscriptions', 500)
  const { person } = await openDashboard(site, { path: PATH })
  await screen.findByText('Carregando inscrições')
  site.letGo('GET /admin/api/subscriptions')
  await waitFor(() => expect(held).toHaveLength(1))
  held[0]?.release()
  const again = await screen.findByRole('button', { name: 'Tentar novamente' })
  site.answer('GET /admin/api/subscriptions', () => ({ subscriptions: [], next: null, delivers: true }))
  await person.click(again)
  await screen.findByText('Ninguém se inscreveu ainda')
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
})
