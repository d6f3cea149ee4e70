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
  site.alerts = { kinds: ['new_host'], can_send: true }
  const { person } = await openDashboard(site, { path: '/admin/conta' })
  expect((await box('Uma tag tenta falar com um endereço novo')).checked).toBe(true)
  await person.click(await box('Um pixel para de funcionar'))
  await waitFor(() => expect(site.alerts.kinds).toEqual(['broken', 'new_host']))
  await person.click(await box('Uma tag tenta falar com um endereço novo'))
  await waitFor(() => expect(site.alerts.kinds).toEqual(['broken']))
  expect(within(await section()).queryByRole('note')).toBeNull()
  expect(await findComponentFaults(await section())).toEqual([])
})

test('two quick clicks are both shown within the click, and both stored', async () => {
  site.alerts = { kinds: [], can_send: true }
  await openDashboard(site, { path: '/admin/conta' })
  const broken = await box('Um pixel para de funcionar')
  const host = await box('Uma tag tenta falar com um endereço novo')
  fireEvent.click(broken)
  expect(broken.checked).toBe(true)
  fireEvent.click(host)
  expect([broken.checked, host.checked]).toEqual([true, true])
  await waitFor(() => expect(site.alerts.kinds).toEqual(['broken', 'new_host']))
})

test('a choice that is not stored goes back, and says so', async () => {
  site.refuse('PUT /admin/api/alerts', 500)
  const { person } = await openDashboard(site, { path: '/admin/conta' })
  await person.click(await box('Um pixel para de funcionar'))
  await screen.findByText('A escolha não foi salva.')
  await waitFor(async () => expect((await box('Um pixel para de funcionar')).checked).toBe(false))
})

test('without a mail server the choice says that nothing can go out', async () => {
  site.alerts = { kinds: [], can_send: false }
  await openDashboard(site, { path: '/admin/conta' })
  await screen.findByText('Nenhum e-mail pode sair: não há servidor de e-mail configurado.')
  expect(await findComponentFaults(await section())).toEqual([])
})

test('choices that do not come are asked for again', async () => {
  site.refuse('GET /admin/api/alerts', 500)
  await openDashboard(site, { path: '/admin/conta' })
  const again = await within(await section()).findByRole('button', { name: 'Tentar novamente' })
  expect(await findComponentFaults(await section())).toEqual([])
  site.answer('GET /admin/api/alerts', () => site.alerts)
  again.click()
  await box('Um pixel para de funcionar')
})
