import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { DeliveryCheck } from '#contract/conversions.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { NewTest, TestVerdict } from '#contract/tag-test.ts'
import { serveDestinations } from '#server/conversions/destinations/destinations.ts'
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
  title: 'O site bloqueou px.ads.linkedin.com',
  text: 'Permita e teste de novo.',
  action: { kind: 'permit', ids: ['b1'], label: 'Permitir px.ads.linkedin.com' },
}

describe('"Testar agora"', () => {
  test('opens the site in a tab without access to the dashboard, and shows the test at its own address', async () => {
    const { pixel, person } = await openPixel()
    await person.click(screen.getByRole('button', { name: 'Testar agora' }))
    await screen.findByRole('heading', { name: 'Aguardando você abrir o site' })
    const heading = screen.getByRole('heading', { name: 'Teste de Loja', level: 2 })
    const [test] = site.tests
    expect(opened).toEqual([[`http://localhost:3000/#teste=${test?.id}`, '_blank', 'noopener,noreferrer']])
    expect(location.pathname).toBe(`/admin/pixels/${pixel.id}/testes/${test?.id}`)
    await waitFor(() => expect(document.activeElement).toBe(heading))
    expect(document.title).toMatch(/^Teste de Loja · /)
    // For a browser that opened nothing.
    const link = screen.getByRole('link', { name: 'Abrir o site' })
    expect(link.getAttribute('href')).toBe(opened[0]?.[0])
    expect(link.getAttribute('rel')).toBe('noopener noreferrer')
    expect(screen.queryByRole('button', { name: 'Testar novamente' })).toBeNull()
  })

  test('shows steps as they arrive, and the next step at the end', async () => {
    const { person } = await openPixel()
    await person.click(screen.getByRole('button', { name: 'Testar agora' }))
    await screen.findByText('Aguardando o site abrir', { selector: 'li' })
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
    await within(steps).findByText('Você aceitou a categoria desta tag')
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
    await within(steps).findByText('bloqueado pelo site')
    await person.click(screen.getByRole('button', { name: 'Permitir px.ads.linkedin.com' }))
    await screen.findByText('Domínio permitido: px.ads.linkedin.com')
    await person.click(screen.getByRole('button', { name: 'Testar novamente' }))
    await screen.findByRole('heading', { name: 'Aguardando você abrir o site' })
    expect(site.tests).toHaveLength(2)
  })

  test('stops polling once the tab was left', async () => {
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

  test('says why a pixel cannot be tested', async () => {
    const { person } = await openPixel()
    site.refuse('POST /admin/api/pixels/*/tests', 409, {
      error: 'pixel_off',
      message: 'Este pixel está inativo e não roda no site. Ative o pixel para testar.',
    })
    await person.click(screen.getByRole('button', { name: 'Testar agora' }))
    await screen.findByText(/Ative o pixel para testar/)
    expect(opened).toEqual([])
  })
})

describe('for a pixel whose vendor recognises tests by a code', () => {
  const openMeta = async (delivery: 'server' | 'both', custom: Partial<Pixel> = {}) => {
    const pixel = site.addPixel(
      'Loja',
      { health: 'waiting' },
      { delivery, has_access_token: true, ...custom },
    )
    const { person } = await openDashboard(site, { path: `/admin/pixels/${pixel.id}` })
    await person.click(await screen.findByRole('button', { name: 'Testar agora' }))
    return { pixel, person, dialog: within(await screen.findByRole('dialog', { name: 'Testar pixel' })) }
  }
  test('waits for the destinations before it decides whether to ask', async () => {
    const loading = Promise.withResolvers<unknown>()
    site.answer('GET /admin/api/destinations', () => loading.promise)
    const pixel = site.addPixel('Loja', { health: 'waiting' }, { delivery: 'server', has_access_token: true })
    const { person } = await openDashboard(site, { path: `/admin/pixels/${pixel.id}` })
    const button = await screen.findByRole('button', { name: 'Testar agora' })
    await person.click(button)
    expect(button.getAttribute('aria-disabled')).toBe('true')
    loading.resolve(serveDestinations())
    await screen.findByRole('dialog', { name: 'Testar pixel' })
    expect(sentCodes()).toEqual([])
  })

  test('starts no test while the destinations cannot be loaded', async () => {
    site.refuse('GET /admin/api/destinations', 400, { error: 'x', message: 'Recarregue a página.' })
    const pixel = site.addPixel('Loja', { health: 'waiting' }, { delivery: 'server', has_access_token: true })
    const { person } = await openDashboard(site, { path: `/admin/pixels/${pixel.id}` })
    await person.click(await screen.findByRole('button', { name: 'Testar agora' }))
    await screen.findByText(/Não foi possível iniciar o teste/)
    expect(sentCodes()).toEqual([])
  })

  const sentCodes = () =>
    site.calls
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/tests'))
      .map(({ body }) => (body as NewTest).test_event_code)

  test('asks for Meta’s code first, and requires it if nothing runs on the page', async () => {
    const { person, dialog } = await openMeta('server')
    await person.click(dialog.getByRole('button', { name: 'Abrir o site e testar' }))
    await dialog.findByText(/^Informe o código de teste \(como TEST48213\)/)
    expect(opened).toEqual([])
    await person.type(dialog.getByRole('textbox'), 'TEST48213')
    expect(await findComponentFaults(screen.getByRole('dialog'))).toEqual([])
    await person.click(dialog.getByRole('button', { name: 'Abrir o site e testar' }))
    await screen.findByRole('heading', { name: 'Aguardando você abrir o site' })
    expect(sentCodes()).toEqual(['TEST48213'])
  })

  test('asks for TikTok’s in the same way', async () => {
    const { person, dialog } = await openMeta('server', { type: 'custom', destination: 'tiktok' })
    await person.type(dialog.getByLabelText('Código de teste do TikTok'), 'TEST90417')
    dialog.getByText(/o TikTok pode contar o teste nos relatórios/)
    await person.click(dialog.getByRole('button', { name: 'Abrir o site e testar' }))
    await screen.findByRole('heading', { name: 'Aguardando você abrir o site' })
    expect(sentCodes()).toEqual(['TEST90417'])
  })

  test('tests only the browser’s part without it', async () => {
    const { person, dialog } = await openMeta('both')
    await person.click(dialog.getByRole('button', { name: 'Abrir o site e testar' }))
    await screen.findByRole('heading', { name: 'Aguardando você abrir o site' })
    expect(sentCodes()).toEqual([''])
  })

  test('lists what was sent and answered among the steps, and a refusal leads to the sending', async () => {
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
        title: 'A Meta recusou o envio do servidor',
        text: check.message,
        action: { kind: 'edit', label: 'Editar pixel' },
      },
    })
    site.tests.push(test)
    const { person } = await openDashboard(site, { path: `/admin/pixels/${pixel.id}/testes/${test.id}` })
    const steps = within(await screen.findByRole('region', { name: 'Passo a passo' }))
    await steps.findByText('Envio pelo servidor: Clique em "Abrir Conta"')
    steps.getByText('recusado, 401')
    steps.getByText('não enviado')
    await person.click(steps.getByText('Ver o envio e a resposta'))
    expect(screen.getByRole('region', { name: 'Passo a passo' }).textContent).toContain('"code":190')
    expect(screen.getByRole('list', { name: 'Etapas do teste' }).children).toHaveLength(4)
    expect(await findComponentFaults()).toEqual([])
    await person.click(screen.getByRole('button', { name: 'Editar pixel' }))
    await screen.findByRole('dialog', { name: /Editar/ })
  })
})

describe('the last tests', () => {
  test("are on the pixel's page; only one’s own can be opened", async () => {
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

  test('reports a deleted one, and stops polling', async () => {
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

  test('explains a test if there is none yet', async () => {
    await openPixel()
    await screen.findByText(/Nenhum teste ainda/)
  })
})
