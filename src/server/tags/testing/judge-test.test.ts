import { describe, expect, test } from 'vitest'
import type { BlockedHost } from '#contract/tag-status.ts'
import type { TestState, TestStep } from '#contract/tag-test.ts'
import { judgeTest } from './judge-test.ts'

const step = (kind: TestStep['kind'], rest: Partial<TestStep> = {}): TestStep => ({ kind, at: 0, ...rest })
const CHOSEN = step('chosen', { ok: true })
const HIT = (verdict: NonNullable<TestStep['verdict']>) =>
  step('request', { host: 'h.com', ok: true, verdict })
const BLOCKED: BlockedHost = {
  id: 'b1',
  pixel_id: null,
  host: 'px.ads.linkedin.com',
  count: 1,
  last_seen_at: '',
  vendor: null,
  permit: 'set',
  pixel_ids: [],
}

function judge(
  state: TestState,
  steps: TestStep[],
  subject: { id?: string | null; blocked?: BlockedHost[] } = {},
) {
  const { id = '123', blocked = [] } = subject
  return judgeTest({ state, steps, subject: { vendorName: 'LinkedIn', visibleId: id, blocked } })
}

describe('the verdict of a test', () => {
  test.each<[string, TestState, TestStep[], string, boolean]>([
    ['nobody has opened it', 'waiting', [], 'waiting', false],
    ['nobody opened it in time', 'expired', [], 'waiting', false],
    ['the banner is up', 'open', [step('asked')], 'waiting', false],
    ['the choice refused it', 'done', [step('chosen', { ok: false })], 'waiting', false],
    ['it runs', 'open', [CHOSEN, HIT('answered')], 'waiting', false],
    ['the tab was closed', 'left', [CHOSEN], 'waiting', false],
    ['the vendor answered', 'done', [CHOSEN, HIT('answered'), step('settled')], 'working', true],
    ['the browser saw it leave', 'done', [CHOSEN, HIT('sent'), step('settled')], 'working', true],
    ['the browser cannot tell', 'done', [CHOSEN, HIT('unknown'), step('settled')], 'working', false],
    ['nothing was seen, which proves nothing', 'done', [CHOSEN, step('settled')], 'working', false],
    ['nothing was sent', 'done', [CHOSEN, step('settled', { ok: false })], 'broken', false],
    ['it did not get out', 'done', [CHOSEN, HIT('failed'), step('settled')], 'broken', false],
    [
      'a script did not come',
      'done',
      [CHOSEN, step('script', { host: 'a.com', ok: false })],
      'broken',
      false,
    ],
    [
      'one of two scripts did not come',
      'done',
      [CHOSEN, step('script', { host: 'a.com', ok: false }), HIT('sent')],
      'partial',
      true,
    ],
    [
      'its code threw',
      'done',
      [CHOSEN, step('error', { text: 'Uncaught x is not defined' })],
      'broken',
      false,
    ],
    [
      'our policy stopped it',
      'done',
      [CHOSEN, step('stopped', { host: 'px.ads.linkedin.com' })],
      'broken',
      false,
    ],
    [
      'our policy stopped some of it',
      'done',
      [CHOSEN, HIT('sent'), step('stopped', { host: 'a.com' })],
      'partial',
      true,
    ],
  ])('when %s', (_name, state, steps, health, confirmed) => {
    expect(judge(state, steps)).toMatchObject({ health, confirmed })
  })

  test('never calls confirmed what carries no ID', () => {
    const steps = [CHOSEN, HIT('answered'), step('settled')]
    expect(judge('done', steps, { id: null })).toMatchObject({ health: 'working', confirmed: false })
  })

  test('says who stopped it, and offers to permit what a report has named', () => {
    const steps = [CHOSEN, step('stopped', { host: BLOCKED.host })]
    const verdict = judge('done', steps, { blocked: [BLOCKED] })
    expect(verdict.text).toContain('Não foi um bloqueador: fomos nós')
    expect(verdict.action).toEqual({ kind: 'permit', ids: ['b1'], label: `Permitir ${BLOCKED.host}` })
    expect(judge('done', steps)).not.toHaveProperty('action')
  })

  test('blames a blocker or the network where our policy stopped nothing', () => {
    const { title, text } = judge('done', [CHOSEN, step('script', { host: 'snap.licdn.com', ok: false })])
    expect(title).toBe('O arquivo de snap.licdn.com não carregou')
    expect(text).toContain('Não foi a nossa política')
  })
})
