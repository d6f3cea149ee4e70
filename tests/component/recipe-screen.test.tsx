import { useQuery } from '@tanstack/react-query'
import { screen } from '@testing-library/react'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROUTES } from '../../src/admin/app/routes.tsx'
import { Card } from '../../src/admin/components/card.tsx'
import { PageHeading } from '../../src/admin/components/page-heading.tsx'
import { QueryView } from '../../src/admin/components/query-view.tsx'
import { useServices } from '../../src/admin/lib/services.tsx'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { ScriptedSite } from '../support/scripted-site.ts'

/** The file of a new screen. */
function GuestsScreen() {
  const { admin } = useServices()
  const guests = useQuery({ queryKey: ['guests'], queryFn: () => admin<{ names: string[] }>('/guests') })
  return (
    <>
      <PageHeading title="Hóspedes" subtitle="Quem está no hotel." />
      <QueryView query={guests} failure="Não deu para carregar os hóspedes." loading={<p>Carregando</p>}>
        {({ names }) => <Card>{names.join(', ')}</Card>}
      </QueryView>
    </>
  )
}

/** Its row. */
const route = { path: '/admin/hospedes', tab: 'pixels', title: 'Hóspedes', screen: GuestsScreen } as const
beforeAll(() => void (ROUTES as (typeof ROUTES)[number][]).push(route))
afterAll(() => void (ROUTES as (typeof ROUTES)[number][]).pop())

test('a new screen has its address, its place in the navigation, its title and its data', async () => {
  const site = new ScriptedSite()
  // Its server route.
  site.answer('GET /admin/api/guests', () => ({ names: ['Ana', 'Bia'] }))
  const { person } = await openDashboard(site)
  const [link] = await screen.findAllByRole('link', { name: 'Hóspedes' })
  await person.click(link as HTMLElement)
  await screen.findByRole('heading', { name: 'Hóspedes' })
  await screen.findByText('Ana, Bia')
  expect(location.pathname).toBe('/admin/hospedes')
  expect(document.title).toMatch(/^Hóspedes · /)
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
})
