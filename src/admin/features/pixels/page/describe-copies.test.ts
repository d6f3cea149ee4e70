import { expect, test } from 'vitest'
import type { LedgerRow } from '#contract/visit-results.ts'
import { describeCopies } from './visit-series.ts'

const NONE = { accepted: 0, unconfirmed: 0, refused: 0, waiting: 0, expired: 0, withheld: 0 }
const visits = { from: '', blocked: 0, failed: 0, reached: 0 }
const row = (copies: Partial<typeof NONE>): LedgerRow => {
  const parts = { ...NONE, ...copies }
  return { ...visits, ...parts, events: Object.values(parts).reduce((sum, count) => sum + count) }
}

test.each([
  ['meta', [visits], null],
  ['meta', [visits, row({})], 'O servidor não teve cópia a enviar nas últimas 24 horas.'],
  [
    'meta',
    [row({ accepted: 1_000 }), visits, row({ accepted: 377 })],
    'Das cópias do servidor, a Meta aceitou 1.377.',
  ],
  [
    'meta',
    [row({ accepted: 5, refused: 2, waiting: 1, expired: 3, withheld: 1 })],
    'Das cópias do servidor, a Meta aceitou 5 e recusou 2; 1 aguarda, 3 expiraram e 1 foi retida.',
  ],
  ['meta', [row({ waiting: 3 })], 'Das cópias do servidor, 3 aguardam.'],
  ['custom', [row({ refused: 1 })], 'Das cópias do servidor, o webhook recusou 1.'],
  [
    'google_analytics',
    [row({ unconfirmed: 120 })],
    'Das cópias do servidor, 120 foram enviadas; o Google não confirma.',
  ],
] as const)('%s %o', (type, rows, sentence) => {
  expect(describeCopies(type, rows)).toBe(sentence)
})
