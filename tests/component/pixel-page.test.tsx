import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'
import { HOUR_MS } from '#contract/durations.ts'
import type { PixelVersion } from '#contract/pixel-history.ts'
import type { VisitResultRow, VisitResultStep } from '#contract/visit-results.ts'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { BIA, MARINA, NOW } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
  site.ledger = (step) => ({ step, from: '', to: NOW, rows: rowsOf(step) })
})

/** The last two hours have visits; the first day is from before refusals were counted. */
function rowsOf(step: VisitResultStep): VisitResultRow[] {
  const length = step === 'hour' ? HOUR_MS : 24 * HOUR_MS
  const empty = { offered: 0, not_consented: 0, blocked: 0, failed: 0, reached: 0 }
  return Array.from({ length: step === 'hour' ? 24 : 7 }, (_, index) => {
    const from = new Date(Date.parse(NOW) - (23 - index) * length).toISOString()
    if (step === 'day' && index === 0) return { from, blocked: 0, failed: 0, reached: 3 }
    if (index === 22) return { from, offered: 60, not_consented: 15, blocked: 8, failed: 0, reached: 37 }
    if (index === 23) return { from, offered: 1, not_consented: 0, blocked: 0, failed: 1, reached: 0 }
    return { from, ...empty }
  })
}

const version = (id: string, change: Partial<PixelVersion>): PixelVersion => ({
  id,
  at: '2026-11-14T12:00:00.000Z',
  by: MARINA.email,
  kind: 'changed',
  changes: [],
  restorable: false,
  ...change,
})

async function openPage(name: string) {
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('link', { name }))
  const heading = await screen.findByRole('heading', { name, level: 2 })
  return { person, heading }
}

describe('the page of a pixel', () => {
  test('opens from the table, has an address and a title, and describes its health', async () => {
    const pixel = site.addPixel('Loja', { health: 'working', confirmed: true })
    site.conversions = { lead: 1_204 }
    const { person, heading } = await openPage('Loja')
    expect(location.pathname).toBe(`/admin/pixels/${pixel.id}`)
    await waitFor(() => expect(document.activeElement).toBe(heading))
    expect(document.title).toMatch(/^Loja · /)
    const health = await screen.findByRole('region', { name: 'Funcionamento do pixel' })
    await waitFor(() =>
      expect(health.textContent).toBe(
        'Funcionando. Nas últimas 24 horas, rodou normalmente em 37 de 46 visitas com consentimento; em 8 foi bloqueada por bloqueadores de anúncios ou pela rede e em 1 falhou.',
      ),
    )
    const conversions = await screen.findByRole('region', { name: 'Conversões' })
    await within(conversions).findByText('1.204')
    expect(screen.getByRole('region', { name: 'Código' }).textContent).toContain('fbq()')
    screen.getByText('Domínios permitidos')
    await person.click(screen.getByRole('link', { name: 'Pixels' }))
    await screen.findByRole('heading', { name: 'Gerenciar Pixels e Tags' })
    expect(document.title).toMatch(/^Pixels & Tags · /)
  })

  test('says when it is deleted, and where it may be', async () => {
    await openDashboard(site, { path: '/admin/pixels/0b6e1c9a-8a53-4c55-9a3d-0f6a7c1b2d3e' })
    await screen.findByRole('heading', { name: 'Pixel não encontrado' })
    await screen.findByText(/Pixels excluídos ficam 30 dias na Lixeira/)
  })

  test('switches, edits and deletes; a deletion returns to the list and can be undone', async () => {
    site.addPixel('Loja', { health: 'waiting' })
    const { person } = await openPage('Loja')
    await person.click(screen.getByRole('switch', { name: 'Ativo: Loja' }))
    await screen.findByText('Pixel desativado: Loja')
    await person.click(screen.getByRole('button', { name: 'Editar: Loja' }))
    await screen.findByRole('dialog', { name: /Editar/ })
    await person.keyboard('{Escape}')
    await person.click(screen.getByRole('button', { name: 'Excluir: Loja' }))
    await person.click(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Excluir' }),
    )
    await screen.findByRole('heading', { name: 'Gerenciar Pixels e Tags' })
    const message = await screen.findByText('Pixel excluído: Loja')
    const toast = within(message.closest('[data-toast]') as HTMLElement)
    await person.click(toast.getByRole('button', { name: 'Desfazer' }))
    await screen.findByRole('link', { name: 'Loja' })
  })
})

describe('the cost', () => {
  const figures = async () => {
    const card = await screen.findByRole('region', { name: 'Impacto na velocidade' })
    await waitFor(() => expect(card.getAttribute('aria-busy')).toBe('false'))
    const texts = (role: 'term' | 'definition') =>
      within(card)
        .queryAllByRole(role)
        .map((cell) => cell.textContent)
    const values = texts('definition')
    return { card, rows: texts('term').map((label, index) => [label, values[index]]) }
  }

  test('shows the 75th percentile of measured visits, with unattributed time separately', async () => {
    site.addPixel('Loja', { health: 'working', confirmed: true })
    site.cost = {
      own: { visits: 1_204, ms: 1_200, requests: 7 },
      all: { visits: 1_310, ms: 1_500, unattributed_ms: 40 },
    }
    await openPage('Loja')
    const { card, rows } = await figures()
    expect(rows).toEqual([
      ['Esta tag', '1.200 ms'],
      ['Requisições desta tag', '7'],
      ['Todas as tags juntas', '1.500 ms'],
      ['Origem não identificada (tags ou página)', '40 ms'],
    ])
    expect(card.textContent).toContain('com base em 1.204 visitas medidas nos últimos 3 dias.')
    expect(await findComponentFaults(card)).toEqual([])
  })

  test('shows no figure without a measured visit, but those of all tags', async () => {
    site.addPixel('Loja', { health: 'waiting' })
    site.cost = { own: null, all: { visits: 3, ms: 0, unattributed_ms: 0 } }
    await openPage('Loja')
    const { card, rows } = await figures()
    expect(rows).toEqual([
      ['Todas as tags juntas', 'sem lentidão medida'],
      ['Origem não identificada (tags ou página)', 'sem lentidão medida'],
    ])
    expect(card.textContent).toContain('Ainda não há medições da versão atual desta tag')
    expect(await findComponentFaults(card)).toEqual([])
  })

  test.each([
    ['was not measured', 200, 'Ainda não há medições da versão atual desta tag'],
    ['cannot be read', 500, 'Não foi possível carregar o impacto na velocidade.'],
  ])('says so when the cost %s', async (_name, status, sentence) => {
    site.addPixel('Loja', { health: 'waiting' })
    if (status !== 200) site.refuse('GET /admin/api/pixels/*/cost', status)
    await openPage('Loja')
    await waitFor(async () => expect((await figures()).card.textContent).toContain(sentence))
    expect((await figures()).rows).toEqual([])
  })
})

describe('visit results', () => {
  test('are a chart with totals, usable by keyboard, and a table with every number', async () => {
    site.addPixel('Loja', { health: 'working', confirmed: true })
    const { person } = await openPage('Loja')
    const card = within(await screen.findByRole('region', { name: 'Visitas por resultado' }))
    const sums = () =>
      card
        .getAllByRole('definition')
        .map((cell) => cell.textContent)
        .filter((text) => text !== '')
    await card.findByText('Últimas 24 horas')
    expect(sums()).toEqual(['15', '24%', '8', '13%', '1', '2%', '37', '61%', '61'])
    const chart = card.getByRole('slider', { name: 'Visitas por hora' })
    chart.focus()
    await person.keyboard('{ArrowLeft}')
    expect(chart.getAttribute('aria-valuetext')).toBe(
      'domingo, 15/11, 08h. Visitas com resposta: 60. Rodou: 37, Falhou: 0, Bloqueada: 8, Sem consentimento: 15.',
    )
    expect(sums()).toEqual(['15', '25%', '8', '13%', '0', '0%', '37', '62%', '60'])
    card.getByText('domingo, 15/11, 08h')
    await person.keyboard('{Home}{ArrowLeft}')
    expect(chart.getAttribute('aria-valuenow')).toBe('0')
    await person.keyboard('{End}{Escape}')
    expect(sums().at(-1)).toBe('61')
    await person.click(card.getByRole('button', { name: 'Tabela' }))
    const rows = card.getAllByRole('row').map((row) => row.textContent)
    expect(rows).toHaveLength(26)
    expect(rows[1]).toBe('domingo, 15/11, 09h01001')
    expect(rows.at(-1)).toBe('Total3718' + '1561')
  })

  test('say that another period is loading', async () => {
    site.addPixel('Loja', { health: 'working', confirmed: true })
    const { person } = await openPage('Loja')
    const card = await screen.findByRole('region', { name: 'Visitas por resultado' })
    await within(card).findByRole('slider')
    const held = site.hold(`GET /admin/api/pixels/${site.pixels[0]?.id}/ledger`)
    await person.click(within(card).getByRole('button', { name: '90 dias' }))
    await within(card).findByText('Carregando 90 dias…')
    expect(card.getAttribute('aria-busy')).toBe('true')
    expect(within(card).queryByRole('slider')).toBeNull()
    for (const call of held) call.release()
    await waitFor(() => expect(card.getAttribute('aria-busy')).toBe('false'))
  })

  test('have no total for days without counted refusals, and no zero', async () => {
    site.addPixel('Loja', { health: 'working', confirmed: true })
    const { person } = await openPage('Loja')
    const card = within(await screen.findByRole('region', { name: 'Visitas por resultado' }))
    await person.click(card.getByRole('button', { name: '7 dias' }))
    await card.findByText('Sem total: em parte deste período, ainda não contávamos as recusas.')
    expect(card.getAllByText('sem dados')).toHaveLength(2)
    const asked = site.calls.findLast(({ path }) => path.endsWith('/ledger'))
    expect(Object.fromEntries(asked?.query ?? [])).toEqual({
      step: 'day',
      from: expect.stringMatching(/^2026-11-09T12:00/),
    })
  })

  test('report a failed load and retry', async () => {
    site.addPixel('Loja', { health: 'waiting' })
    site.refuse('GET /admin/api/pixels/*/ledger', 500)
    const { person } = await openPage('Loja')
    await screen.findByText('Não foi possível carregar as visitas deste pixel.')
    site.answer('GET /admin/api/pixels/*/ledger', () => site.ledger('hour'))
    await person.click(screen.getByRole('button', { name: 'Tentar novamente' }))
    await screen.findByRole('slider', { name: 'Visitas por hora' })
  })
})

test('the history shows who did what by line, and restores a version, which can be undone', async () => {
  const pixel = site.addPixel('Loja', { health: 'waiting' })
  site.history = {
    versions: [
      version('v3', {
        changes: [
          { field: 'name', label: 'Nome', before: 'Loja velha', after: 'Loja' },
          {
            field: 'access_token_stored_at',
            label: 'Token salvo em',
            before: null,
            after: '2026-11-15T11:00:00.000Z',
          },
          {
            field: 'code',
            label: 'Código',
            lines: [
              { kind: 'gap', lines: 3 },
              { kind: 'removed', text: 'a()' },
              { kind: 'added', text: 'b()' },
            ],
          },
        ],
      }),
      version('v2', { by: 'service key', kind: 'switched_off' }),
      version('v1', { by: BIA.email, kind: 'created', restorable: true }),
    ],
    next: 'older',
  }
  const { person } = await openPage('Loja')
  const card = within(await screen.findByRole('region', { name: 'Histórico' }))
  const items = await card.findAllByRole('listitem')
  expect(items[0]?.textContent).toMatch(
    /^marina@portico\.example alterou nome, token e código.* · versão atual/,
  )
  card.getByText('Um sistema integrado (chave de serviço)')
  expect(card.getByLabelText('O que mudou').textContent).toMatch(
    /Nome: Loja velha Loja.*Token salvo em: {2}15\/11\/2026.*… 3 linhas sem mudança.*Linha removida: −a\(\).*Linha adicionada: \+b\(\)/,
  )
  await person.click(card.getByRole('button', { name: /^Restaurar esta versão, de 14\/11\/2026/ }))
  await screen.findByText('Versão restaurada: Loja')
  await person.click(screen.getByRole('button', { name: 'Desfazer' }))
  const restores = () => site.callsTo(`POST /admin/api/pixels/${pixel.id}/restore`).map(({ body }) => body)
  await waitFor(() => expect(restores()).toEqual([{ version: 'v1' }, { version: 'v3' }]))
  await person.click(card.getByRole('button', { name: 'Mostrar mais' }))
  await waitFor(() => expect(card.queryByRole('button', { name: 'Mostrar mais' })).toBeNull())
  // The focused button is gone: its part of the page has the focus.
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Histórico' })))
})
