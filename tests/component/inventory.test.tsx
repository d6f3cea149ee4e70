import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { Inventory, InventoryItem } from '#contract/inventory.ts'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makePixel } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const PATH = '/admin/inventario'
const FILE = { url: 'https://vendor.example/tag.js', bytes: 3, changed_at: null, changes: 0, reason: null }

function makeItem(item: Partial<InventoryItem>): InventoryItem {
  return {
    pixel_id: crypto.randomUUID(),
    name: 'Medidor',
    type: 'custom',
    vendors: ['Hotjar'],
    category: 'desempenho',
    runs_in: 'page',
    told_by: ['browser'],
    on_page_since: '2026-11-15T12:00:00.000Z',
    in_html: false,
    authorised: { by: 'ana@exemplo.com.br', at: '2026-11-15T11:00:00.000Z' },
    reason: null,
    hosts: ['*.hotjar.com'],
    own_files: [{ path: '/tags/a.js', sha256: 'f'.repeat(64) }],
    vendor_files: [],
    ...item,
  }
}

let site: ScriptedSite
let inventory: Inventory
beforeEach(() => {
  site = new ScriptedSite()
  inventory = { items: [], headers: [], checks_files: true }
  site.answer('GET /admin/api/inventory', () => inventory)
})

test('shows who authorised each script, its hosts and file changes; the reason is edited in place', async () => {
  const pixel = makePixel({ name: 'Medidor' })
  site.pixels = [pixel]
  const checked_at = '2026-11-16T08:00:00.000Z'
  const read = { ...FILE, outcome: 'read', sha256: 'e'.repeat(64), checked_at } as const
  inventory = {
    checks_files: true,
    headers: [
      { hash: 'h2', since: '2026-11-16T08:00:00.000Z', unasked: true },
      { hash: 'h1', since: '2026-11-15T08:00:00.000Z', unasked: false },
    ],
    items: [
      makeItem({
        pixel_id: pixel.id,
        vendor_files: [
          { ...read, changes: 2, changed_at: checked_at },
          { ...read, url: 'https://vendor.example/b.js' },
          {
            ...read,
            url: 'https://vendor.example/c.js',
            outcome: 'failed',
            reason: 'http_302',
            sha256: null,
          },
          { ...read, url: 'https://vendor.example/d.js', outcome: 'waiting', checked_at: null, sha256: null },
        ],
      }),
      makeItem({
        name: 'Antigo',
        authorised: null,
        on_page_since: null,
        reason: 'Medir o verão',
        vendors: [],
      }),
    ],
  }
  const { person } = await openDashboard(site)
  await person.click(screen.getAllByRole('link', { name: 'Inventário' })[0] as HTMLElement)
  await screen.findByRole('heading', { name: 'Inventário' })
  const list = await screen.findByRole('list', { name: 'Scripts do site' })
  const [first, second] = [...list.children].map((row) => within(row as HTMLElement))
  if (first === undefined || second === undefined) throw new Error('two scripts were expected')
  first.getByText(/^ana@exemplo\.com\.br, em /)
  first.getByText('*.hotjar.com')
  first.getByText(/^Mudou 2 vezes\. Última mudança: /)
  first.getByText(/^Sem mudanças\. Verificado em/)
  first.getByText(/o endereço redireciona para outro/)
  first.getByText('Ainda não verificado.')
  second.getByText('Medir o verão')
  second.getByText(/anterior ao histórico/)
  second.getByText(/Ativa, mas fora da página agora/)
  screen.getByText('· sem alteração de tags')
  screen.getByText(/não comprova conformidade/)
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])

  await person.click(first.getByRole('button', { name: 'Adicionar motivo: Medidor' }))
  await person.type(first.getByLabelText('Por que esta tag está no site?'), 'Medir cliques')
  inventory.items[0] = { ...(inventory.items[0] as InventoryItem), reason: 'Medir cliques' }
  await person.click(first.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Motivo salvo: Medidor')
  await first.findByText('Medir cliques')
  expect(site.callsTo('PATCH /rest/v1/tracking_pixels').map(({ body }) => body)).toEqual([
    { reason: 'Medir cliques' },
  ])
})

test('reports an empty inventory, unchecked files and a missing response', async () => {
  inventory = { ...inventory, checks_files: false }
  const { person } = await openDashboard(site, { path: PATH })
  await screen.findByText('Nenhum script no site')
  screen.getByText(/A verificação dos arquivos das plataformas está desativada/)
  await person.click(screen.getAllByRole('link', { name: 'Inscrições' })[0] as HTMLElement)
  site.refuse('GET /admin/api/inventory', 400, { message: 'Não agora.' })
  await waitFor(() => expect(location.pathname).toBe('/admin/inscricoes'))
})

test('offers a retry without a response', async () => {
  site.refuse('GET /admin/api/inventory', 400, { message: 'Não agora.' })
  const { person } = await openDashboard(site, { path: PATH })
  await screen.findByText('Não agora.')
  site.answer('GET /admin/api/inventory', () => inventory)
  await person.click(screen.getByRole('button', { name: 'Tentar novamente' }))
  await screen.findByText('Nenhum script no site')
})

test.each([PATH, '/admin/consentimento', '/admin/lixeira', '/admin/usuarios'])(
  'shows on %s that everything is paused, and by whom',
  async (path) => {
    site.overview.paused = { at: '2026-11-15T12:00:00.000Z', by: 'bia@exemplo.com.br' }
    await openDashboard(site, { path })
    await screen.findByText(/^Todas as tags estão pausadas.*bia@exemplo\.com\.br/)
  },
)

test.each<[string, Partial<InventoryItem>, RegExp]>([
  ['in the page', {}, /Na página desde 15\/11\/2026/],
  ['isolated', { runs_in: 'isolated' }, /Isolada da página desde 15\/11\/2026/],
  ['by our server alone', { told_by: ['server'] }, /Só pelo servidor desde 15\/11\/2026/],
  ['by both', { told_by: ['browser', 'server'] }, /Na página desde 15\/11\/2026/],
  [
    'nowhere, and stands in the HTML',
    { on_page_since: null, told_by: [], in_html: true },
    /No HTML da página inicial, para todos/,
  ],
  ['nowhere', { on_page_since: null, runs_in: 'isolated' }, /Ativa, mas fora da página agora/],
])('a tag that runs %s says so', async (_, item, words) => {
  inventory.items = [makeItem({ hosts: [], ...item })]
  await openDashboard(site, { path: PATH })
  await screen.findByText(words)
  screen.getByText('Nenhum')
})
