import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type {
  OutcomeDestination,
  OutcomeEventInput,
  OutcomeKey,
  OutcomeReport,
  OutcomeRow,
  OutcomeTestCall,
} from '#contract/outcomes.ts'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { LONG_AGO, makeOutcomeReport, NOW } from '../support/scripted-rows.ts'
import { json } from '../support/scripted-server.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const PATH = '/admin/resultados'
const SECRET = `prt_live_${'9Xq2mT7uVb4KsRw8LcYh'.repeat(2)}D3n`

let site: ScriptedSite
let rows: OutcomeRow[]
let destinations: OutcomeDestination[]
let keys: OutcomeKey[]
let calls: OutcomeTestCall[]
let totals: Partial<OutcomeReport['totals']>
beforeEach(() => {
  site = new ScriptedSite()
  rows = []
  destinations = []
  keys = []
  calls = []
  totals = {}
  site.answer('GET /admin/api/outcomes', ({ query }): OutcomeReport => {
    const report = makeOutcomeReport(query)
    return {
      ...report,
      totals: { ...report.totals, ...totals },
      rows,
      destinations,
      keys,
      test_calls: report.mode === 'test' ? calls : [],
    }
  })
  site.answer('POST /admin/api/outcomes/names', ({ body }) => {
    const declared = body as { name: string; label: string }
    rows.push({ ...declared, count: 0, tied: 0, values: [], deliveries: [] })
    return json(declared, 201)
  })
  site.answer('PUT /admin/api/outcomes/names/*', ({ body }, [name = '']) => {
    const { label } = body as { label: string }
    rows = rows.map((row) => (row.name === name ? { ...row, label } : row))
    return { name, label }
  })
  site.answer('POST /admin/api/outcomes/keys', ({ body }) => {
    const key = makeKey(body as Partial<OutcomeKey>)
    keys.unshift(key)
    return json({ ...key, key: SECRET }, 201)
  })
  site.answer('DELETE /admin/api/outcomes/keys/*', (_call, [id]) => {
    keys = keys.filter((key) => key.id !== id)
    return null
  })
})

function makeKey(key: Partial<OutcomeKey> = {}): OutcomeKey {
  return {
    id: crypto.randomUUID(),
    name: 'Sistema de cadastro',
    mode: 'live',
    hint: '7c1F',
    created_at: LONG_AGO,
    created_by: 'bruno@exemplo.com.br',
    last_used_at: null,
    ...key,
  }
}

function makeCall(call: Partial<OutcomeTestCall>): OutcomeTestCall {
  return {
    id: crypto.randomUUID(),
    at: NOW,
    name: 'primeira_venda',
    outcome_id: 'pedido-48213',
    value: '189.90',
    currency: 'BRL',
    status: 'refused',
    code: null,
    field: null,
    ...call,
  }
}

const SALES: OutcomeRow = {
  name: 'primeira_venda',
  label: 'Primeira venda',
  count: 327,
  tied: 221,
  values: [
    { currency: 'BRL', total: '62410.05', tied: '40345.00' },
    { currency: 'JPY', total: '1500', tied: '0' },
  ],
  deliveries: [],
}
const PEOPLE: OutcomeRow = {
  name: 'conta_aprovada',
  label: 'Conta aprovada',
  count: 12,
  tied: 0,
  values: [],
  deliveries: [],
}
/** Intl writes a space that does not break. */
const plain = (text: string | null | undefined) => (text ?? '').replaceAll('\u00a0', ' ')
const list = (name: string) => within(screen.getByRole('list', { name })).getAllByRole('listitem')

test('shows counts, a value for each currency, and what is tied to a visit', async () => {
  rows = [SALES, PEOPLE]
  totals = { count: 339, tied: 221, values: SALES.values, duplicates: 4, refused: 9 }
  const { person } = await openDashboard(site)
  await person.click(screen.getAllByRole('link', { name: 'Resultados' })[0] as HTMLElement)
  expect(location.pathname).toBe(PATH)
  await screen.findByRole('heading', { name: 'De 21/10 a 19/11' })
  const figures = plain(screen.getByRole('region', { name: 'De 21/10 a 19/11' }).textContent)
  for (const text of [
    'Resultados3392 nomes',
    'ValorR$ 62.410,05mais JP¥ 1.500',
    'Ligados a uma visita65%221 de 339',
    'Recusados94 repetidos',
  ])
    expect(figures).toContain(text)
  const [sales, people] = list('Resultados por nome').map(({ textContent }) => plain(textContent))
  expect(sales).toContain('Primeira vendaprimeira_venda32711 por dia')
  expect(sales).toContain('221 de 327 ligados a uma visita (68%)')
  expect(people).toContain('12menos de 1 por diasem valor0 de 12 ligados a uma visita (0%)')
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
  await person.click(screen.getByRole('button', { name: '7 dias' }))
  await waitFor(() => expect(location.search).toBe('?dias=7'))
  await waitFor(() =>
    expect(site.callsTo('GET /admin/api/outcomes').at(-1)?.query.toString()).toBe('mode=live&days=7'),
  )
})

test('is empty at first; a key is made, shown once, and revoked after a question', async () => {
  const { person } = await openDashboard(site, { path: PATH })
  await screen.findByRole('heading', { name: 'Saiba quem virou cliente' })
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
  await person.click(screen.getByRole('button', { name: 'Criar chave de API' }))
  const form = within(await screen.findByRole('dialog', { name: 'Criar chave de API' }))
  await person.click(form.getByRole('button', { name: 'Criar chave' }))
  form.getByText('Dê um nome à chave, como o do sistema que vai usá-la.')
  await person.type(form.getByLabelText('Nome'), 'App de produção')
  await person.click(form.getByRole('button', { name: 'Criar chave' }))
  const box = await screen.findByRole('region', { name: 'Chave nova: App de produção' })
  expect(box.textContent).toContain(SECRET)
  await waitFor(() => expect(document.activeElement).toBe(box))
  expect(site.callsTo('POST /admin/api/outcomes/keys')[0]?.body).toEqual({
    name: 'App de produção',
    mode: 'live',
  })
  await waitFor(() =>
    expect(list('Chaves de API')[0]?.textContent).toMatch(/ainda não usada.*prt_live_…7c1F/),
  )
  await person.click(within(box).getByRole('button', { name: 'Já guardei' }))
  expect(document.body.textContent).not.toContain(SECRET)

  await person.click(screen.getByRole('button', { name: 'Revogar: App de produção' }))
  const question = within(await screen.findByRole('alertdialog'))
  await person.click(question.getByRole('button', { name: 'Cancelar' }))
  expect(keys).toHaveLength(1)
  await person.click(screen.getByRole('button', { name: 'Revogar: App de produção' }))
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Revogar' }))
  await screen.findByText('Chave "App de produção" revogada')
  await screen.findByRole('heading', { name: 'Saiba quem virou cliente' })
})

test('with ten keys offers no other', async () => {
  keys = Array.from({ length: 10 }, (_, n) => makeKey({ name: `Sistema ${n}`, last_used_at: NOW }))
  await openDashboard(site, { path: PATH })
  await screen.findByText(/^O limite é de 10 chaves/)
  expect(screen.queryByRole('button', { name: 'Criar chave de API' })).toBeNull()
  expect(list('Chaves de API')[0]?.textContent).toContain('criada em')
})

test('a refused key keeps the form and says why', async () => {
  keys = [makeKey()]
  site.refuse('POST /admin/api/outcomes/keys', 409, {
    error: 'name_taken',
    message: 'Já existe uma chave com este nome.',
  })
  const { person } = await openDashboard(site, { path: PATH })
  await person.click(await screen.findByRole('button', { name: 'Criar chave de API' }))
  await person.type(screen.getByLabelText('Nome'), 'Sistema de cadastro')
  await person.click(screen.getByRole('button', { name: 'Criar chave' }))
  await screen.findByText('Já existe uma chave com este nome.')
  expect((screen.getByLabelText('Nome') as HTMLInputElement).value).toBe('Sistema de cadastro')
})

test('declares a name, proposes how it is sent, and renames the label only', async () => {
  keys = [makeKey()]
  const { person } = await openDashboard(site, { path: PATH })
  await person.click(await screen.findByRole('button', { name: 'Criar o primeiro resultado' }))
  const form = within(await screen.findByRole('dialog', { name: 'Criar resultado' }))
  await person.type(form.getByLabelText('Nome que aparece no painel'), '1ª Venda à vista!')
  const wire = form.getByLabelText('Nome que o seu sistema envia') as HTMLInputElement
  expect(wire.value).toBe('venda_a_vista')
  await person.clear(wire)
  await person.type(wire, 'Venda')
  await person.click(form.getByRole('button', { name: 'Criar resultado' }))
  form.getByText(/^Use letras minúsculas sem acento/)
  await person.clear(wire)
  await person.type(wire, 'venda')
  await person.click(form.getByRole('button', { name: 'Criar resultado' }))
  await screen.findByText('Resultado "1ª Venda à vista!" criado')
  expect(screen.getByText(/"name": "venda"/)).not.toBeNull()
  await person.click(await screen.findByRole('button', { name: 'Renomear: 1ª Venda à vista!' }))
  const rename = within(await screen.findByRole('dialog', { name: 'Renomear resultado' }))
  expect(rename.queryByLabelText('Nome que o seu sistema envia')).toBeNull()
  await person.clear(rename.getByLabelText('Nome que aparece no painel'))
  await person.type(rename.getByLabelText('Nome que aparece no painel'), 'Venda')
  await person.click(rename.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Agora se chama "Venda"')
  expect(site.callsTo('PUT /admin/api/outcomes/names/venda')[0]?.body).toEqual({ label: 'Venda' })
})

const META: OutcomeDestination = {
  id: '0b9f6c1e-6a55-4c0e-9a57-4f6f1d2c7a10',
  name: 'Meta Pixel Principal',
  is_active: true,
  who: 'a Meta',
  category: 'marketing',
  event: {
    label: 'Evento na Meta',
    hint: 'Até 50 letras.',
    example: 'ContaAprovada',
    pattern: '^[A-Za-z]{1,50}$',
    max_length: 50,
    refusal: 'Use até 50 letras.',
  },
  known_events: ['Purchase', 'Lead'],
  events_with_value: ['Purchase'],
}
const DELIVERIES: OutcomeRow['deliveries'][number] = {
  pixel_id: META.id,
  event: null,
  suggestion: 'PrimeiraVenda',
  sends_value: false,
  states: { accepted: 0, unconfirmed: 0, refused: 0, waiting: 0, expired: 0, withheld: 0, unmatched: 0 },
  not_sent: 221,
  refusals: [],
}

test('shows what became of outcomes at each platform, in sums that close', async () => {
  destinations = [META]
  const states = {
    accepted: 190,
    unconfirmed: 0,
    refused: 4,
    waiting: 2,
    expired: 1,
    withheld: 10,
    unmatched: 11,
  }
  const refusals = [{ reason: '100/2804003', message: 'O evento tem mais de 7 dias.', count: 4 }]
  rows = [
    {
      ...SALES,
      deliveries: [{ ...DELIVERIES, event: 'Purchase', sends_value: true, states, not_sent: 3, refusals }],
    },
  ]
  const { person } = await openDashboard(site, { path: PATH })
  await person.click(await screen.findByText(/Enviado a 1 plataforma/))
  const item = screen.getByText('Meta Pixel Principal').closest('li') as HTMLElement
  expect(plain(item.textContent)).toContain('Recebe como Purchase, com o valor')
  const shown = list('Envios: Meta Pixel Principal').map(({ textContent }) => plain(textContent))
  expect(shown).toEqual([
    '190 aceitos',
    '4 recusados',
    '2 na fila',
    '10 sem consentimento de Marketing ou com o envio desligado',
    '1 expirado',
    '11 sem clique em anúncio da Meta',
    '3 não enviados',
    'de 221 ligados a uma visita',
  ])
  const sum = shown.slice(0, -1).reduce((total, text) => total + Number.parseInt(text, 10), 0)
  expect(sum).toBe(SALES.tied)
  expect(plain(item.textContent)).toContain('A Meta recusou 4: O evento tem mais de 7 dias. 100/2804003')
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
})

test('chooses the event of a platform by keyboard, and the value only with a switch', async () => {
  destinations = [META]
  rows = [{ ...SALES, deliveries: [DELIVERIES] }]
  site.answer('PUT /admin/api/outcomes/names/*/destinations/*', ({ body }) => {
    const { event, sends_value } = body as OutcomeEventInput
    rows = [{ ...SALES, deliveries: [{ ...DELIVERIES, event, sends_value, suggestion: null }] }]
    return null
  })
  const { person } = await openDashboard(site, { path: PATH })
  await person.click(await screen.findByText(/Não é enviado a nenhuma plataforma/))
  screen.getByRole('button', { name: 'Mudar o envio: Meta Pixel Principal' }).focus()
  await person.keyboard('{Enter}')
  const form = within(await screen.findByRole('dialog', { name: 'Primeira venda: Meta Pixel Principal' }))
  const select = form.getByLabelText('Evento na Meta') as HTMLSelectElement
  expect(select.value).toBe('PrimeiraVenda')
  expect((form.getByLabelText('Enviar também o valor') as HTMLInputElement).checked).toBe(false)
  await person.selectOptions(select, 'Purchase')
  await person.click(form.getByRole('button', { name: 'Salvar' }))
  await form.findByText('Para enviar como Purchase, envie também o valor.')
  await person.selectOptions(select, 'Outro nome')
  await person.type(form.getByLabelText('Evento na Meta: outro nome'), 'venda 1')
  await person.click(form.getByRole('button', { name: 'Salvar' }))
  await form.findByText('Use até 50 letras.')
  expect(await findComponentFaults(screen.getByRole('dialog'))).toEqual([])
  await person.selectOptions(select, 'Purchase')
  await person.click(form.getByLabelText('Enviar também o valor'))
  await person.click(form.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Recebe como Purchase, com o valor')
  const sent = site.callsTo(`PUT /admin/api/outcomes/names/primeira_venda/destinations/${META.id}`)
  expect(sent.map(({ body }) => body)).toEqual([{ event: 'Purchase', sends_value: true }])
})

test('in test mode judges each call, and offers to create an unknown outcome', async () => {
  rows = [SALES]
  keys = [makeKey({ mode: 'test' })]
  calls = [
    makeCall({ name: 'conta_aprovada', code: 'unknown_name', field: 'name', value: null, currency: null }),
    makeCall({ code: 'missing_field', field: 'currency', currency: null }),
    makeCall({ code: 'conflict', field: 'id' }),
    makeCall({ code: 'unknown_field', field: 'curency' }),
    makeCall({ status: 'duplicate' }),
    makeCall({ status: 'no_visit' }),
    makeCall({ status: 'accepted' }),
    makeCall({ name: null, outcome_id: null, value: null, currency: null, code: 'not_an_object' }),
  ]
  const { person } = await openDashboard(site, { path: PATH })
  await person.click(await screen.findByRole('button', { name: 'Teste' }))
  await waitFor(() => expect(location.search).toBe('?modo=teste'))
  await screen.findByText('Aguardando a próxima chamada')
  expect(list('Chamadas de teste').map(({ textContent }) => plain(textContent))).toEqual([
    expect.stringContaining('Este resultado não existe'),
    expect.stringContaining('Faltou a moeda'),
    expect.stringContaining('Id repetido com outro conteúdo'),
    expect.stringContaining('Campo desconhecido'),
    expect.stringContaining('RepetidoO id pedido-48213 já tinha chegado'),
    expect.stringContaining('pedido-48213 · R$ 189,90Certo, sem visita'),
    expect.stringContaining('CertoSeria ligado'),
    expect.stringContaining('sem nomeNão é um resultado'),
  ])
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
  await person.click(screen.getByRole('button', { name: 'Criar este resultado: conta_aprovada' }))
  const form = within(await screen.findByRole('dialog', { name: 'Criar resultado' }))
  expect((form.getByLabelText('Nome que aparece no painel') as HTMLInputElement).value).toBe('Conta aprovada')
  await person.click(form.getByRole('button', { name: 'Criar resultado' }))
  await screen.findByText('Agora ele existe. Envie a chamada de novo.')
  expect(site.callsTo('POST /admin/api/outcomes/names')[0]?.body).toEqual({
    name: 'conta_aprovada',
    label: 'Conta aprovada',
  })
})

test('in test mode without a key offers one', async () => {
  const { person } = await openDashboard(site, { path: `${PATH}?modo=teste` })
  await person.click(await screen.findByRole('button', { name: 'Criar chave de teste' }))
  expect((screen.getByRole('radio', { name: 'Teste' }) as HTMLInputElement).checked).toBe(true)
})

test('says that it could not load, and that outcomes are still counted', async () => {
  keys = [makeKey()]
  const held = site.hold('GET /admin/api/outcomes')
  const { person } = await openDashboard(site, { path: PATH })
  await screen.findByText('Carregando os resultados')
  site.away = true
  site.letGo('GET /admin/api/outcomes')
  for (const { release } of held) release()
  await screen.findByText(/Os que chegarem agora continuam sendo contados/, undefined, { timeout: 30_000 })
  site.away = false
  await person.click(screen.getByRole('button', { name: 'Tentar novamente' }))
  await screen.findByRole('heading', { name: 'Nenhum resultado criado' })
})
