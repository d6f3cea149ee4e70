import { expect, test } from 'vitest'
import type { ServedDestination } from '#contract/conversions.ts'
import type { VisitResultRow } from '#contract/visit-results.ts'
import { describeCopies } from './visit-series.ts'

const NONE = { accepted: 0, unconfirmed: 0, refused: 0, waiting: 0, expired: 0, withheld: 0 }
const visits = { from: '', blocked: 0, failed: 0, reached: 0 }
const row = (copies: Partial<typeof NONE>): VisitResultRow => {
  const parts = { ...NONE, ...copies }
  return { ...visits, ...parts, events: Object.values(parts).reduce((sum, count) => sum + count) }
}

test.each([
  ['meta', [visits], null],
  ['meta', [visits, row({})], 'O servidor não enviou eventos nas últimas 24 horas.'],
  [
    'meta',
    [row({ accepted: 1_000 }), visits, row({ accepted: 377 })],
    'Envio pelo servidor: a Meta aceitou 1.377.',
  ],
  [
    'meta',
    [row({ accepted: 5, refused: 2, waiting: 1, expired: 3, withheld: 1 })],
    'Envio pelo servidor: a Meta aceitou 5 e recusou 2; 1 está na fila, 3 expiraram e 1 não foi enviado (consentimento retirado ou evento desligado).',
  ],
  ['meta', [row({ waiting: 3 })], 'Envio pelo servidor: 3 estão na fila.'],
  ['custom', [row({ refused: 1 })], 'Envio pelo servidor: seu webhook recusou 1.'],
  [
    'google_analytics',
    [row({ unconfirmed: 120 })],
    'Envio pelo servidor: 120 foram enviados; o Google não confirma o recebimento.',
  ],
] as const)('%s %o', (type, rows, sentence) => {
  expect(describeCopies(type, rows)).toBe(sentence)
})

test('a vendor that confirms later is not said to confirm nothing', () => {
  const vendor = { who: 'o Google', confirms_later: true } as ServedDestination
  expect(describeCopies('custom', [row({ unconfirmed: 2 })], vendor)).toBe(
    'Envio pelo servidor: 2 foram enviados; o Google só confirma depois.',
  )
})
