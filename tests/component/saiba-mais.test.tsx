import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { SaibaMais } from '#admin/components/saiba-mais.tsx'

test('keeps the explanation closed until it is asked for, and names what it explains', async () => {
  render(
    <SaibaMais about="sobre os selos">
      <p>A cada minuto, um selo.</p>
    </SaibaMais>,
  )
  const summary = screen.getByText('Saiba mais').closest('summary')
  const details = screen.getByText('A cada minuto, um selo.').closest('details')
  expect(summary?.textContent).toBe('Saiba mais sobre os selos')
  expect(details?.open).toBe(false)
  await userEvent.click(screen.getByText('Saiba mais'))
  expect(details?.open).toBe(true)
})
