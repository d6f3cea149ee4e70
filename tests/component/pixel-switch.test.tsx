import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makePixel } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const STORE = 'PATCH /rest/v1/tracking_pixels'
const LIST = 'GET /rest/v1/tracking_pixels'
/** Its name says what it switches, its state whether it is on. */
const badge = (state: 'Ativo' | 'Inativo') =>
  screen.findByRole('switch', { name: 'Ativo: Meta', checked: state === 'Ativo' })

/** A dashboard with one pixel whose list is not reloaded: the screen shows what the clicks left. */
async function openWith(is_active: boolean) {
  const site = new ScriptedSite()
  site.pixels = [makePixel({ name: 'Meta', is_active })]
  const { person } = await openDashboard(site)
  await badge(is_active ? 'Ativo' : 'Inativo')
  site.hold(LIST)
  return { site, person }
}

test.each([1, 2, 3, 4])('%i clicks without a response end at the stored state', async (clicks) => {
  const { site, person } = await openWith(false)
  site.away = true
  const held = site.hold(STORE)
  for (let click = 0; click < clicks; click += 1)
    await person.click(screen.getByRole('switch', { name: /Meta/ }))
  for (let turn = 0; turn < clicks; turn += 1) {
    await vi.waitFor(() => expect(held).toHaveLength(turn + 1), 30_000)
    held[turn]?.release()
  }
  await screen.findAllByText(/^Não foi possível (ativar|desativar) o pixel Meta\.$/)
  await badge('Inativo')
})

test('two quick clicks of which the second fails: shows what the first stored', async () => {
  const { site, person } = await openWith(false)
  const held = site.hold(STORE)
  await person.click(await badge('Inativo'))
  await person.click(await badge('Ativo'))
  await vi.waitFor(() => expect(held).toHaveLength(1), 30_000)
  held[0]?.release()
  await vi.waitFor(() => expect(held).toHaveLength(2), 30_000)
  site.away = true
  held[1]?.release()
  await screen.findByText('Não foi possível desativar o pixel Meta.')
  await badge('Ativo')
  expect(site.pixels[0]?.is_active).toBe(true)
})

test('"Desfazer" can be reached by keyboard while the message is shown', async () => {
  const { site, person } = await openWith(true)
  site.letGo(LIST)
  ;(await badge('Ativo')).focus()
  await person.keyboard(' ')
  await screen.findByText('Pixel desativado: Meta')
  expect(site.pixels[0]?.is_active).toBe(false)
  // A button at the end of the page cannot be reached by Tab within six seconds.
  await vi.advanceTimersByTimeAsync(11_000)
  await person.keyboard('{Control>}z{/Control}')
  await screen.findByText('Pixel ativado: Meta')
  expect(site.pixels[0]?.is_active).toBe(true)
})

test('Ctrl+Z in a field is the field’s', async () => {
  const { site, person } = await openWith(true)
  site.letGo(LIST)
  await person.click(await badge('Ativo'))
  await screen.findByText('Pixel desativado: Meta')
  await person.click(screen.getByRole('button', { name: 'Editar: Meta' }))
  await person.click(await screen.findByLabelText('Nome do Pixel'))
  await person.keyboard('{Control>}z{/Control}')
  await vi.advanceTimersByTimeAsync(500)
  expect(site.pixels[0]?.is_active).toBe(false)
})
