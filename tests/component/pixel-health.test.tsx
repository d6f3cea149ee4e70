import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'
import { openDashboard } from '../support/render-dashboard.tsx'
import { ScriptedSite } from '../support/scripted-site.ts'

const TAGS = 'GET /admin/api/tags'
const _LINKEDIN = { id: 'linkedin', name: 'LinkedIn' }

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

const rowOf = (name: string) => screen.getByText(name).closest('tbody') as HTMLElement
const names = () =>
  screen
    .getAllByRole('switch', { name: /^(Ativo|Inativo)/ })
    .map((badge) => badge.getAttribute('aria-label')?.split(': ')[1])

test('each health has its word and shape, the badge stays the switch, and only reported visits are mentioned', async () => {
  const seen = { ran: 12, last_ran_at: '2026-11-15T11:58:00Z' }
  site.addPixel('Confirmado', { health: 'working', confirmed: true, ...seen })
  site.addPixel('Sem confirmar', { health: 'working', confirmed: false, ...seen })
  site.addPixel('Falhando', { health: 'partial', ...seen, blocked: 4 })
  site.addPixel('Parado', { health: 'broken' })
  site.addPixel('Novo', { health: 'waiting' })
  site.addPixel('Em pausa', { health: 'paused' })
  site.addPixel('Apagado', null, { is_active: false })
  await openDashboard(site)
  await screen.findByText('Funcionando')
  const statuses = Object.fromEntries(
    names().map((name = '') => {
      const [, , , status] = within(rowOf(name)).getAllByRole('cell')
      return [
        name,
        [...(status?.querySelectorAll('p') ?? [])].map((line) => line.textContent?.replaceAll('\u00a0', ' ')),
      ]
    }),
  )
  expect(statuses).toEqual({
    Confirmado: ['Funcionando', 'Rodou em 12 visitas. Última: há 2 min'],
    'Sem confirmar': ['Rodou, sem confirmação', 'Rodou em 12 visitas. Última: há 2 min'],
    Falhando: ['Com falhas', 'Rodou normalmente em 12 de 16 visitas. Última: há 2 min'],
    Parado: ['Não funciona'],
    Novo: ['Aguardando visita'],
    'Em pausa': ['Pausado'],
    Apagado: ['Fora do site'],
  })
  const shapes = names().map((name = '') => {
    const [, , , status] = within(rowOf(name)).getAllByRole('cell')
    return status?.querySelector('svg')?.innerHTML
  })
  expect(new Set(shapes).size).toBe(7)
  expect(screen.getAllByText('Ativo')).toHaveLength(6)
  expect(screen.getAllByText('Inativo')).toHaveLength(1)
})

describe('claims nothing that is unknown', () => {
  test('while there is no response, which can be requested again', async () => {
    site.addPixel('Meta', { health: 'working', confirmed: true })
    site.refuse(TAGS, 500)
    const { person } = await openDashboard(site)
    await screen.findByText('Não foi possível verificar se os pixels estão funcionando.')
    expect(screen.queryByText('Funcionando')).toBeNull()
    site.answer(TAGS, () => ({ ...site.overview, pixels: site.statuses, blocked_groups: [] }))
    await person.click(screen.getByRole('button', { name: 'Tentar novamente' }))
    await screen.findByText('Funcionando')
    expect(screen.queryByText('Não foi possível verificar se os pixels estão funcionando.')).toBeNull()
  })

  test('marks an outdated response', async () => {
    site.addPixel('Meta', { health: 'working', confirmed: true })
    const { person } = await openDashboard(site)
    await screen.findByText('Funcionando')
    site.refuse(TAGS, 500)
    await person.click(screen.getByRole('switch', { name: 'Ativo: Meta' }))
    await screen.findByText(/^O servidor não respondeu\. Os dados de funcionamento são de \d\d\/\d\d\/\d{4}/)
  })

  test('between the switch and the next response', async () => {
    site.addPixel('Meta', { health: 'working', confirmed: true })
    const { person } = await openDashboard(site)
    await screen.findByText('Funcionando')
    site.hold(TAGS)
    await person.click(screen.getByRole('switch', { name: 'Ativo: Meta' }))
    await screen.findByText('Fora do site')
    expect(screen.queryByText('Funcionando')).toBeNull()
  })
})

describe('problems', () => {
  beforeEach(() => {
    site.addPixel('Bom', { health: 'working', confirmed: true })
    site.addPixel('Parado', {
      health: 'broken',
      reasons: [
        {
          code: 'nothing_runs',
          message: 'Não há código nesta tag.',
          action: { kind: 'edit', label: 'Editar código' },
        },
      ],
    })
    site.addPixel('Falhando', {
      health: 'partial',
      reasons: [{ code: 'blocked_in_browser', message: 'Um bloqueador.' }],
    })
    site.addPixel('Novo', { health: 'waiting' })
  })

  test('are counted on the tab, on every screen', async () => {
    await openDashboard(site, { path: '/admin/usuarios' })
    await screen.findByRole('link', { name: /^Pixels & Tags ?, 2 pixels com problema$/ })
  })

  test('are listed first after a click, and by date after the next', async () => {
    const { person } = await openDashboard(site)
    const first = await screen.findByRole('button', { name: '2 problemas' })
    expect(names()).toEqual(['Bom', 'Parado', 'Falhando', 'Novo'])
    await person.click(first)
    await waitFor(() => expect(names()).toEqual(['Parado', 'Falhando', 'Novo', 'Bom']))
    expect(first.getAttribute('aria-pressed')).toBe('true')
    await person.click(first)
    await waitFor(() => expect(names()).toEqual(['Bom', 'Parado', 'Falhando', 'Novo']))
  })

  test('are filtered by health', async () => {
    for (let n = 0; n < 10; n += 1) site.addPixel(`Outro ${n}`, { health: 'waiting' })
    const { person } = await openDashboard(site)
    await screen.findByText('Funcionando', { selector: 'p' })
    await person.selectOptions(screen.getByLabelText('Filtrar por funcionamento'), 'Só com problemas')
    await waitFor(() => expect(names()).toEqual(['Parado', 'Falhando']))
    await person.selectOptions(screen.getByLabelText('Filtrar por funcionamento'), 'Funcionando')
    await waitFor(() => expect(names()).toEqual(['Bom']))
  })

  test('show the reason in the row, and "Editar código" focuses the code', async () => {
    const { person } = await openDashboard(site)
    await screen.findByText('Um bloqueador.')
    expect(within(rowOf('Bom')).getAllByRole('row')).toHaveLength(1)
    await person.click(within(rowOf('Parado')).getByRole('button', { name: 'Editar código' }))
    const code = await screen.findByLabelText('Código do Pixel')
    await waitFor(() => expect(document.activeElement).toBe(code))
  })

  test('reports code that cannot work before the first visit, also in the panel', async () => {
    const message = 'O código usa document.write.'
    const reasons = [{ code: 'document_write', message }]
    site.addPixel('Velho', { health: 'waiting', reasons, warnings: [{ code: 'document_write', message }] })
    const { person } = await openDashboard(site)
    await within(await screen.findByText('Velho').then(() => rowOf('Velho'))).findByText(message)
    await person.click(screen.getByRole('button', { name: 'Ver código: Velho' }))
    const panel = await screen.findByRole('region', { name: 'Código para: Velho' })
    // Once: it is both a reason and a warning.
    expect(within(panel).getAllByText(message)).toHaveLength(1)
  })
})

test('explains a script error in plain words', async () => {
  const message = 'Em 3 de 3 visitas (100%), o código da tag parou com um erro.'
  site.addPixel('Chat', {
    health: 'broken',
    failed: 3,
    last_error: 'Uncaught ReferenceError: fbq is not defined',
    reasons: [{ code: 'script_error', message, action: { kind: 'edit', label: 'Editar código' } }],
  })
  await openDashboard(site)
  await screen.findByText(message)
  await screen.findByText('O que isso significa: o código usa "fbq", que não existe na página.')
})

test('the problems filter says that all is well only once that is known', async () => {
  const quiet = new ScriptedSite()
  quiet.addPixel('Loja', { health: 'working', confirmed: true })
  const held = quiet.hold('GET /admin/api/tags')
  const { person } = await openDashboard(quiet, { path: '/admin/problemas' })
  await screen.findByText('Nenhum pixel encontrado')
  await waitFor(() => expect(held.length).toBeGreaterThan(0))
  quiet.letGo('GET /admin/api/tags')
  for (const each of held) each.release()
  await screen.findByText('Nenhum problema agora')
  await person.click(screen.getByRole('button', { name: 'Ver todos os pixels' }))
  await screen.findByRole('link', { name: 'Loja' })
})
