import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { BIA, MARINA, NOW } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

/** Another person saves while the form is open, then this person does. */
async function collide() {
  const pixel = site.addPixel('Loja', { health: 'waiting' })
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Editar: Loja' }))
  const name = await screen.findByLabelText('Nome do Pixel')
  Object.assign(pixel, { name: 'Loja da Bia', updated_at: NOW })
  await person.clear(name)
  await person.type(name, 'Loja da Marina')
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Este pixel foi alterado depois que você abriu o formulário.')
  return { pixel, person }
}
const versions = () => screen.findByRole('region', { name: 'Comparação das duas versões' })

test('shows both versions, their authors and differences above the choices', async () => {
  site.conflict = {
    saved_by: BIA.email,
    saved_at: NOW,
    changes: [
      { field: 'name', label: 'Nome', before: 'Loja da Bia', after: 'Loja da Marina' },
      { field: 'pixel_id', label: 'ID', before: '123', after: null },
      {
        field: 'code',
        label: 'Código',
        lines: [
          { kind: 'gap', lines: 3 },
          { kind: 'removed', text: 'bia()' },
          { kind: 'added', text: 'marina()' },
        ],
      },
    ],
  }
  const { pixel, person } = await collide()
  const both = within(await versions())
  expect((await both.findByText('Versão salva')).closest('div')?.textContent).toMatch(
    /bia@portico\.example, em 15\/11\/2026/,
  )
  expect(both.getByText('Sua versão').closest('div')?.textContent).toContain(
    `${MARINA.email}, ainda não salva`,
  )
  const texts = both.getAllByRole('listitem').map(({ textContent }) => textContent)
  expect(texts[0]).toBe('NomeVersão salva: Loja da BiaSua versão: Loja da Marina')
  expect(texts[1]).toBe('IDVersão salva: 123Sua versão: vazio')
  expect(texts[2]).toMatch(/3 linhas sem mudança.*Só na versão salva: −bia\(\)Só na sua versão: \+marina\(\)/)
  const [call] = site.callsTo(`POST /admin/api/pixels/${pixel.id}/compare`)
  expect(call?.body).toMatchObject({ name: 'Loja da Marina', pixel_id: '482910377165024' })
  await person.click(screen.getByRole('button', { name: 'Usar a versão salva' }))
  await waitFor(() =>
    expect(screen.queryByRole('region', { name: 'Comparação das duas versões' })).toBeNull(),
  )
  expect(screen.getByLabelText<HTMLInputElement>('Nome do Pixel').value).toBe('Loja da Bia')
})

test('"Salvar a minha versão" replaces the saved version', async () => {
  const { pixel, person } = await collide()
  expect(pixel.name).toBe('Loja da Bia')
  await person.click(await screen.findByRole('button', { name: 'Salvar a minha versão' }))
  await screen.findByText('Pixel salvo: Loja da Marina')
  expect(pixel.name).toBe('Loja da Marina')
})

test('"Salvar a minha versão" does not replace a version that the person has not seen', async () => {
  const { pixel, person } = await collide()
  const mine = await screen.findByRole('button', { name: 'Salvar a minha versão' })
  Object.assign(pixel, { name: 'Loja do Caio', updated_at: '2026-11-15T18:00:00.000Z' })
  await person.click(mine)
  await waitFor(() =>
    expect(site.callsTo(`POST /admin/api/pixels/${pixel.id}/compare`).length).toBeGreaterThan(1),
  )
  expect(pixel.name).toBe('Loja do Caio')
  await person.click(await screen.findByRole('button', { name: 'Salvar a minha versão' }))
  await screen.findByText('Pixel salvo: Loja da Marina')
  expect(pixel.name).toBe('Loja da Marina')
})

test('a failed comparison blocks no choice', async () => {
  site.refuse('POST /admin/api/pixels/*/compare', 500)
  const { person } = await collide()
  const again = await within(await versions()).findByRole('button', { name: 'Tentar novamente' })
  site.answer('POST /admin/api/pixels/*/compare', () => ({ saved_by: null, saved_at: NOW, changes: [] }))
  await person.click(again)
  const both = within(await versions())
  await both.findByText('As duas versões são iguais. Use a versão salva.')
  expect((await versions()).textContent).toContain('autor desconhecido')
  expect(await findComponentFaults(await versions())).toEqual([])
})

test('does not call the same person in two windows another person', async () => {
  site.conflict = { saved_by: MARINA.email, saved_at: NOW, changes: [] }
  await collide()
  await within(await versions()).findByText(/você, em outra janela/)
  expect(document.body.textContent).not.toMatch(/[Oo]utra pessoa/)
})

test('an edit that starts before the switch is answered is no conflict with oneself', async () => {
  const pixel = site.addPixel('Loja', { health: 'waiting' })
  const { person } = await openDashboard(site)
  const held = site.hold('PATCH /rest/v1/tracking_pixels')
  await person.click(await screen.findByRole('switch', { name: /Loja/ }))
  await person.click(screen.getByRole('button', { name: 'Editar: Loja' }))
  await person.type(await screen.findByLabelText('Nome do Pixel'), ' nova')
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await waitFor(() => expect(held).toHaveLength(1))
  site.letGo('PATCH /rest/v1/tracking_pixels')
  held[0]?.release()
  await screen.findByText('Pixel salvo: Loja nova')
  expect(site.pixels[0]).toMatchObject({ id: pixel.id, name: 'Loja nova', is_active: false })
})

test('a change by another person between switch and save is still a conflict', async () => {
  const pixel = site.addPixel('Loja', { health: 'waiting' })
  const { person } = await openDashboard(site)
  const held = site.hold('PATCH /rest/v1/tracking_pixels')
  await person.click(await screen.findByRole('switch', { name: /Loja/ }))
  await person.click(screen.getByRole('button', { name: 'Editar: Loja' }))
  await person.type(await screen.findByLabelText('Nome do Pixel'), ' nova')
  await waitFor(() => expect(held).toHaveLength(1))
  Object.assign(pixel, { code: '<script>bia()</script>', updated_at: '2026-11-15T11:59:00.000Z' })
  site.letGo('PATCH /rest/v1/tracking_pixels')
  held[0]?.release()
  await screen.findByText('Pixel desativado: Loja')
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Este pixel foi alterado depois que você abriu o formulário.')
})
