import { expect, test } from 'vitest'
import type { TestState, TestStep } from '#contract/tag-test.ts'
import { listGates } from './list-gates.ts'

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
])('the way of a visit when %s', (_name, state, steps, expected) => {
  expect(
    listGates(state, steps, 'Meta')
      .map((gate) => gate.state)
      .join(' '),
  ).toBe(expected)
})

test('never says that a platform got what nobody saw leave', () => {
  const words = listGates('done', [...CAME, hit('unknown')], 'Meta').at(-1)
  expect(words).toEqual({ name: 'Meta', state: 'doing', text: 'sem confirmação' })
})
