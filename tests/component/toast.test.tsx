import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { notifyFailure, notifySuccess, notifyWarning, Toaster } from '#admin/components/toast.tsx'
import { RequestError } from '#admin/lib/api.ts'
import { findComponentFaults } from '../support/find-component-faults.ts'

/** With an element to return the focus to. */
function open() {
  render(
    <>
      <button type="button">Antes</button>
      <Toaster />
    </>,
  )
  const before = screen.getByRole('button', { name: 'Antes' })
  before.focus()
  return { before, person: userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) }) }
}
const say = (work: () => void) => act(async () => work())
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

test('messages are added to a region that announces them', async () => {
  open()
  const region = screen.getByRole('region', { name: 'Notificações' })
  expect(region.getAttribute('aria-live')).toBe('polite')
  await say(() => {
    notifySuccess('Pixel salvo: Loja')
    notifyWarning('Confira', { description: 'Algo mudou.' })
    notifyFailure('Não deu para salvar.', new RequestError({ status: 500 }))
  })
  expect(region.textContent).toContain('Pixel salvo: Loja')
  expect(region.textContent).toContain('Algo mudou.')
  expect(screen.getAllByRole('listitem')).toHaveLength(3)
  expect(await findComponentFaults(region)).toEqual([])
})

test.each([
  ['a report', () => notifySuccess('Feito'), 6_000],
  ['a warning', () => notifyWarning('Feito'), 12_000],
  ['a report that can be undone', () => notifySuccess('Feito', { undo: () => {} }), 15_000],
])('%s closes by itself', async (_what, tell, stays) => {
  open()
  await say(tell)
  await wait(stays - 100)
  screen.getByText('Feito')
  await wait(200)
  expect(screen.queryByText('Feito')).toBeNull()
})

test('none closes while the pointer is on them, and each then has the rest of its time', async () => {
  const { person } = open()
  await say(() => notifySuccess('Feito'))
  await wait(5_000)
  await person.hover(screen.getByText('Feito'))
  await wait(60_000)
  screen.getByText('Feito')
  await person.unhover(screen.getByText('Feito'))
  await wait(500)
  screen.getByText('Feito')
  await wait(1_000)
  expect(screen.queryByText('Feito')).toBeNull()
})

test('none closes while the focus is in them; Escape closes the message and returns the focus', async () => {
  const { before, person } = open()
  await say(() => notifySuccess('Feito', { undo: () => {} }))
  await person.tab()
  expect(document.activeElement?.textContent).toMatch(/^Desfazer/)
  await wait(60_000)
  await person.keyboard('{Escape}')
  expect(screen.queryByText('Feito')).toBeNull()
  expect(document.activeElement).toBe(before)
})

test('Alt+T moves to the newest message', async () => {
  const { person } = open()
  await say(() => {
    notifySuccess('Um', { undo: () => {} })
    notifySuccess('Dois')
  })
  await person.keyboard('{Alt>}t{/Alt}')
  expect(document.activeElement?.closest('li')?.textContent).toContain('Dois')
})

test('a message can be closed by hand, and the focus returns', async () => {
  const { before, person } = open()
  await say(() => notifySuccess('Feito'))
  await person.click(screen.getByRole('button', { name: 'Dispensar notificação' }))
  await waitFor(() => expect(screen.queryByText('Feito')).toBeNull())
  expect(document.activeElement).toBe(before)
})

test('the button acts once, even on a quick double click', async () => {
  open()
  const undo = vi.fn()
  await say(() => notifySuccess('Feito', { undo }))
  const button = screen.getByRole('button', { name: /^Desfazer/ })
  await say(() => {
    button.click()
    button.click()
  })
  expect(undo).toHaveBeenCalledOnce()
  expect(screen.queryByText('Feito')).toBeNull()
})

test('shows the newest four, and older ones appear again as they close', async () => {
  const { person } = open()
  await say(() => {
    for (const text of ['Um', 'Dois', 'Três', 'Quatro', 'Cinco']) notifySuccess(text)
  })
  expect(screen.queryByText('Um')).toBeNull()
  const [first] = screen.getAllByRole('button', { name: 'Dispensar notificação' })
  if (first) await person.click(first)
  screen.getByText('Um')
})
