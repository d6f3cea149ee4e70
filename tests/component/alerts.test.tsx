import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { ScriptedSite } from '../support/scripted-site.ts'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

const section = () => screen.findByRole('region', { name: 'Avisos por e-mail' })
const box = (name: string) => screen.findByRole<HTMLInputElement>('checkbox', { name })

test('are chosen in "Minha conta" one by one, and stored at once', async () => {
  site.alerts = { ...site.alerts, kinds: ['new_host'], can_send: true }
  const { person } = await openDashboard(site, { path: '/admin/conta' })
  expect((await box('o site bloquear um domínio novo de uma tag')).checked).toBe(true)
  await person.click(await box('um pixel parar de funcionar'))
  await waitFor(() => expect(site.alerts.kinds).toEqual(['broken', 'new_host']))
  await person.click(await box('o site bloquear um domínio novo de uma tag'))
  await waitFor(() => expect(site.alerts.kinds).toEqual(['broken']))
  expect(within(await section()).queryByRole('note')).toBeNull()
  expect(await findComponentFaults(await section())).toEqual([])
})

test('shows two quick clicks at once and stores both', async () => {
  site.alerts = { ...site.alerts, kinds: [], can_send: true }
  await openDashboard(site, { path: '/admin/conta' })
  const broken = await box('um pixel parar de funcionar')
  const host = await box('o site bloquear um domínio novo de uma tag')
  fireEvent.click(broken)
  expect(broken.checked).toBe(true)
  fireEvent.click(host)
  expect([broken.checked, host.checked]).toEqual([true, true])
  await waitFor(() => expect(site.alerts.kinds).toEqual(['broken', 'new_host']))
})

test('reverts a choice that could not be stored, with a message', async () => {
  site.refuse('PUT /admin/api/alerts', 500)
  const { person } = await openDashboard(site, { path: '/admin/conta' })
  await person.click(await box('um pixel parar de funcionar'))
  await screen.findByText('Não foi possível salvar sua escolha.')
  await waitFor(async () => expect((await box('um pixel parar de funcionar')).checked).toBe(false))
})

test('says without a mail server that nothing can be sent', async () => {
  site.alerts = { ...site.alerts, kinds: [], can_send: false }
  await openDashboard(site, { path: '/admin/conta' })
  await screen.findByText('Os avisos ainda não podem ser enviados.')
  expect(await findComponentFaults(await section())).toEqual([])
})

test('retries settings that could not be loaded', async () => {
  site.refuse('GET /admin/api/alerts', 500)
  await openDashboard(site, { path: '/admin/conta' })
  const again = await within(await section()).findByRole('button', { name: 'Tentar novamente' })
  expect(await findComponentFaults(await section())).toEqual([])
  site.answer('GET /admin/api/alerts', () => site.alerts)
  again.click()
  await box('um pixel parar de funcionar')
})

test('switches the summary of the week on and off', async () => {
  const { person } = await openDashboard(site, { path: '/admin/conta' })
  const summary = await box('resumo da semana, com visitas, cliques, campanhas e tags com problema')
  expect(summary.checked).toBe(false)
  await person.click(summary)
  await waitFor(() => expect(site.alerts).toMatchObject({ kinds: [], weekly_summary: true }))
  expect(summary.checked).toBe(true)
  await person.click(summary)
  await waitFor(() => expect(site.alerts.weekly_summary).toBe(false))
})
