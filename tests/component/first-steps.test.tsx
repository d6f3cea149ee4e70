import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { FirstSteps } from '#contract/admin-page.ts'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { ScriptedSite } from '../support/scripted-site.ts'

const NOTHING: FirstSteps = {
  tested: false,
  second_factor: false,
  mail: false,
  https: false,
  data_contact: false,
  hidden: false,
}
const EVERYTHING: FirstSteps = {
  tested: true,
  second_factor: true,
  mail: true,
  https: true,
  data_contact: true,
  hidden: false,
}

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
  site.answer('PUT /auth/v1/user', ({ body }) => {
    const { data = {} } = body as { data?: Record<string, unknown> }
    if ('hides_first_steps' in data && site.firstSteps !== null)
      site.firstSteps = { ...site.firstSteps, hidden: data.hides_first_steps === true }
    if (data.keeps_generated_password === true) site.offersPassword = false
    return { id: 'u', email: 'principal@portico.example', user_metadata: data, app_metadata: {} }
  })
})

const steps = () => screen.findByRole('region', { name: 'Primeiros passos' })
const today = () => screen.findByRole('region', { name: 'Hoje' })

test('an empty site shows six steps above the empty list, the next one first', async () => {
  site.firstSteps = { ...NOTHING, https: true }
  const { person } = await openDashboard(site)
  const list = within(await steps())
  expect(list.getAllByRole('listitem').map((item) => item.querySelector('p')?.textContent)).toEqual([
    'Crie o primeiro pixel',
    'Teste o pixel',
    'Proteja seu acesso',
    'Ative o envio de e-mails',
    'Use um endereço https: pronto',
    'Diga quem responde pelos dados',
  ])
  list.getByText('1', { selector: 'b' })
  list.getByText('depois do primeiro pixel')
  expect(list.getByRole('link', { name: 'Ativar verificação em duas etapas' }).getAttribute('href')).toBe(
    '/admin/conta',
  )
  expect(screen.queryByRole('region', { name: 'Hoje' })).toBeNull()
  screen.getByText('Nenhum pixel configurado')
  screen.getByText('Adicione seu primeiro pixel para começar o rastreamento')
  expect(await findComponentFaults(await steps())).toEqual([])
  await person.click(list.getByRole('button', { name: 'Adicionar Pixel' }))
  await screen.findByRole('dialog', { name: 'Adicionar Novo Pixel' })
})

test('what only the operator can set is a text to copy, with the names to set', async () => {
  site.firstSteps = NOTHING
  const { person } = await openDashboard(site)
  const list = within(await steps())
  const copied: string[] = []
  for (const button of list.getAllByRole('button', { name: 'Copiar pedido ao TI' })) {
    await person.click(button)
    await waitFor(() => expect(button.textContent).toBe('Copiado'))
    copied.push(await navigator.clipboard.readText())
  }
  expect(copied.map((text) => text.match(/[A-Z]{3,}(_[A-Z]+)+/g))).toEqual([
    ['SMTP_URL'],
    ['SITE_URL'],
    ['COMPANY_LEGAL_NAME', 'DPO_EMAIL'],
  ])
})

test('with a pixel they are one line below the list, which opens', async () => {
  site.addPixel('Loja', { health: 'working', confirmed: true })
  site.firstSteps = { ...EVERYTHING, mail: false, data_contact: false }
  const { person } = await openDashboard(site)
  const line = within(await steps())
  line.getByText('Primeiros passos: 4 de 6.')
  line.getByText(/Falta ativar o envio de e-mails e dizer quem responde pelos dados\./)
  await today()
  await person.click(line.getByRole('button', { name: 'Continuar' }))
  expect(within(await steps()).getAllByRole('listitem')).toHaveLength(6)
  await today()
})

test('they can be hidden, and come back from Configurações', async () => {
  site.firstSteps = NOTHING
  const { person } = await openDashboard(site)
  await person.click(within(await steps()).getByRole('button', { name: 'Esconder por enquanto' }))
  await today()
  expect(screen.queryByRole('region', { name: 'Primeiros passos' })).toBeNull()
  await person.click(screen.getByRole('link', { name: 'Configurações' }))
  await person.click(await screen.findByRole('button', { name: 'Mostrar de novo' }))
  await steps()
})

test.each([
  ['all are done', EVERYTHING],
  ['they are unknown', null],
])('shows no steps if %s', async (_why, known) => {
  site.addPixel('Loja', { health: 'working', confirmed: true })
  site.firstSteps = known
  await openDashboard(site)
  await today()
  expect(screen.queryByRole('region', { name: 'Primeiros passos' })).toBeNull()
})

test('a password that the program made may be changed, or kept for good', async () => {
  site.offersPassword = true
  const { person } = await openDashboard(site, { path: '/admin/usuarios' })
  const offer = within(await screen.findByRole('region', { name: 'Escolha uma senha sua' }))
  await person.click(offer.getByRole('button', { name: 'Alterar senha' }))
  await person.click(
    within(await screen.findByRole('dialog', { name: 'Alterar senha' })).getByRole('button', {
      name: 'Cancelar',
    }),
  )
  await person.click(offer.getByRole('button', { name: 'Agora não' }))
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Escolha uma senha sua' })).toBeNull())
  expect(site.offersPassword).toBe(false)
})

test('offers the summary of the week where emails can be sent', async () => {
  site.firstSteps = { ...NOTHING, mail: true }
  await openDashboard(site)
  const link = within(await steps()).getByRole('link', { name: 'Ative o resumo em Minha conta' })
  expect(link.getAttribute('href')).toBe('/admin/conta')
  expect(await findComponentFaults(await steps())).toEqual([])
})

test('offers no summary of the week without emails', async () => {
  site.firstSteps = NOTHING
  await openDashboard(site)
  expect(within(await steps()).queryByRole('link', { name: /resumo/ })).toBeNull()
})
