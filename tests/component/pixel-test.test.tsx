import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { DeliveryCheck } from '#contract/conversions.ts'
import type { NewTest, TestVerdict } from '#contract/tag-test.ts'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { BIA, makeTest } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

let site: ScriptedSite
let opened: unknown[][]
beforeEach(() => {
  site = new ScriptedSite()
  opened = []
  vi.stubGlobal('open', (...call: unknown[]) => void opened.push(call))
})

async function openPixel() {
  const pixel = site.addPixel('Loja', { health: 'waiting' })
  const { person } = await openDashboard(site, { path: `/admin/pixels/${pixel.id}` })
  await screen.findByRole('heading', { name: 'Loja', level: 2 })
  return { pixel, person }
}

const STOPPED: TestVerdict = {
  health: 'broken',
  confirmed: false,
  title: 'A nossa política barrou px.ads.linkedin.com',
  text: 'Permita e teste de novo.',
  action: { kind: 'permit', ids: ['b1'], label: 'Permitir px.ads.linkedin.com' },
}

describe('"Testar agora"', () => {
  test('opens the site in a tab that knows nothing of the dashboard, and shows the test under its own address', async () => {
    const { pixel, person } = await openPixel()
    await person.click(screen.getByRole('button', { name: 'Testar agora' }))
    await screen.findByRole('heading', { name: 'Esperando o site abrir' })
    const heading = screen.getByRole('heading', { name: 'Teste de Loja', level: 2 })
    const [test] = site.tests
    expect(opened).toEqual([[`http://localhost:3000/#teste=${test?.id}`, '_blank', 'noopener,noreferrer']])
    expect(location.pathname).toBe(`/admin/pixels/${pixel.id}/testes/${test?.id}`)
    await waitFor(() => expect(document.activeElement).toBe(heading))
    expect(document.title).toMatch(/^Teste de Loja · /)
    // For a browser that opened nothing by itself.
    const link = screen.getByRole('link', { name: 'Abrir o site' })
    expect(link.getAttribute('href')).toBe(opened[0]?.[0])
    expect(link.getAttribute('rel')).toBe('noopener noreferrer')
    expect(screen.queryByRole('button', { name: 'Testar de novo' })).toBeNull()
  })

  test('shows steps as they come, and at the end what to do', async () => {
    const { person } = await openPixel()
    await person.click(screen.getByRole('button', { name: 'Testar agora' }))
    await screen.findByText('Esperando o site abrir', { selector: 'li' })
    const [running] = site.tests
    Object.assign(running ?? {}, {
      state: 'open',
      steps: [
        { kind: 'opened', at: 0 },
        { kind: 'chosen', at: 6_100, ok: true },
      ],
    })
    await vi.advanceTimersByTimeAsync(1_000)
    const steps = await screen.findByRole('region', { name: 'Passo a passo' })
    await within(steps).findByText('Você liberou a categoria desta tag')
    within(steps).getByText('6,1 s')
    expect(screen.queryByRole('link', { name: 'Abrir o site' })).toBeNull()
    Object.assign(running ?? {}, {
      state: 'done',
      verdict: STOPPED,
      steps: [
        { kind: 'opened', at: 0 },
        { kind: 'chosen', at: 6_100, ok: true },
        { kind: 'stopped', at: 6_900, host: 'px.ads.linkedin.com', text: 'img-src' },
      ],
    })
    await vi.advanceTimersByTimeAsync(1_000)
    await screen.findByRole('heading', { name: STOPPED.title })
    await within(steps).findByText('barrado por nós')
    await person.click(screen.getByRole('button', { name: 'Permitir px.ads.linkedin.com' }))
    await screen.findByText('Permitido: px.ads.linkedin.com')
    await person.click(screen.getByRole('button', { name: 'Testar de novo' }))
    await screen.findByRole('heading', { name: 'Esperando o site abrir' })
    expect(site.tests).toHaveLength(2)
  })

  test('is not looked at any more once the tab was left', async () => {
    const { pixel } = await openPixel()
    const test = makeTest({ state: 'done', steps: [{ kind: 'left', at: 1 }] })
    site.tests.push(test)
    const path = `/admin/api/pixels/${pixel.id}/tests/${test.id}`
    document.body.replaceChildren()
    await openDashboard(site, { path: `/admin/pixels/${pixel.id}/testes/${test.id}` })
    await screen.findByText('A aba do site foi fechada')
    const calls = () => site.calls.filter((call) => call.path === path).length
    const before = calls()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(calls()).toBe(before)
  })

  test('of a pixel that cannot be tested says why', async () => {
    const { person } = await openPixel()
    site.refuse('POST /admin/api/pixels/*/tests', 409, {
      error: 'pixel_off',
      message: 'Ative o pixel para testar: desligado, ele não está na página.',
    })
    await person.click(screen.getByRole('button', { name: 'Testar agora' }))
    await screen.findByText(/Ative o pixel para testar/)
    expect(opened).toEqual([])
  })
})

describe('of a pixel that the server tells Meta of', () => {
  const openMeta = async (delivery: 'server' | 'both') => {
    const pixel = site.addPixel('Loja', { health: 'waiting' }, { delivery, has_access_token: true })
    const { person } = await openDashboard(site, { path: `/admin/pixels/${pixel.id}` })
    await person.click(await screen.findByRole('button', { name: 'Testar agora' }))
    return { pixel, person, dialog: within(await screen.findByRole('dialog', { name: 'Testar agora' })) }
  }
  const sentCodes = () =>
    site.calls
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/tests'))
      .map(({ body }) => (body as NewTest).test_event_code)

  test('Meta’s code is asked for first, and needed where nothing runs on the page', async () => {
    const { person, dialog } = await openMeta('server')
    await person.click(dialog.getByRole('button', { name: 'Abrir o site' }))
    await dialog.findByText(/Informe o código de teste/)
    expect(opened).toEqual([])
    await person.type(dialog.getByRole('textbox'), 'TEST48213')
    expect(await findComponentFaults(screen.getByRole('dialog'))).toEqual([])
    await person.click(dialog.getByRole('button', { name: 'Abrir o site' }))
    await screen.findByRole('heading', { name: 'Esperando o site abrir' })
    expect(sentCodes()).toEqual(['TEST48213'])
  })

  test('without it, the browser’s part alone is tested', async () => {
    const { person, dialog } = await openMeta('both')
    await person.click(dialog.getByRole('button', { name: 'Abrir o site' }))
    await screen.findByRole('heading', { name: 'Esperando o site abrir' })
    expect(sentCodes()).toEqual([''])
  })

  test('what was sent and answered stands among the steps, and a refusal leads to the sending', async () => {
    const pixel = site.addPixel('Loja', { health: 'waiting' }, { delivery: 'server', has_access_token: true })
    const check: DeliveryCheck = {
      state: 'refused',
      message: 'A Meta recusou o token.',
      request: { method: 'POST', url: 'https://graph.facebook.com/v26.0/1/events', body: { data: ['Lead'] } },
      response: { status: 401, body: '{"error":{"code":190}}' },
    }
    const test = makeTest({
      delivery: 'server',
      steps: [
        { kind: 'opened', at: 0 },
        { kind: 'chosen', at: 1, ok: true },
        { kind: 'conversion', at: 2, conversion: 'lead' },
        { kind: 'copy', at: 3, copy: { event: 'lead', message: check.message, check } },
        { kind: 'copy', at: 4, copy: { event: 'page_view', message: 'Sem o código.', check: null } },
      ],
      verdict: {
        health: 'broken',
        confirmed: false,
        title: 'A Meta recusou a cópia do servidor',
        text: check.message,
        action: { kind: 'edit', label: 'Editar pixel' },
      },
    })
    site.tests.push(test)
    const { person } = await openDashboard(site, { path: `/admin/pixels/${pixel.id}/testes/${test.id}` })
    const steps = within(await screen.findByRole('region', { name: 'Passo a passo' }))
    await steps.findByText('Cópia do servidor: Clique em "Abrir Conta"')
    steps.getByText('recusado, 401')
    steps.getByText('não enviada')
    await person.click(steps.getByText('O que enviamos e a resposta'))
    expect(screen.getByRole('region', { name: 'Passo a passo' }).textContent).toContain('"code":190')
    expect(screen.getByRole('list', { name: 'Caminho da visita' }).children).toHaveLength(4)
    expect(await findComponentFaults()).toEqual([])
    await person.click(screen.getByRole('button', { name: 'Editar pixel' }))
    await screen.findByRole('dialog', { name: /Editar/ })
  })
})

describe('the last tests', () => {
  test('stand on the page of the pixel; only one’s own can be opened', async () => {
    site.tests.push(
      makeTest({ verdict: STOPPED }),
      makeTest({ by: BIA.email, is_mine: false, verdict: { ...STOPPED, title: 'Meta Pixel respondeu' } }),
    )
    await openPixel()
    const card = await screen.findByRole('region', { name: 'Testes' })
    await within(card).findByRole('link', { name: STOPPED.title })
    expect(within(card).queryByRole('link', { name: 'Meta Pixel respondeu' })).toBeNull()
    within(card).getByText(new RegExp(BIA.email))
  })

  test('one that is gone says so, and is not asked for again and again', async () => {
    const pixel = site.addPixel('Loja', { health: 'waiting' })
    const { person } = await openDashboard(site, {
      path: `/admin/pixels/${pixel.id}/testes/0b6e1c9a-8a53-4c55-9a3d-0f6a7c1b2d3e`,
    })
    await screen.findByText('Este teste não existe mais')
    expect(screen.queryByRole('button', { name: 'Tentar novamente' })).toBeNull()
    const route = `/admin/api/pixels/${pixel.id}/tests/0b6e1c9a-8a53-4c55-9a3d-0f6a7c1b2d3e`
    const asked = site.callsTo(`GET ${route}`).length
    await vi.advanceTimersByTimeAsync(5_000)
    expect(site.callsTo(`GET ${route}`)).toHaveLength(asked)
    await person.click(screen.getByRole('button', { name: 'Voltar ao pixel' }))
    await screen.findByRole('heading', { name: 'Loja' })
  })

  test('where there is none yet, it is said what a test does', async () => {
    await openPixel()
    await screen.findByText(/Nenhum teste ainda/)
  })
})
