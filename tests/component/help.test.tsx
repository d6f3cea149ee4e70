import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { ScriptedSite } from '../support/scripted-site.ts'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

const address = () => location.pathname + location.search + decodeURIComponent(location.hash)
const search = () => screen.findByRole('searchbox', { name: 'Buscar na ajuda' })

test('opens from the header, lists the chapters and leads from one to the next', async () => {
  const { person } = await openDashboard(site)
  const help = screen.getByRole('link', { name: 'Ajuda' })
  await person.click(help)
  await screen.findByRole('heading', { level: 2, name: 'Ajuda' })
  expect(help.getAttribute('aria-current')).toBe('page')
  const main = within(screen.getByRole('main'))
  expect(main.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([
    'Seu primeiro pixel da Meta',
    'Aviso de cookies e consentimento',
    'Conversões pelo servidor',
    'Minha tag não funciona',
    'Visitas',
    'Campanhas',
    'Resultados',
    'Prova de consentimento',
  ])
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
  await person.click(main.getByRole('link', { name: /^Seu primeiro pixel da Meta/ }))
  const heading = await screen.findByRole('heading', { level: 2, name: 'Seu primeiro pixel da Meta' })
  await waitFor(() => expect(document.activeElement).toBe(heading))
  expect(document.title).toMatch(/^Seu primeiro pixel da Meta · /)
  expect(help.getAttribute('aria-current')).toBe('true')
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
  await person.click(screen.getByRole('link', { name: 'Próximo capítulo: Aviso de cookies e consentimento' }))
  await screen.findByRole('heading', { level: 2, name: 'Aviso de cookies e consentimento' })
  expect(address()).toBe('/admin/ajuda/consentimento')
})

test('an address with a heading opens the chapter there', async () => {
  await openDashboard(site, { path: '/admin/ajuda/nao-funciona#pausa-automática' })
  const heading = await screen.findByRole('heading', { level: 3, name: 'Pausa automática' })
  await waitFor(() => expect(document.activeElement).toBe(heading))
})

test('a link to a heading of another chapter leads to it', async () => {
  const { person } = await openDashboard(site, { path: '/admin/ajuda/conversoes-pelo-servidor' })
  await person.click(await screen.findByRole('link', { name: 'parâmetros de campanha' }))
  const heading = await screen.findByRole('heading', { level: 3, name: 'Para onde vão os parâmetros' })
  await waitFor(() => expect(document.activeElement).toBe(heading))
  expect(address()).toBe('/admin/ajuda/campanhas#para-onde-vão-os-parâmetros')
})

test('the search ignores accents and case, puts titles first and opens the section', async () => {
  const { person } = await openDashboard(site, { path: '/admin/ajuda/nao-funciona' })
  await person.type(await search(), 'DOSSIE')
  const results = await screen.findByRole('list', { name: 'Resultados' })
  const [first] = within(results).getAllByRole('heading', { level: 3 })
  expect(first?.textContent).toBe('Gere o dossiê para auditoria')
  expect(results.querySelector('mark')?.textContent).toBe('dossiê')
  expect(screen.getByRole('status', { name: '' }).textContent).toMatch(/resultado/)
  await person.click(within(results).getByRole('link', { name: /^Gere o dossiê para auditoria/ }))
  const heading = await screen.findByRole('heading', { level: 3, name: 'Gere o dossiê para auditoria' })
  await waitFor(() => expect(document.activeElement).toBe(heading))
  expect(address()).toBe('/admin/ajuda/prova-de-consentimento#gere-o-dossiê-para-auditoria')
})

test('a result in the open chapter leads to its heading', async () => {
  const { person } = await openDashboard(site, { path: '/admin/ajuda/nao-funciona' })
  await person.type(await search(), 'webrtc')
  await person.click(await screen.findByRole('link', { name: /^Tag isolada da página/ }))
  const heading = await screen.findByRole('heading', { level: 3, name: 'Tag isolada da página' })
  await waitFor(() => expect(document.activeElement).toBe(heading))
  expect(((await search()) as HTMLInputElement).value).toBe('')
  expect(address()).toBe('/admin/ajuda/nao-funciona#tag-isolada-da-página')
})

test('a search without result says so and can be cleared', async () => {
  const { person } = await openDashboard(site, { path: '/admin/ajuda' })
  await person.type(await search(), 'xilofone')
  await screen.findByRole('heading', { name: 'Nenhum resultado para "xilofone"' })
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
  await person.click(screen.getByRole('button', { name: 'Limpar busca' }))
  await screen.findByRole('heading', { name: 'Campanhas' })
})

test('a chapter that does not exist leads back to the list', async () => {
  const { person } = await openDashboard(site, { path: '/admin/ajuda/outro' })
  await screen.findByRole('heading', { level: 2, name: 'Capítulo não encontrado' })
  await person.click(screen.getByRole('button', { name: 'Ver todos os capítulos' }))
  await screen.findByRole('heading', { level: 2, name: 'Ajuda' })
})
