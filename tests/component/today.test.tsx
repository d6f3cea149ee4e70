import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { TodayFigure } from '#contract/visit-results.ts'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makeToday } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

const figure = (
  today: number | undefined,
  yesterday: number | undefined,
  ...past: (number | null)[]
): TodayFigure => ({
  ...(today === undefined ? {} : { today }),
  ...(yesterday === undefined ? {} : { yesterday }),
  days: [...past, today ?? null],
  days_until: [...past, today ?? null],
})
const NO_DAYS = [null, null, null, null, null, null]
const strip = () => screen.findByRole('region', { name: 'Hoje' })

test("shows each figure with yesterday's, and links to existing lists", async () => {
  site.addPixel('Loja', { health: 'broken' })
  site.addPixel('Blog', { health: 'working', confirmed: true })
  site.today = makeToday({
    visits: {
      ...figure(1_931, 1_785, 1_700, 1_690, 1_800, 1_900, 1_950, 2_600),
      days_until: [1, 1, 1, 1, 1, 1_785, 1_902],
    },
    visitors: figure(1_612, 1_500, 1, 1, 1, 1, 1, 1),
    choices: figure(1_390, 1_262, 900, 910, 880, 1_000, 1_020, 2_400),
    accepted: figure(987, 871, 1, 1, 1, 1, 1, 1),
    refused: figure(306, 300, 1, 1, 1, 1, 1, 1),
    lead: figure(86, 91, null, 70, 60, 82, 100, 90),
    contact: figure(0, 22, 40, 52, 44, 60, 58, 66),
    subscriptions: figure(12, 12, 5, 3, 6, 5, 8, 15),
  })
  const { person } = await openDashboard(site)
  const today = within(await strip())
  const text = async (label: string) =>
    (await today.findByText(label)).closest('li')?.textContent?.replace(label, '')
  expect(await text('Visitas')).toBe('1.9311.612 visitantesontem: 1.785')
  expect(await text('Responderam ao aviso')).toBe('1.39072% das visitasontem: 1.262')
  // Two clicks of one visit are two: no share of the visits.
  expect(await text('Abrir Conta (cliques)')).toBe('864,5 por 100 visitasontem: 91')
  expect(await text('Especialista (cliques)')).toBe('00,0 por 100 visitasontem: 22')
  expect(await text('Inscrições')).toBe('120,6 por 100 visitasontem: 12')
  await waitFor(async () => expect(await text('Tags com problema')).toBe('1agora, de 2 ativas'))
  today.getByRole('img', {
    name: 'Últimos 7 dias. 09/11: sem dados, 10/11: 70, 11/11: 60, 12/11: 82, 13/11: 100, 14/11: 90, 15/11: 86.',
  })
  today.getByText(/Hoje: 71% aceitaram tudo, 7% em parte e 22% recusaram\.$/)
  today.getByText('domingo, 15 de novembro, até 9h')
  // Once for wide screens, once collapsed for narrow ones.
  expect(
    today.getAllByText(
      /^Comparado com ontem até as 9h\. As barras mostram os últimos 7 dias; a parte clara vai até essa hora\.$/,
    ),
  ).toHaveLength(2)
  // A figure without a list is no link.
  expect(today.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    '/admin/visitas',
    '/admin/visitas',
    '/admin/consentimento',
    '/admin/inscricoes',
    '/admin?saude=problemas',
  ])
  await person.click(today.getByRole('link', { name: /^Tags com problema/ }))
  expect(location.pathname + location.search).toBe('/admin?saude=problemas')
  await screen.findByRole('link', { name: 'Loja' })
  await waitFor(() => expect(screen.queryByRole('link', { name: 'Blog' })).toBeNull())
  expect(await findComponentFaults(await strip())).toEqual([])
})

test.each([
  [
    { visits: 1_312, ms: 1_200, unattributed_ms: 40 },
    'As tags ocupam o navegador por 1.200 ms ou mais por visita, mais 40 ms de origem não identificada',
  ],
  [{ visits: 7, ms: 0, unattributed_ms: 0 }, 'Nenhuma lentidão medida nas tags'],
])('shows costs of the tags if they were measured', async (cost, sentence) => {
  site.today = makeToday({ cost })
  await openDashboard(site)
  // Once for wide screens, once collapsed for narrow ones.
  expect(await within(await strip()).findAllByText(`${sentence}.`)).toHaveLength(2)
  expect(await findComponentFaults(await strip())).toEqual([])
})

test('on a first day says that there is no yesterday, and computes no share of few visits', async () => {
  site.today = makeToday({
    visits: figure(6, undefined, ...NO_DAYS),
    choices: figure(4, undefined, ...NO_DAYS),
    lead: figure(1, undefined, ...NO_DAYS),
    counted_since: '2026-11-15T11:20:00.000Z',
  })
  site.refuse('GET /admin/api/tags', 500)
  await openDashboard(site)
  const today = within(await strip())
  const text = async (label: string) => (await today.findByText(label)).closest('li')?.textContent
  expect(await text('Responderam ao aviso')).toContain('4em 6 visitassem dados de ontem')
  expect(await text('Abrir Conta (cliques)')).toContain('1em 6 visitassem dados de ontem')
  expect(await text('Tags com problema')).toContain('sem dados')
  expect((await strip()).textContent).toContain('Respostas contadas desde 15/11 às 8h20.')
  expect((await strip()).textContent).not.toMatch(/As tags|Comparado com ontem|parte clara/)
  expect(await findComponentFaults(await strip())).toEqual([])
})

test('before the first visit says so, without shares', async () => {
  await openDashboard(site)
  const today = within(await strip())
  const text = async (label: string) => (await today.findByText(label)).closest('li')?.textContent
  expect(await text('Visitas')).toContain('0nenhuma ainda')
  expect(await text('Inscrições')).toBe('Inscrições0sem dados de ontem')
})

test('says that visits and clicks are not counted, and shows the other figures', async () => {
  const unknown = figure(undefined, undefined, ...NO_DAYS)
  site.today = makeToday({
    counts_visits: false,
    visits: unknown,
    visitors: unknown,
    lead: unknown,
    contact: unknown,
    choices: figure(40, 30, ...NO_DAYS),
  })
  await openDashboard(site)
  const today = within(await strip())
  const text = async (label: string) => (await today.findByText(label)).closest('li')?.textContent
  for (const label of ['Visitas', 'Abrir Conta (cliques)', 'Especialista (cliques)'])
    expect(await text(label)).toBe(`${label}sem dadoscontagem desativada`)
  expect(await text('Responderam ao aviso')).toBe('Responderam ao aviso40ontem: 30')
  expect((await strip()).textContent).toContain('VISIT_COUNTS=off')
  expect(await findComponentFaults(await strip())).toEqual([])
})

test('a failed load does not block the list, and is retried', async () => {
  site.addPixel('Loja', { health: 'waiting' })
  const held = site.hold('GET /admin/api/today')
  const { person } = await openDashboard(site)
  await screen.findByRole('link', { name: 'Loja' })
  expect((await strip()).getAttribute('aria-busy')).toBe('true')
  site.refuse('GET /admin/api/today', 500)
  await waitFor(() => expect(held.length).toBe(1))
  site.letGo('GET /admin/api/today')
  held[0]?.release()
  const again = await within(await strip()).findByRole('button', { name: 'Tentar novamente' })
  site.answer('GET /admin/api/today', () => makeToday())
  await person.click(again)
  await within(await strip()).findByText('Responderam ao aviso')
  expect(await findComponentFaults(await strip())).toEqual([])
})

test('without a connection says that the figures could not be loaded', async () => {
  site.addPixel('Loja', { health: 'waiting' })
  site.answer('GET /admin/api/today', () => {
    throw new TypeError('Failed to fetch')
  })
  const { person } = await openDashboard(site)
  const again = await within(await strip()).findByRole(
    'button',
    { name: 'Tentar novamente' },
    { timeout: 10_000 },
  )
  within(await strip()).getByText('Não foi possível carregar os números de hoje.')
  site.answer('GET /admin/api/today', () => makeToday())
  await person.click(again)
  await within(await strip()).findByText('Responderam ao aviso')
})
