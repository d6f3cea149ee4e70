import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makePixel } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const network = vi.hoisted(() => ({ isAway: true }))
vi.mock('#admin/features/pixels/form/pixel-form.tsx', (original) => {
  if (network.isAway) throw new Error('away')
  return original()
})

test('shows over the list that a form could not be loaded, keeps the list, and retries', async () => {
  const site = new ScriptedSite()
  site.pixels = [makePixel({ name: 'Meta' })]
  vi.mocked(console.error).mockImplementation(() => {})
  const reload = vi.spyOn(location, 'reload').mockImplementation(() => {})
  const { person } = await openDashboard(site)
  const edit = await screen.findByRole('button', { name: 'Editar: Meta' })

  await person.click(edit)
  const said = await screen.findByRole('dialog', { name: 'Não foi possível abrir esta janela' })
  screen.getByRole('switch', { name: 'Ativo: Meta' })
  expect(await findComponentFaults(said)).toEqual([])
  await person.click(screen.getByRole('button', { name: 'Fechar' }))
  expect(screen.queryByRole('dialog')).toBeNull()

  await person.click(edit)
  await person.click(await screen.findByRole('button', { name: 'Tentar novamente' }))
  // Some browsers never request a failed module twice: only a reload helps.
  await person.click(await screen.findByRole('button', { name: 'Recarregar a página' }))
  expect(reload).toHaveBeenCalledOnce()
  await person.click(screen.getByRole('button', { name: 'Fechar' }))

  await person.click(edit)
  const again = await screen.findByRole('button', { name: 'Tentar novamente' })
  network.isAway = false
  await person.click(again)
  expect(((await screen.findByLabelText('Nome do Pixel')) as HTMLInputElement).value).toBe('Meta')
})
