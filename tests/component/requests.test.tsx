import { screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { ROUTES } from '#admin/app/routes.tsx'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makePixel, makeSubscription, makeTest, NOW } from '../support/scripted-rows.ts'
import type { Call } from '../support/scripted-server.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const PIXELS = 'GET /rest/v1/tracking_pixels'
const LISTED = 'id,name,type,pixel_id,is_active,created_at,updated_at'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

const addressOf = ({ method, path, query }: Call) => `${method} ${path}?${query}`
const selects = () => site.callsTo(PIXELS).map(({ query }) => query.get('select'))

/** Fills every screen, and opens the one at `path`, whose parameters become the first pixel's. */
async function openRoute(path: string) {
  const pixel = site.addPixel('Loja', { health: 'working' })
  site.addPixel('Chat', { health: 'partial' }, { type: 'custom', pixel_id: null, code: 'chat("ABC-12345")' })
  site.trash = [makePixel({ name: 'Verão' })]
  site.subscriptions = [makeSubscription('ana@exemplo.com.br')]
  site.answer('GET /auth/v1/passkeys', () => [])
  site.answer('GET /admin/api/inventory', () => ({ items: [], headers: [], checks_files: true }))
  site.answer('GET /admin/api/consent', ({ query }) => ({
    from: query.get('from'),
    to: NOW.slice(0, 10),
    counts: [],
    notices: [],
    seals: { last: null, waiting: 0, oldest_waiting_at: null },
    recent: [],
    kept_days: 1826,
  }))
  const done = makeTest({ state: 'left' })
  site.tests = [done]
  const opened = await openDashboard(site, {
    path: path.replace(':pixelId', pixel.id).replace(':testId', done.id),
  })
  await screen.findByRole('heading', { level: 2 })
  await waitFor(() => expect(document.querySelector('[aria-busy="true"]')).toBeNull())
  return { ...opened, pixel }
}

describe.each(ROUTES.map(({ path }) => path))('%s', (path) => {
  test('requests nothing twice while it loads', async () => {
    await openRoute(path)
    // Every part of the screen is there, and has requested its data.
    await vi.advanceTimersByTimeAsync(900)
    const addresses = site.calls.map(addressOf)
    expect(addresses.filter((address, index) => addresses.indexOf(address) !== index)).toEqual([])
  })

  test('keeps everything on screen when a refresh fails', async () => {
    await openRoute(path)
    const shown = textsOf(document.getElementById('conteudo'))
    const asked = site.calls.length
    for (const path of new Set(site.calls.map((call) => call.path))) site.refuse(`GET ${path}`, 500)
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    await waitFor(() => expect(site.calls.length).toBeGreaterThan(asked))
    await vi.advanceTimersByTimeAsync(2_000)
    const now = textsOf(document.getElementById('conteudo'))
    expect(shown.filter((text) => !now.includes(text))).toEqual([])
  })
})

/** Visible texts. Those that count the time keep counting. */
function textsOf(root: Element | null): string[] {
  if (root === null) throw new Error('the page has no content')
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const texts: string[] = []
  while (walker.nextNode()) texts.push(walker.currentNode.textContent ?? '')
  return texts.filter((text) => text.trim() !== '')
}

describe('pixels', () => {
  test('the list requests only the columns that it shows, also on a refresh', async () => {
    const { person } = await openRoute('/admin')
    await person.click(await screen.findByRole('switch', { name: 'Ativo: Loja' }))
    await screen.findByText('Pixel desativado: Loja')
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    await waitFor(() => expect(selects().length).toBeGreaterThan(1))
    expect([...new Set(selects())]).toEqual([LISTED])
    expect(site.callsTo('PATCH /rest/v1/tracking_pixels').map(({ query }) => query.get('select'))).toEqual([
      LISTED,
    ])
  })

  test("a pixel's page requests that pixel only", async () => {
    const { pixel } = await openRoute('/admin/pixels/:pixelId')
    expect(site.callsTo(PIXELS).map(({ query }) => [query.get('id'), query.get('select')])).toEqual([
      [`eq.${pixel.id}`, '*'],
    ])
  })

  test('the form and the code panel request their pixel', async () => {
    const { person, pixel } = await openRoute('/admin')
    await person.click(await screen.findByRole('button', { name: 'Ver código: Loja' }))
    await screen.findByText(/fbq/)
    await person.click(screen.getByRole('button', { name: 'Editar: Loja' }))
    await screen.findByRole('dialog', { name: 'Editar Pixel' })
    const whole = site.callsTo(PIXELS).filter(({ query }) => query.get('select') === '*')
    expect(whole.map(({ query }) => query.get('id'))).toEqual([`eq.${pixel.id}`, `eq.${pixel.id}`])
  })

  test('reports a form whose pixel could not be loaded, and retries', async () => {
    const { person } = await openRoute('/admin')
    const edit = await screen.findByRole('button', { name: 'Editar: Loja' })
    const held = site.hold(PIXELS)
    await person.click(edit)
    await waitFor(() => expect(edit.getAttribute('aria-busy')).toBe('true'))
    site.refuse(PIXELS, 500)
    site.letGo(PIXELS)
    held[0]?.release()
    await screen.findByText('Não foi possível abrir o pixel Loja.')
    expect(edit.getAttribute('aria-busy')).toBe('false')
    expect(screen.queryByRole('dialog')).toBeNull()
    site.answer(PIXELS, () => site.pixels)
    await person.click(screen.getByRole('button', { name: 'Tentar novamente' }))
    await screen.findByRole('dialog', { name: 'Editar Pixel' })
  })

  test('searches codes on the server for an ID that is only in a code', async () => {
    for (let n = 0; n < 10; n += 1) site.addPixel(`Pixel ${n}`, null)
    const { person } = await openRoute('/admin')
    await person.type(await screen.findByRole('searchbox'), 'abc-12345')
    await screen.findByRole('switch', { name: 'Ativo: Chat' })
    await waitFor(() => expect(screen.getAllByRole('switch', { name: /^Ativo/ })).toHaveLength(1))
    const asked = site.callsTo(PIXELS).filter(({ query }) => query.has('code'))
    expect(asked.map(({ query }) => query.get('code'))).toEqual(['ilike.*abc-12345*'])
    // A word is no ID.
    await person.clear(screen.getByRole('searchbox'))
    await person.type(screen.getByRole('searchbox'), 'chat')
    await waitFor(() => expect(screen.getAllByRole('switch', { name: /^Ativo/ })).toHaveLength(1))
    expect(site.callsTo(PIXELS).filter(({ query }) => query.has('code'))).toHaveLength(1)
  })
})
