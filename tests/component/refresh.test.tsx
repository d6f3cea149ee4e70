import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makeLogin, makePixel, makeSubscription } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

const lookAgain = () => document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))

test.each([
  ['/admin', 'GET /rest/v1/tracking_pixels', 'Loja'],
  ['/admin/lixeira', 'GET /admin/api/trash', 'Verão'],
  ['/admin/inscricoes', 'GET /admin/api/subscriptions', 'ana@exemplo.com.br'],
])('at %s a failed refresh keeps the data, and says how old it is', async (path, route, text) => {
  site.pixels = [makePixel({ name: 'Loja' })]
  site.trash = [makePixel({ name: 'Verão' })]
  site.subscriptions = [makeSubscription('ana@exemplo.com.br')]
  const { person } = await openDashboard(site, { path })
  await screen.findAllByText(text)
  site.refuse(route, 500)
  lookAgain()
  await screen.findByText(/^Não foi possível atualizar\. Estes dados são de 15\/11\/2026/)
  expect(screen.getAllByText(text)).not.toEqual([])
  const asked = site.callsTo(route).length
  await person.click(screen.getByRole('button', { name: 'Atualizar' }))
  await waitFor(() => expect(site.callsTo(route).length).toBeGreaterThan(asked))
})

test.each([
  ['/admin/conta', 'Encerrar as outras sessões', 'POST /auth/v1/logout'],
  ['/admin/inscricoes', 'Baixar CSV', 'GET /admin/api/subscriptions/export'],
])('at %s a double click on "%s" is one request', async (path, name, route) => {
  site.logins = [makeLogin('esta', { current: true }), makeLogin('outra')]
  site.subscriptions = [makeSubscription('ana@exemplo.com.br')]
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  await openDashboard(site, { path })
  const button = await screen.findByRole('button', { name })
  // Both before anything is rendered again, like a quick double click.
  button.click()
  button.click()
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull())
  await waitFor(() => expect(site.callsTo(route)).toHaveLength(1))
})
