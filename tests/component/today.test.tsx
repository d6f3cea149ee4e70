import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makeToday } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

const days = (...values: (number | null)[]) => values
const strip = () => screen.findByRole('region', { name: 'Hoje' })

test('says each figure with yesterday beside it, and opens the lists that there are', async () => {
  site.addPixel('Loja', { health: 'broken' })
  site.addPixel('Blog', { health: 'working', confirmed: true })
  site.today = makeToday({
    choices: { today: 1_390, yesterday: 1_262, days: days(900, 910, 880, 1_000, 1_020, 2_400, 1_390) },
    accepted: { today: 987, yesterday: 871, days: days(1, 1, 1, 1, 1, 1, 987) },
    refused: { today: 306, yesterday: 300, days: days(1, 1, 1, 1, 1, 1, 306) },
    lead: { today: 86, yesterday: 91, days: days(null, 70, 60, 82, 100, 90, 86) },
    contact: { today: 0, yesterday: 22, days: days(40, 52, 44, 60, 58, 66, 0) },
    subscriptions: { today: 12, yesterday: 12, days: days(5, 3, 6, 5, 8, 15, 12) },
  })
  const { person } = await openDashboard(site)
  const today = within(await strip())
  const text = async (label: string) =>
    (await today.findByText(label)).closest('li')?.textContent?.replace(label, '')
  expect(await text('Visitas que escolheram')).toBe('1.390ontem 1.262')
  expect(await text('Aceitaram tudo')).toBe('71%22% recusaramontem 69%')
  expect(await text('Abrir Conta (cliques)')).toBe('86ontem 91')
  expect(await text('Especialista (cliques)')).toBe('0ontem 22')
  expect(await text('Inscrições')).toBe('12ontem 12')
  await waitFor(async () => expect(await text('Tags com problema')).toBe('1agora'))
  today.getByRole('img', {
    name: 'Sete dias. 09/11: não contado, 10/11: 70, 11/11: 60, 12/11: 82, 13/11: 100, 14/11: 90, 15/11: 86.',
  })
  today.getByRole('img', { name: 'De 1.390: 987 aceitaram tudo, 97 em parte, 306 recusaram.' })
  today.getByText('domingo, 15 de novembro, até 9h')
  // Once for wide screens, once behind a disclosure for narrow ones.
  expect(
    today.getAllByText(
      /^Comparado com ontem, até 9h10\..*Cliques contam apenas em visitas com consentimento\.$/,
    ),
  ).toHaveLength(2)
  // What has no list is no link.
  expect(today.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    '/admin/consentimento',
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
    'As tags somam 1.200 ms por visita ou mais (p75); sem dono certo, 40 ms',
  ],
  [{ visits: 7, ms: 0, unattributed_ms: 0 }, 'As tags não travam a página (p75)'],
])('says what the tags cost a visit, where visits told it', async (cost, sentence) => {
  site.today = makeToday({ cost })
  await openDashboard(site)
  await within(await strip()).findByText(sentence)
  expect(await findComponentFaults(await strip())).toEqual([])
})

test('on a first day says what is not measured, and no zero in its place', async () => {
  site.today = makeToday({
    lead: { days: days(null, null, null, null, null, null, null) },
    counted_since: '2026-11-15T11:20:00.000Z',
  })
  site.refuse('GET /admin/api/tags', 500)
  await openDashboard(site)
  const today = within(await strip())
  const text = async (label: string) => (await today.findByText(label)).closest('li')?.textContent
  expect(await text('Abrir Conta (cliques)')).toContain('não medidoontem: não medido')
  expect(await text('Aceitaram tudo')).toContain('ninguém')
  expect(await text('Tags com problema')).toContain('não medido')
  expect((await strip()).textContent).not.toMatch(/As tags/)
  expect((await strip()).textContent).toContain('Escolhas e cliques são contados desde 15/11 às 8h20.')
  expect(await findComponentFaults(await strip())).toEqual([])
})

test('figures that do not come keep nobody from the list, and are asked for again', async () => {
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
  await within(await strip()).findByText('Visitas que escolheram')
  expect(await findComponentFaults(await strip())).toEqual([])
})
