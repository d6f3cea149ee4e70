import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { ALERT_KINDS, type AlertWebhookInput } from '#contract/alerts.ts'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { ScriptedSite } from '../support/scripted-site.ts'

const PATH = '/admin/api/alerts/webhook'
const CHANGED = '2026-11-15T13:00:00.000Z'

let site: ScriptedSite
let saved: AlertWebhookInput[]
beforeEach(() => {
  site = new ScriptedSite()
  saved = []
  site.answer(`PUT ${PATH}`, ({ body }) => {
    const { format, kinds } = body as AlertWebhookInput
    saved.push(body as AlertWebhookInput)
    site.chat = { format, kinds, changed_at: CHANGED, last: null }
    return { webhook: site.chat }
  })
})
const open = () => openDashboard(site, { path: '/admin/configuracoes' })
const section = () => screen.findByRole('region', { name: 'Avisos no chat da equipe' })
const button = async (name: string) => within(await section()).findByRole('button', { name })

test('connects a chat by its address, which suggests the format', async () => {
  const { person } = await open()
  await person.click(await button('Conectar chat'))
  const dialog = within(await screen.findByRole('dialog'))
  const address = dialog.getByRole('textbox', { name: 'Endereço do webhook' })
  await person.type(address, 'http://discord.com/x')
  await person.click(dialog.getByRole('button', { name: 'Salvar' }))
  await dialog.findByText('O endereço precisa começar com https://.')
  await person.clear(address)
  await person.type(address, 'https://discord.com/api/webhooks/1/x')
  expect(dialog.getByRole<HTMLSelectElement>('combobox', { name: 'Formato' }).value).toBe('discord')
  await person.click(dialog.getByRole('checkbox', { name: 'um arquivo de plataforma mudar' }))
  expect(await findComponentFaults(screen.getByRole('dialog'))).toEqual([])
  await person.click(dialog.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Chat conectado')
  expect(saved).toEqual([
    {
      url: 'https://discord.com/api/webhooks/1/x',
      format: 'discord',
      kinds: ALERT_KINDS.filter((kind) => kind !== 'script_changed'),
    },
  ])
  within(await section()).getByText('Discord')
  expect(await findComponentFaults(await section())).toEqual([])
})

test('keeps the stored address if none is typed, and asks for at least one alert', async () => {
  site.chat = { format: 'slack', kinds: ['broken'], changed_at: CHANGED, last: null }
  const { person } = await open()
  await person.click(await button('Alterar'))
  const dialog = within(await screen.findByRole('dialog'))
  await person.click(dialog.getByRole('checkbox', { name: 'um pixel parar de funcionar' }))
  await person.click(dialog.getByRole('button', { name: 'Salvar' }))
  await dialog.findByText('Escolha pelo menos um aviso.')
  await person.click(dialog.getByRole('checkbox', { name: 'um arquivo de plataforma mudar' }))
  await person.click(dialog.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Chat alterado')
  expect(saved).toEqual([{ format: 'slack', kinds: ['script_changed'] }])
})

test('shows why a test did not arrive, and when one did', async () => {
  site.chat = { format: 'slack', kinds: ['broken'], changed_at: CHANGED, last: null }
  const problem = 'O chat recusou o endereço (código 404). Crie outro no chat e salve aqui.'
  const answerTest = (result: string | null) =>
    site.answer(`POST ${PATH}/test`, () => {
      if (site.chat !== null) site.chat = { ...site.chat, last: { at: CHANGED, problem: result } }
      return { problem: result }
    })
  const { person } = await open()
  answerTest(problem)
  await person.click(await button('Enviar teste'))
  await within(await section()).findByText(problem)
  expect(screen.queryByText('Teste enviado')).toBeNull()
  answerTest(null)
  await person.click(await button('Enviar teste'))
  await screen.findByText('Teste enviado')
  expect(within(await section()).queryByText(problem)).toBeNull()
  expect(await findComponentFaults(await section())).toEqual([])
})

test('asks before it disconnects the chat', async () => {
  site.chat = { format: 'slack', kinds: ['broken'], changed_at: CHANGED, last: null }
  site.answer(`DELETE ${PATH}`, () => {
    site.chat = null
    return { webhook: null }
  })
  const { person } = await open()
  await person.click(await button('Desconectar'))
  await person.click(
    within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Desconectar' }),
  )
  await screen.findByText('Chat desconectado')
  await button('Conectar chat')
})

test('retries a chat that could not be loaded', async () => {
  site.refuse(`GET ${PATH}`, 500)
  await open()
  const again = await button('Tentar novamente')
  site.answer(`GET ${PATH}`, () => ({ webhook: null }))
  again.click()
  await button('Conectar chat')
})
