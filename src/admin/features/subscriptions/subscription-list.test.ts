import { expect, test } from 'vitest'
import type { Subscription } from '#contract/newsletter.ts'
import { describeDelivery } from './subscription-list.tsx'

const ROW: Subscription = {
  id: '0',
  email: 'ana@exemplo.com.br',
  status: 'pending',
  attempts: 0,
  last_error: null,
  next_attempt_at: '2026-11-15T12:00:00.000Z',
  created_at: '2026-11-15T12:00:00.000Z',
  delivered_at: null,
}

test.each<[string, Partial<Subscription>, boolean, RegExp]>([
  ['new', {}, true, /^Aguardando o primeiro envio\.$/],
  ['kept', { last_error: 'HTTP 500' }, false, /^Salva até você configurar um webhook\.$/],
  [
    'waiting',
    { last_error: 'HTTP 503', attempts: 2 },
    true,
    /^O webhook respondeu com o erro 503\. Nova tentativa em 15\/11\/2026/,
  ],
  ['late', { last_error: 'timeout' }, true, /^O webhook demorou para responder\. /],
  ['unknown', { last_error: 'ECONNRESET' }, true, /^Não foi possível acessar o webhook \(ECONNRESET\)\. /],
  [
    'given up',
    { status: 'failed', attempts: 12, last_error: 'ENOTFOUND' },
    true,
    /^O endereço do webhook não foi encontrado\. Paramos depois de 12 tentativas\.$/,
  ],
  ['delivered', { status: 'delivered', delivered_at: '2026-11-15T12:00:00.000Z' }, true, /^Em 15\/11\/2026/],
])('%s', (_what, change, delivers, text) => {
  expect(describeDelivery({ ...ROW, ...change }, delivers)).toMatch(text)
})
