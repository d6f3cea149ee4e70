import { expect, test } from 'vitest'
import type { DeliveryCheck } from '#contract/conversions.ts'
import type { TestState, TestStep } from '#contract/tag-test.ts'
import { listGates } from './gates.ts'

const step = (kind: TestStep['kind'], rest: Partial<TestStep> = {}): TestStep => ({ kind, at: 0, ...rest })
const CAME = [step('opened'), step('chosen', { ok: true }), step('file', { ok: true })]
const hit = (verdict: NonNullable<TestStep['verdict']>) => step('request', { ok: true, verdict })

test.each<[string, TestState, TestStep[], string]>([
  ['nobody has opened it', 'waiting', [], 'doing ahead ahead ahead ahead'],
  ['the banner is up', 'open', [step('opened')], 'done doing ahead ahead ahead'],
  ['it was refused', 'done', [step('opened'), step('chosen', { ok: false })], 'done stop ahead ahead ahead'],
  ['its file came', 'open', CAME, 'done done done doing ahead'],
  ['a file did not come', 'open', [...CAME, step('script', { ok: false })], 'done done stop ahead ahead'],
  ['our policy stopped it', 'done', [...CAME, step('stopped')], 'done done done stop ahead'],
  ['it was answered', 'done', [...CAME, hit('answered')], 'done done done done done'],
  ['nobody can tell', 'done', [...CAME, hit('unknown')], 'done done done done doing'],
  ['it did not get out', 'done', [...CAME, hit('failed')], 'done done done done stop'],
  ['nothing was sent', 'done', [...CAME, step('settled', { ok: false })], 'done done done done stop'],
])('the stages of a visit when %s', (_name, state, steps, expected) => {
  expect(
    listGates({ state, steps, delivery: 'both' }, 'Meta')
      .map((gate) => gate.state)
      .join(' '),
  ).toBe(expected)
})

test('never claims that a platform got what nobody saw sent', () => {
  const words = listGates(
    { state: 'done', steps: [...CAME, hit('unknown')], delivery: 'browser' },
    'Meta',
  ).at(-1)
  expect(words).toEqual({ name: 'Meta', state: 'doing', text: 'sem confirmação' })
})

const copied = (state: DeliveryCheck['state'] | null) =>
  step('copy', {
    copy: {
      event: 'page_view',
      message: '',
      check:
        state === null
          ? null
          : { state, message: '', request: { method: 'POST', url: '', body: {} }, response: null },
    },
  })
const ALLOWED = [step('opened'), step('chosen', { ok: true }), step('settled')]

test.each<[string, TestStep[], string]>([
  ['nobody has chosen', [step('opened')], 'done doing ahead ahead'],
  ['the server is sending', ALLOWED, 'done done doing ahead'],
  ['nothing could be sent', [...ALLOWED, copied(null)], 'done done stop ahead'],
  ['it was accepted', [...ALLOWED, copied('accepted')], 'done done done done'],
  ['it was refused', [...ALLOWED, copied('refused')], 'done done done stop'],
  ['nobody answered', [...ALLOWED, copied('waiting')], 'done done done stop'],
  ['nobody confirms', [...ALLOWED, copied('unconfirmed')], 'done done done doing'],
])('the stages with the server when %s', (_name, steps, expected) => {
  const gates = listGates({ state: 'done', steps, delivery: 'server' }, 'Meta')
  expect(gates.map(({ state }) => state).join(' ')).toBe(expected)
})
