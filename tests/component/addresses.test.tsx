import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { REDIRECTS, ROUTES } from '#admin/app/routes.tsx'
import { openDashboard } from '../support/render-dashboard.tsx'
import { MARINA, makeSubscription } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

const address = () => location.pathname + location.search
const current = () =>
  within(screen.getByRole('navigation', { name: 'Menu principal' }))
    .queryAllByRole('link')
    .filter((link) => link.hasAttribute('aria-current'))
    .map((link) => `${link.textContent} (${link.getAttribute('aria-current')})`)

/** The back button: the browser changes the address and fires an event. */
function goBackTo(path: string): void {
  history.replaceState(null, '', path)
  fireEvent(window, new PopStateEvent('popstate'))
}

function addPixels(count: number): string[] {
  return Array.from({ length: count }, (_, n) => site.addPixel(`Pixel ${n}`, { health: 'working' }).id)
}

const NOBODY = '00000000-0000-4000-8000-000000000000'

describe('the route table', () => {
  test.each([
    ['/admin', 'Gerenciar Pixels e Tags', /^Pixels & Tags · /, ['Pixels & Tags (page)']],
    ['/admin/', 'Gerenciar Pixels e Tags', /^Pixels & Tags · /, ['Pixels & Tags (page)']],
    [`/admin/pixels/${NOBODY}`, 'Pixel não encontrado', /^Pixel · /, ['Pixels & Tags (true)']],
    [`/admin/pixels/${NOBODY}/testes/x`, 'Teste de Pixel', /^Teste de Pixel · /, ['Pixels & Tags (true)']],
    [
      '/admin/consentimento',
      'Consentimento',
      /^Consentimento · /,
      ['Pixels & Tags (true)', 'Consentimento (page)'],
    ],
    ['/admin/resultados', 'Resultados', /^Resultados · /, ['Pixels & Tags (true)', 'Resultados (page)']],
    ['/admin/inscricoes', 'Inscrições', /^Inscrições · /, ['Pixels & Tags (true)', 'Inscrições (page)']],
    ['/admin/inventario', 'Inventário', /^Inventário · /, ['Pixels & Tags (true)', 'Inventário (page)']],
    ['/admin/lixeira', 'Lixeira', /^Lixeira · /, ['Pixels & Tags (true)', 'Lixeira (page)']],
    ['/admin/usuarios', 'Gerenciar Usuários Admin', /^Usuários Admin · /, ['Usuários Admin (page)']],
    ['/admin/atividade', 'Atividade', /^Atividade · /, ['Usuários Admin (true)', 'Atividade (page)']],
    ['/admin/configuracoes', 'Configurações', /^Configurações · /, ['Configurações (page)']],
    ['/admin/conta', 'Minha conta', /^Minha conta · /, []],
    ['/admin/ajuda', 'Ajuda', /^Ajuda · /, []],
    ['/admin/ajuda/campanhas', 'Campanhas', /^Campanhas · /, []],
    ['/admin/outra-coisa', 'Página não encontrada', /^Página não encontrada · /, []],
  ])('%s shows "%s"', async (path, heading, title, marked) => {
    await openDashboard(site, { path })
    await screen.findByRole('heading', { level: 2, name: heading })
    await waitFor(() => expect(document.title).toMatch(title))
    expect(current()).toEqual(marked)
    expect(screen.getByRole('link', { name: 'Minha conta' }).getAttribute('aria-current')).toBe(
      path === '/admin/conta' ? 'page' : null,
    )
  })

  test.each(Object.entries(REDIRECTS))('redirects %s, which was sent in emails, to %s', async (from, to) => {
    addPixels(1)
    await openDashboard(site, { path: from })
    await screen.findByRole('heading', { name: 'Gerenciar Pixels e Tags' })
    expect(address()).toBe(to)
  })

  test('names no filter that could identify a person', () => {
    const names = ROUTES.flatMap(({ search = [] }) => search)
    expect([...new Set(names)].sort()).toEqual([
      'busca',
      'campanha',
      'canal',
      'codigo',
      'contar',
      'dias',
      'dispositivo',
      'metrica',
      'modo',
      'origem',
      'periodo',
      'por',
      'saude',
      'situacao',
      'status',
      'termo',
      'tipo',
      'ver',
    ])
  })
})

test.each(['/admin/pixels/nada', `/admin/pixels/${NOBODY}0`])(
  '%s does not exist, and nothing is requested',
  async (path) => {
    addPixels(1)
    await openDashboard(site, { path })
    await screen.findByText('Este pixel não existe')
    expect(site.calls.filter((call) => call.path.includes(path.split('/').at(-1) ?? ''))).toEqual([])
  },
)

test('the link back to the list keeps the filters that the person left', async () => {
  addPixels(12)
  const { person } = await openDashboard(site)
  await person.selectOptions(await screen.findByLabelText('Filtrar por tipo'), 'meta')
  await person.click(screen.getByRole('link', { name: 'Pixel 3' }))
  await screen.findByRole('heading', { level: 2, name: 'Pixel 3' })
  await person.click(within(screen.getByRole('main')).getByRole('link', { name: 'Pixels & Tags' }))
  await screen.findByRole('heading', { name: 'Gerenciar Pixels e Tags' })
  expect(address()).toBe('/admin?tipo=meta')
})

test('an address with filters opens the list as it was shared', async () => {
  addPixels(12)
  const { id } = site.addPixel('Loja', { health: 'working' })
  const path = `/admin?tipo=meta&status=ativos&busca=loja&codigo=${id}`
  await openDashboard(site, { path })
  await screen.findByRole('region', { name: /Loja/ })
  expect((screen.getByLabelText('Filtrar por tipo') as HTMLSelectElement).value).toBe('meta')
  expect((screen.getByLabelText('Filtrar por status') as HTMLSelectElement).value).toBe('active')
  expect((screen.getByLabelText('Buscar por nome ou ID') as HTMLInputElement).value).toBe('loja')
  expect(screen.getByRole('table').querySelectorAll('tbody')).toHaveLength(1)
  expect(address()).toBe(path)
})

test('the back button restores the list, with filters, open panel and scroll position', async () => {
  const ids = addPixels(12)
  const { person } = await openDashboard(site)
  await person.selectOptions(await screen.findByLabelText('Filtrar por tipo'), 'meta')
  await person.type(screen.getByLabelText('Buscar por nome ou ID'), 'Pixel 1')
  await person.click(screen.getByRole('button', { name: 'Ver código: Pixel 10' }))
  vi.stubGlobal('scrollY', 640)
  // At once: the search is not in the address yet.
  await person.click(screen.getByRole('link', { name: 'Pixel 11' }))
  const page = await screen.findByRole('heading', { level: 2, name: 'Pixel 11' })
  await waitFor(() => expect(document.activeElement).toBe(page))
  const scroll = vi.spyOn(window, 'scrollTo').mockImplementation(() => {})
  goBackTo(`/admin?tipo=meta&codigo=${ids[10]}&busca=Pixel+1`)
  const heading = await screen.findByRole('heading', { name: 'Gerenciar Pixels e Tags' })
  await waitFor(() => expect(document.activeElement).toBe(heading))
  expect(scroll.mock.calls).toEqual([[0, 640]])
  expect((screen.getByLabelText('Filtrar por tipo') as HTMLSelectElement).value).toBe('meta')
  expect((screen.getByLabelText('Buscar por nome ou ID') as HTMLInputElement).value).toBe('Pixel 1')
  await screen.findByRole('region', { name: /Pixel 10/ })
})

test('a new screen starts at its top', async () => {
  addPixels(1)
  const { person } = await openDashboard(site)
  const scroll = vi.spyOn(window, 'scrollTo').mockImplementation(() => {})
  await person.click(await screen.findByRole('link', { name: 'Usuários Admin' }))
  await screen.findByRole('heading', { name: 'Gerenciar Usuários Admin' })
  expect(scroll.mock.calls).toEqual([[0, 0]])
})

test('periods and views are in the address, without adding history entries', async () => {
  const [id] = addPixels(1)
  const { person } = await openDashboard(site, { path: `/admin/pixels/${id}` })
  const entries = history.length
  await person.click(await screen.findByRole('button', { name: '30 dias' }))
  await person.click(screen.getByRole('button', { name: 'Tabela' }))
  expect(address()).toBe(`/admin/pixels/${id}?periodo=30d&ver=tabela`)
  await person.click(screen.getByRole('button', { name: '24 horas' }))
  expect(address()).toBe(`/admin/pixels/${id}?ver=tabela`)
  expect(history.length).toBe(entries)
})

describe('never in the address', () => {
  test('a search for people', async () => {
    site.subscriptions = [makeSubscription('lia@exemplo.com.br', { status: 'failed' })]
    const { person } = await openDashboard(site, { path: '/admin/inscricoes?situacao=falharam' })
    await person.type(await screen.findByLabelText('Buscar por e-mail'), 'lia')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(address()).toBe('/admin/inscricoes?situacao=falharam')
    goBackTo('/admin/atividade')
    await person.type(await screen.findByLabelText('Buscar na atividade'), 'lia')
    await person.selectOptions(screen.getByLabelText('Filtrar por usuário'), MARINA.email)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(address()).toBe('/admin/atividade')
  })

  test('a search for pixels that may be an email', async () => {
    addPixels(12)
    const { person } = await openDashboard(site)
    const search = await screen.findByLabelText('Buscar por nome ou ID')
    await person.type(search, 'lia')
    await waitFor(() => expect(address()).toBe('/admin?busca=lia'))
    await person.type(search, '@exemplo.com')
    await waitFor(() => expect(address()).toBe('/admin'))
    expect((search as HTMLInputElement).value).toBe('lia@exemplo.com')
  })

  test('a parameter that the screen does not know', async () => {
    await openDashboard(site, { path: `/admin/usuarios?email=${MARINA.email}&tipo=meta` })
    await screen.findByRole('heading', { name: 'Gerenciar Usuários Admin' })
    expect(address()).toBe('/admin/usuarios')
  })
})

test('writes neither history state nor storage', async () => {
  const write = vi.spyOn(Storage.prototype, 'setItem')
  const push = vi.spyOn(history, 'pushState')
  const replace = vi.spyOn(history, 'replaceState')
  addPixels(12)
  const { person } = await openDashboard(site)
  await person.selectOptions(await screen.findByLabelText('Filtrar por tipo'), 'meta')
  await person.click(screen.getByRole('link', { name: 'Pixel 11' }))
  await screen.findByRole('heading', { level: 2, name: 'Pixel 11' })
  goBackTo('/admin?tipo=meta')
  await screen.findByRole('heading', { name: 'Gerenciar Pixels e Tags' })
  const states = [...push.mock.calls, ...replace.mock.calls].map(([state]) => state)
  expect(states.length).toBeGreaterThan(2)
  expect(states.every((state) => state === null)).toBe(true)
  expect(history.state).toBeNull()
  expect(write).not.toHaveBeenCalled()
})

test('follows an emailed link pasted into an open tab, and removes it from the address', async () => {
  await openDashboard(site, { path: '/admin/usuarios' })
  await screen.findByRole('heading', { name: 'Gerenciar Usuários Admin' })
  location.hash = '#token_hash=abc&type=recovery'
  fireEvent(window, new PopStateEvent('popstate'))
  fireEvent(window, new HashChangeEvent('hashchange'))
  await screen.findByRole('heading', { name: /senha/i })
  expect(location.href).not.toContain('abc')
  expect(address()).toBe('/admin/usuarios')
})
