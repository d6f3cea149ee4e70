import { describe, expect, test } from 'vitest'
import type { DeliveryCheck } from '#contract/conversions.ts'
import type { PixelDelivery } from '#contract/pixel.ts'
import type { BlockedHost } from '#contract/tag-status.ts'
import type { TestState, TestStep } from '#contract/tag-test.ts'
import { judgeTest } from './verdict.ts'

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
  is_current: true,
}

function judge(
  state: TestState,
  steps: TestStep[],
  subject: {
    id?: string | null
    blocked?: BlockedHost[]
    delivery?: PixelDelivery
    awaitsCopies?: boolean
    idFault?: string | null
  } = {},
) {
  const { id = '123', blocked = [], delivery = 'browser', awaitsCopies = false, idFault = null } = subject
  return judgeTest({
    state,
    delivery,
    awaitsCopies,
    steps,
    subject: { vendorName: 'LinkedIn', visibleId: id, hasPageView: true, idFault, blocked },
  })
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
    ['nothing was seen, by a browser that may miss it', 'done', [CHOSEN, step('settled')], 'partial', false],
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

  test('names an invalid ID, whatever else was seen', () => {
    const idFault = 'O ID abc não é de um pixel da Meta.'
    const verdict = judge('done', [CHOSEN, HIT('answered'), step('settled')], { idFault })
    expect(verdict).toMatchObject({ health: 'broken', confirmed: false })
    expect(verdict.text).toContain(idFault)
  })

  test('never confirms a request without an ID', () => {
    const steps = [CHOSEN, HIT('answered'), step('settled')]
    expect(judge('done', steps, { id: null })).toMatchObject({ health: 'working', confirmed: false })
  })

  test('says who stopped it, and offers to permit reported hosts', () => {
    const steps = [CHOSEN, step('stopped', { host: BLOCKED.host })]
    const verdict = judge('done', steps, { blocked: [BLOCKED] })
    expect(verdict.text).toContain('Foi a segurança do site, e não um bloqueador')
    expect(verdict.action).toEqual({ kind: 'permit', ids: ['b1'], label: `Permitir ${BLOCKED.host}` })
    expect(judge('done', steps)).not.toHaveProperty('action')
  })

  test('names a blocker or the network where our policy stopped nothing', () => {
    const { title, text } = judge('done', [CHOSEN, step('script', { host: 'snap.licdn.com', ok: false })])
    expect(title).toBe('O arquivo de snap.licdn.com não carregou')
    expect(text).toContain('O site não bloqueou')
  })
})

describe('events sent by the server', () => {
  const copy = (state: DeliveryCheck['state'] | null, message = 'A Meta recusou o token.') =>
    step('copy', {
      copy: {
        event: 'lead',
        message,
        check:
          state === null
            ? null
            : { state, message, request: { method: 'POST', url: '', body: {} }, response: null },
      },
    })
  const RAN = [CHOSEN, HIT('answered'), step('settled')]

  test.each<[string, PixelDelivery, TestStep[], string, boolean]>([
    ['the browser sent and the vendor took the copy', 'both', [...RAN, copy('accepted')], 'working', true],
    [
      'the browser cannot tell and the vendor took the copy',
      'both',
      [CHOSEN, HIT('unknown'), step('settled'), copy('accepted')],
      'working',
      true,
    ],
    ['the browser sent and the vendor refused the copy', 'both', [...RAN, copy('refused')], 'partial', true],
    ['the browser sent and the copy had no answer', 'both', [...RAN, copy('waiting')], 'partial', true],
    ['the browser sent and no code was given', 'both', [...RAN, copy(null)], 'working', true],
    [
      'the tag threw, whatever the copy did',
      'both',
      [CHOSEN, step('error'), copy('accepted')],
      'broken',
      false,
    ],
    ['the choice refused it', 'server', [step('chosen', { ok: false })], 'waiting', false],
    ['the vendor took it', 'server', [CHOSEN, step('settled'), copy('accepted')], 'working', true],
    ['the vendor never says', 'server', [CHOSEN, step('settled'), copy('unconfirmed')], 'working', false],
    ['one of two was refused', 'server', [CHOSEN, copy('accepted'), copy('refused')], 'broken', false],
    ['it could not be sent', 'server', [CHOSEN, copy(null)], 'waiting', false],
    ['the process was killed', 'server', [CHOSEN, step('settled')], 'waiting', false],
  ])('when %s', (_name, delivery, steps, health, confirmed) => {
    expect(judge('done', steps, { delivery })).toMatchObject({ health, confirmed })
  })

  test('shows a refusal in the words of the answer, with the form as the next step', () => {
    const verdict = judge('done', [CHOSEN, copy('refused')], { delivery: 'server' })
    expect(verdict).toMatchObject({
      title: 'LinkedIn recusou o envio do servidor',
      text: 'A Meta recusou o token.',
      action: { kind: 'edit', label: 'Editar pixel' },
    })
  })

  test('waits until the answer is there', () => {
    const verdict = judge('open', [CHOSEN], { delivery: 'server', awaitsCopies: true })
    expect(verdict).toMatchObject({ health: 'waiting', title: 'O servidor está enviando' })
  })
})
