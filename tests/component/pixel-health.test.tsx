import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelStatus } from '#contract/tag-status.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makeBlocked, makePixel, makeStatus, ScriptedSite } from '../support/scripted-site.ts'

const TAGS = 'GET /admin/api/tags'
const LINKEDIN = { id: 'linkedin', name: 'LinkedIn' }

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

/** Adds a pixel that is doing so. */
function add(name: string, status: Partial<PixelStatus> | null, pixel: Partial<Pixel> = {}): Pixel {
  const added = makePixel({ name, ...pixel })
  site.pixels.push(added)
  if (status !== null) site.statuses.push(makeStatus(added, status))
  return added
}

const rowOf = (name: string) => screen.getByText(name).closest('tbody') as HTMLElement
const names = () =>
  screen
    .getAllByRole('switch', { name: /^(Ativo|Inativo)/ })
    .map((badge) => badge.getAttribute('aria-label')?.split(': ')[1])

test('each health has its word and its shape, the badge stays the switch, and only what visits reported is said', async () => {
  const seen = { ran: 12, last_ran_at: '2026-11-15T11:58:00Z' }
  add('Confirmado', { health: 'working', confirmed: true, ...seen })
  add('Sem confirmar', { health: 'working', confirmed: false, ...seen })
  add('Falhando', { health: 'partial', ...seen, blocked: 4 })
  add('Parado', { health: 'broken' })
  add('Novo', { health: 'waiting' })
  add('Em pausa', { health: 'paused' })
  add('Apagado', null, { is_active: false })
  await openDashboard(site)
  await screen.findByText('Funcionando')
  const told = Object.fromEntries(
    names().map((name = '') => {
      const [, , , status] = within(rowOf(name)).getAllByRole('cell')
      return [
        name,
        [...(status?.querySelectorAll('p') ?? [])].map((line) => line.textContent?.replaceAll('\u00a0', ' ')),
      ]
    }),
  )
  expect(told).toEqual({
    Confirmado: ['Funcionando', 'Rodou em 12 visitas, há 2 min'],
    'Sem confirmar': ['Funcionando, sem confirmação', 'Rodou em 12 visitas, há 2 min'],
    Falhando: ['Com falhas', 'Rodou em 12 de 16 visitas, há 2 min'],
    Parado: ['Não funciona'],
    Novo: ['Aguardando visita'],
    'Em pausa': ['Pausado'],
    Apagado: ['Desligado'],
  })
  const shapes = names().map((name = '') => {
    const [, , , status] = within(rowOf(name)).getAllByRole('cell')
    return status?.querySelector('svg')?.innerHTML
  })
  expect(new Set(shapes).size).toBe(7)
  expect(screen.getAllByText('Ativo')).toHaveLength(6)
  expect(screen.getAllByText('Inativo')).toHaveLength(1)
})

describe('nothing is claimed that nobody knows', () => {
  test('while there is no answer, and then it can be asked for again', async () => {
    add('Meta', { health: 'working', confirmed: true })
    site.refuse(TAGS, 500)
    const { person } = await openDashboard(site)
    await screen.findByText('Não deu para saber como os pixels estão no site.')
    expect(screen.queryByText('Funcionando')).toBeNull()
    site.answer(TAGS, () => ({ ...site.overview, pixels: site.statuses, blocked_groups: [] }))
    await person.click(screen.getByRole('button', { name: 'Perguntar de novo' }))
    await screen.findByText('Funcionando')
    expect(screen.queryByText('Não deu para saber como os pixels estão no site.')).toBeNull()
  })

  test('what is shown of an answer that grew old says so', async () => {
    add('Meta', { health: 'working', confirmed: true })
    const { person } = await openDashboard(site)
    await screen.findByText('Funcionando')
    site.refuse(TAGS, 500)
    await person.click(screen.getByRole('switch', { name: 'Ativo: Meta' }))
    await screen.findByText(/^O servidor não respondeu: a saúde dos pixels é a de \d\d\/\d\d\/\d{4}/)
  })

  test('between the switch and the next answer', async () => {
    add('Meta', { health: 'working', confirmed: true })
    const { person } = await openDashboard(site)
    await screen.findByText('Funcionando')
    site.hold(TAGS)
    await person.click(screen.getByRole('switch', { name: 'Ativo: Meta' }))
    await screen.findByText('Desligado')
    expect(screen.queryByText('Funcionando')).toBeNull()
  })
})

describe('problems', () => {
  beforeEach(() => {
    add('Bom', { health: 'working', confirmed: true })
    add('Parado', {
      health: 'broken',
      reasons: [
        {
          code: 'nothing_runs',
          message: 'Não há código nesta tag.',
          action: { kind: 'edit', label: 'Editar código' },
        },
      ],
    })
    add('Falhando', {
      health: 'partial',
      reasons: [{ code: 'blocked_in_browser', message: 'Um bloqueador.' }],
    })
    add('Novo', { health: 'waiting' })
  })

  test('are counted on the tab, on every screen', async () => {
    await openDashboard(site, { path: '/admin/usuarios' })
    await screen.findByRole('link', { name: /^Pixels & Tags ?: 2 com problema$/ })
  })

  test('come first at a click, and the newest first again at the next', async () => {
    const { person } = await openDashboard(site)
    const first = await screen.findByRole('button', { name: '2 problemas primeiro' })
    expect(names()).toEqual(['Bom', 'Parado', 'Falhando', 'Novo'])
    await person.click(first)
    await waitFor(() => expect(names()).toEqual(['Parado', 'Falhando', 'Novo', 'Bom']))
    expect(first.getAttribute('aria-pressed')).toBe('true')
    await person.click(first)
    await waitFor(() => expect(names()).toEqual(['Bom', 'Parado', 'Falhando', 'Novo']))
  })

  test('are found among many by their health', async () => {
    for (let n = 0; n < 10; n += 1) add(`Outro ${n}`, { health: 'waiting' })
    const { person } = await openDashboard(site)
    await screen.findByText('Funcionando', { selector: 'p' })
    await person.selectOptions(screen.getByLabelText('Filtrar por saúde'), 'Só com problema')
    await waitFor(() => expect(names()).toEqual(['Parado', 'Falhando']))
    await person.selectOptions(screen.getByLabelText('Filtrar por saúde'), 'Funcionando')
    await waitFor(() => expect(names()).toEqual(['Bom']))
  })

  test('say why in the row, and "Editar código" begins in the code', async () => {
    const { person } = await openDashboard(site)
    await screen.findByText('Um bloqueador.')
    expect(within(rowOf('Bom')).getAllByRole('row')).toHaveLength(1)
    await person.click(within(rowOf('Parado')).getByRole('button', { name: 'Editar código' }))
    const code = await screen.findByLabelText('Código do Pixel')
    await waitFor(() => expect(document.activeElement).toBe(code))
  })

  test('a code that cannot work is said before the first visit too, and stays in the panel', async () => {
    const message = 'O código usa document.write.'
    const reasons = [{ code: 'document_write', message }]
    add('Velho', { health: 'waiting', reasons, warnings: [{ code: 'document_write', message }] })
    const { person } = await openDashboard(site)
    await within(await screen.findByText('Velho').then(() => rowOf('Velho'))).findByText(message)
    await person.click(screen.getByRole('button', { name: 'Ver código: Velho' }))
    const panel = await screen.findByRole('region', { name: 'Código para: Velho' })
    // Once: it is a reason and a warning alike.
    expect(within(panel).getAllByText(message)).toHaveLength(1)
  })
})

test('an error of a script is also told in plain words', async () => {
  const message = 'Em 3 de 3 visitas (100%), o código da tag parou com um erro.'
  add('Chat', {
    health: 'broken',
    failed: 3,
    last_error: 'Uncaught ReferenceError: fbq is not defined',
    reasons: [{ code: 'script_error', message, action: { kind: 'edit', label: 'Editar código' } }],
  })
  await openDashboard(site)
  await screen.findByText(message)
  await screen.findByText('Em outras palavras: o código usa "fbq", que não existe na página.')
})

describe('what the policy stopped', () => {
  function stop(pixel: Pixel, ...hosts: string[]) {
    site.overview.blocked_hosts.push(
      ...hosts.map((host) =>
        makeBlocked(host, { permit: 'set', vendor: LINKEDIN, pixel_ids: [pixel.id], count: 3 }),
      ),
    )
  }

  test('stands in the row of its pixel, one line for a vendor, and one click permits the set', async () => {
    const reason = (host: string) => ({ code: 'stopped_by_policy', host, message: `barrou ${host}` })
    const pixel = add('Insight', {
      health: 'partial',
      reasons: [reason('px.ads.linkedin.com'), reason('snap.licdn.com')],
    })
    stop(pixel, 'px.ads.linkedin.com', 'snap.licdn.com')
    const { person } = await openDashboard(site)
    await screen.findByText('LinkedIn não conseguiu enviar (px.ads.linkedin.com, snap.licdn.com).')
    await screen.findByText(/A página barrou 6 vezes, a última há 1 h/)
    expect(screen.queryByText('barrou snap.licdn.com')).toBeNull()
    expect(screen.queryByRole('region', { name: 'Endereços bloqueados' })).toBeNull()
    site.statuses = [makeStatus(pixel)]
    await person.click(screen.getByRole('button', { name: 'Permitir px.ads.linkedin.com, snap.licdn.com' }))
    await screen.findByText('Permitido: px.ads.linkedin.com, snap.licdn.com')
    expect(site.callsTo('POST /admin/api/blocked-hosts/allow').map(({ body }) => body)).toEqual([
      { ids: ['px.ads.linkedin.com', 'snap.licdn.com'] },
    ])
    await screen.findByText('Aguardando visita')
    // The line went with its button: the keyboard is still at its pixel.
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Ver código: Insight' }))
  })

  test('what no catalogue names is permitted by its full name, each alone, and a shared address with a warning', async () => {
    const pixel = add('Loja', { health: 'partial', reasons: [] })
    const vendor = { id: null, name: 'Nuvem' }
    site.overview.blocked_hosts = [
      makeBlocked('um.nuvem.example', { vendor, pixel_ids: [pixel.id] }),
      makeBlocked('cdn.jsdelivr.net', { vendor, permit: 'shared', pixel_ids: [pixel.id] }),
    ]
    const { person } = await openDashboard(site)
    await screen.findByText(/^Qualquer pessoa publica arquivos em cdn\.jsdelivr\.net\./)
    expect(screen.queryByRole('button', { name: 'Permitir' })).toBeNull()
    await person.click(screen.getByRole('button', { name: 'Permitir um.nuvem.example' }))
    await screen.findByText('Permitido: um.nuvem.example')
    expect(site.callsTo('POST /admin/api/blocked-hosts/allow')[0]?.body).toEqual({
      ids: ['um.nuvem.example'],
    })
    await screen.findByText('Nuvem não conseguiu enviar (cdn.jsdelivr.net).')
  })

  test('a refusal is told in the server’s words, and the line stays', async () => {
    const pixel = add('Insight', { health: 'partial' })
    stop(pixel, 'px.ads.linkedin.com')
    const message = 'Permita estes endereços um por um, conferindo cada nome.'
    site.refuse('POST /admin/api/blocked-hosts/allow', 409, { error: 'permit_singly', message })
    const { person } = await openDashboard(site)
    await person.click(await screen.findByRole('button', { name: 'Permitir px.ads.linkedin.com' }))
    await screen.findByText(message)
    await screen.findByRole('button', { name: 'Permitir px.ads.linkedin.com' })
  })

  test('what is nobody’s stands below the list, and goes to the pixel that a person names', async () => {
    const pixel = add('Chat', { health: 'waiting' })
    add('Apagado', null, { is_active: false })
    // Of a pixel that is gone, and of none.
    site.overview.blocked_hosts = [
      makeBlocked('um.example', { pixel_ids: ['gone'] }),
      makeBlocked('dois.example'),
    ]
    const { person } = await openDashboard(site)
    const region = within(await screen.findByRole('region', { name: 'Endereços bloqueados' }))
    const permit = region.getByRole('button', { name: 'Permitir dois.example' })
    await person.click(permit)
    expect(site.callsTo('POST /admin/api/blocked-hosts/allow')).toEqual([])
    const choice = region.getByLabelText('Para qual pixel permitir dois.example')
    expect(within(choice).queryByRole('option', { name: 'Apagado' })).toBeNull()
    await person.selectOptions(choice, 'Chat')
    await person.click(permit)
    await screen.findByText('Permitido: dois.example')
    expect(site.callsTo('POST /admin/api/blocked-hosts/allow')[0]?.body).toEqual({
      ids: ['dois.example'],
      pixel_id: pixel.id,
    })
    expect(document.activeElement?.textContent).toBe('Endereços bloqueados')
    await person.click(region.getByRole('button', { name: 'Ignorar um.example' }))
    await screen.findByText('Ignorado: um.example')
    expect(screen.queryByRole('region', { name: 'Endereços bloqueados' })).toBeNull()
    expect(document.activeElement?.textContent).toBe('Gerenciar Pixels e Tags')
  })
})

describe('the panel of a pixel', () => {
  const HOSTS = 'GET /admin/api/tags/*/hosts'

  async function openPanel(name: string) {
    const { person } = await openDashboard(site)
    await person.click(await screen.findByRole('button', { name: `Ver código: ${name}` }))
    const panel = within(await screen.findByRole('region', { name: `Código para: ${name}` }))
    return { person, panel }
  }

  test('has every reason, where the row has one', async () => {
    add('Loja', {
      health: 'broken',
      reasons: [
        { code: 'nothing_sent', message: 'Nada saiu.' },
        { code: 'placeholder', message: 'Falta o ID.' },
      ],
    })
    const { panel } = await openPanel('Loja')
    await panel.findByText('Nada saiu.')
    await panel.findByText('Falta o ID.')
    await within(rowOf('Loja')).findByRole('button', { name: '1 outro motivo' })
  })

  test('lists whom it talks to and by whose word, and takes a permission back once that is confirmed', async () => {
    add('Hotjar', { health: 'working', confirmed: true })
    const by = 'ana@exemplo.com.br'
    site.hosts = [
      { host: 'static.hotjar.com', directive: 'script', source: 'code' },
      { host: '*.hotjar.io', directive: 'connect', source: 'vendor' },
      { host: '*.hotjar.io', directive: 'img', source: 'vendor' },
      { host: 'cdn.example', directive: 'script', source: 'permitted', by, at: '2026-11-15T14:20:00Z' },
    ]
    const { person, panel } = await openPanel('Hotjar')
    await panel.findByText('envios e imagens, do fornecedor')
    await panel.findByText('scripts, do código')
    await panel.findByText(/^scripts, permitido por ana@exemplo\.com\.br em 15\/11\/2026/)
    const revoke = panel.getAllByRole('button', { name: /^Revogar/ })
    expect(revoke.map((button) => button.getAttribute('aria-label'))).toEqual(['Revogar cdn.example'])
    await person.click(panel.getByRole('button', { name: 'Revogar cdn.example' }))
    const question = within(await screen.findByRole('alertdialog', { name: 'Revogar a permissão?' }))
    question.getByText('A página volta a barrar cdn.example para Hotjar na próxima visita.')
    await person.click(question.getByRole('button', { name: 'Cancelar' }))
    expect(document.activeElement).toBe(panel.getByRole('button', { name: 'Revogar cdn.example' }))
    await person.keyboard('{Enter}')
    await person.click(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Revogar' }),
    )
    await screen.findByText('Revogado: cdn.example')
    await waitFor(() => expect(panel.queryByText('cdn.example')).toBeNull())
    await panel.findByText('static.hotjar.com')
    expect(document.activeElement?.textContent).toBe('Fala com')
  })

  test('says when the hosts do not come, and asks again', async () => {
    add('Hotjar', { health: 'waiting' })
    site.refuse(HOSTS, 500)
    const { person, panel } = await openPanel('Hotjar')
    await panel.findByText('Não deu para ler os endereços deste pixel.')
    site.answer(HOSTS, () => ({ hosts: [{ host: 'a.example', directive: 'img', source: 'code' }] }))
    await person.click(panel.getByRole('button', { name: 'Tentar novamente' }))
    await panel.findByText('a.example')
  })

  test('of one that is off says that nothing is open', async () => {
    add('Velho', null, { is_active: false })
    const { panel } = await openPanel('Velho')
    await panel.findByText('Com ninguém: enquanto está desligado, a página não abre endereço nenhum.')
    panel.getByText('Desligado')
  })
})
