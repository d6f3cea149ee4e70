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

test('are a sub-page, and show whether each was delivered, and if not why', async () => {
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
  expect(ana?.textContent).toMatch(/ana@exemplo\.com\.br.*Enviada/)
  // A long address breaks after its at sign, not inside a word.
  expect(ana?.innerHTML).toContain('ana@<wbr>exemplo.com.br')
  expect(bia?.textContent).toMatch(/Na fila.*O webhook respondeu com o erro 503\. Nova tentativa em/)
  expect(caio?.textContent).toMatch(/Não enviada.*demorou para responder\. Paramos depois de 12 tentativas\./)
  expect(within(ana as HTMLElement).queryByRole('button', { name: /^Tentar agora/ })).toBeNull()
  await person.click(within(caio as HTMLElement).getByRole('button', { name: /^Tentar agora/ }))
  await screen.findByText('Vamos tentar enviar de novo: caio@exemplo.com.br')
  await waitFor(() => expect(rows()[2]?.textContent).toContain('Na fila'))
  await person.click(screen.getByRole('button', { name: 'Tentar todas agora' }))
  await waitFor(() => expect(site.callsTo('POST /admin/api/subscriptions/retry')).toHaveLength(2))
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
})

test('are searched, paged, and saved as a file', async () => {
  site.subscriptions = Array.from({ length: 52 }, (_, n) => makeSubscription(`pessoa${n}@exemplo.com.br`))
  const { person } = await openDashboard(site, { path: PATH })
  await waitFor(() => expect(rows()).toHaveLength(50))
  await person.click(screen.getByRole('button', { name: 'Mostrar mais' }))
  await waitFor(() => expect(rows()).toHaveLength(52))
  expect(screen.queryByRole('button', { name: 'Mostrar mais' })).toBeNull()
  await person.click(screen.getByRole('searchbox', { name: 'Buscar por e-mail' }))
  await person.paste('pessoa51')
  await waitFor(() => expect(rows()).toHaveLength(1))
  await person.selectOptions(screen.getByLabelText('Filtrar por situação'), 'failed')
  await screen.findByText('Nenhuma inscrição encontrada')
  await person.click(screen.getByRole('button', { name: 'Limpar busca e filtro' }))
  await waitFor(() => expect(rows()).toHaveLength(52))
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  await person.click(screen.getByRole('button', { name: 'Baixar CSV' }))
  await waitFor(() => expect(clicked).toHaveBeenCalledTimes(1))
  expect((clicked.mock.contexts[0] as HTMLAnchorElement).download).toBe('inscricoes.csv')
})

test('are erased after a question, from the row or by address', async () => {
  site.subscriptions = [makeSubscription('ana@exemplo.com.br'), makeSubscription('bia@exemplo.com.br')]
  const { person } = await openDashboard(site, { path: PATH })
  await person.click(await screen.findByRole('button', { name: 'Excluir: ana@exemplo.com.br' }))
  const question = within(await screen.findByRole('alertdialog'))
  question.getByText(/^ana@exemplo\.com\.br sai da lista/)
  await person.click(question.getByRole('button', { name: 'Cancelar' }))
  expect(site.callsTo('POST /admin/api/subscriptions/erase')).toEqual([])
  await person.click(screen.getByRole('button', { name: 'Excluir: ana@exemplo.com.br' }))
  await person.click(
    within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Excluir dados' }),
  )
  await screen.findByText('O e-mail pode já ter sido enviado ao webhook. Peça a exclusão lá também.')
  await waitFor(() => expect(rows()).toHaveLength(1))

  const address = screen.getByLabelText('E-mail de quem fez o pedido')
  const button = screen.getByRole('button', { name: 'Excluir dados' })
  await person.type(address, 'ninguém')
  await person.click(button)
  await screen.findByText('Digite o e-mail de quem fez o pedido.')
  await person.clear(address)
  await person.type(address, 'ninguem@exemplo.com.br')
  await person.click(button)
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Cancelar' }))
  expect((address as HTMLInputElement).value).toBe('ninguem@exemplo.com.br')
  await person.click(button)
  await person.click(
    within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Excluir dados' }),
  )
  await screen.findByText('Nenhuma inscrição com este e-mail.')
  expect(rows()).toHaveLength(1)
})

test('show an empty state, and that nothing is delivered', async () => {
  site.delivers = false
  await openDashboard(site, { path: PATH })
  await screen.findByText('Nenhuma inscrição ainda')
  screen.getByText(/aparece aqui, com a situação do envio/)
  screen.getByText(/^Ainda não há um webhook configurado/)
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
  // There is nothing to download.
  expect(screen.queryByRole('button', { name: 'Baixar CSV' })).toBeNull()
})

test.each([
  [1, '1 inscrição · nenhum webhook configurado'],
  [2, '2 inscrições · nenhum webhook configurado'],
])('%i without a webhook: kept, with the right number', async (count, summary) => {
  site.delivers = false
  site.subscriptions = Array.from({ length: count }, (_, n) =>
    makeSubscription(`pessoa${n}@exemplo.com.br`, { status: 'pending' }),
  )
  await openDashboard(site, { path: PATH })
  await waitFor(() => expect(screen.getByRole('main').textContent).toContain(summary))
})

test('report a failed load and retry', async () => {
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
  await screen.findByText('Nenhuma inscrição ainda')
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
})
