import { describe, expect, test } from 'vitest'
import { FRAME_REMOVALS } from '#contract/isolated-frame.ts'
import { type BlockedHost, HEALTH_LABELS, healthLabel, type TagWarning } from '#contract/tag-status.ts'
import { type HealthInput, judgeHealth } from './health.ts'
import { NO_OBSERVATIONS } from './observations.ts'

const FINE: HealthInput = {
  isActive: true,
  isPaused: false,
  breaker: null,
  steps: 1,
  headItems: 0,
  refusal: null,
  isLeftOut: false,
  warnings: [],
  vendorName: 'LinkedIn',
  visibleId: '1234567',
  hasPageView: true,
  idFault: null,
  observations: { ...NO_OBSERVATIONS, visits: { ran: 10 }, hit: { answered: 1 } },
  lastError: null,
  stopped: [],
}
const BLOCKED: BlockedHost = {
  id: 'a',
  pixel_id: null,
  host: 'px.ads.linkedin.com',
  count: 1,
  last_seen_at: '',
  vendor: { id: 'linkedin-insight', name: 'LinkedIn' },
  permit: 'set',
  pixel_ids: [],
  is_current: true,
}
const seen = (observations: Partial<HealthInput['observations']>) => ({
  observations: { ...NO_OBSERVATIONS, ...observations },
})

function never(
  name: string,
  hit: HealthInput['observations']['hit'],
  health: string,
  code: string,
): [string, Partial<HealthInput>, string, boolean, string[]][] {
  return [[name, seen({ visits: { ran: 10 }, hit }), health, false, [code]]]
}

test.each<[string, Partial<HealthInput>, string, boolean, string[]]>([
  ['answered', {}, 'working', true, []],
  ['seen to leave', seen({ visits: { ran: 2 }, hit: { sent: 1, none: 1 } }), 'working', true, []],
  ['nobody can tell', seen({ visits: { ran: 2 }, hit: { unknown: 2 } }), 'working', false, ['not_confirmed']],
  [
    'no way to tell a hit',
    { visibleId: null, ...seen({ visits: { ran: 2 } }) },
    'working',
    false,
    ['not_confirmed'],
  ],
  [
    'no way to tell a hit, and a host answered',
    { visibleId: null, ...seen({ visits: { ran: 2 }, hosts: new Map([['a.com', { answered: 1 }]]) }) },
    'working',
    false,
    ['not_confirmed'],
  ],
  [
    'left before its hit, and its script was answered',
    seen({ visits: { ran: 2 }, hosts: new Map([['a.com', { answered: 1 }]]) }),
    'working',
    false,
    ['not_confirmed'],
  ],
  ...never('it ran and its ID never left in visits that agree', { none: 3 }, 'broken', 'nothing_sent'),
  ...never('too few visits saw nothing leave', { none: 2 }, 'working', 'not_confirmed'),
  ...never(
    'one visit saw a request that it cannot judge',
    { none: 9, unknown: 1 },
    'working',
    'not_confirmed',
  ),
  ...never('one was sent and got no connection', { none: 9, failed: 1 }, 'working', 'not_confirmed'),
  [
    'a vendor that shows no ID, of which nothing was seen at all',
    { visibleId: null, ...seen({ visits: { ran: 9 }, hit: { none: 9 } }) },
    'partial',
    false,
    ['nothing_seen'],
  ],
  ...never('visits of browsers that may miss it agree', { unseen: 4 }, 'partial', 'nothing_seen'),
  ...never('visits of both kinds agree', { none: 1, unseen: 2 }, 'partial', 'nothing_seen'),
  ...never('too few visits of browsers that may miss it', { unseen: 2 }, 'working', 'not_confirmed'),
  ...never('one of them saw a request', { unseen: 9, unknown: 1 }, 'working', 'not_confirmed'),
  [
    'a tag that nobody knows',
    { visibleId: null, hasPageView: false, ...seen({ visits: { ran: 9 } }) },
    'working',
    false,
    ['not_confirmed'],
  ],
  [
    'nothing left, because our policy stopped a host that it needs',
    { ...seen({ visits: { ran: 9 }, hit: { none: 9 } }), stopped: [BLOCKED] },
    'partial',
    false,
    ['stopped_by_policy'],
  ],
  [
    'nothing left, because our policy stopped a script of it in one visit of many',
    seen({ visits: { ran: 30, stopped: 1 }, hit: { none: 9 } }),
    'working',
    false,
    ['not_confirmed'],
  ],
  ['an ID that cannot be one', { idFault: 'O ID abc não é …' }, 'broken', false, ['impossible_id']],
  [
    'the same before any visit',
    { idFault: 'O ID abc não é …', observations: NO_OBSERVATIONS },
    'broken',
    false,
    ['impossible_id'],
  ],
  ['no visit yet', { observations: NO_OBSERVATIONS }, 'waiting', false, []],
  ['a host was stopped', { stopped: [BLOCKED] }, 'partial', true, ['stopped_by_policy']],
  ['a script was stopped', seen({ visits: { ran: 1, stopped: 1 } }), 'partial', false, ['stopped_by_policy']],
  [
    'every visit was stopped by the policy, and permitting the host would mend it',
    { ...seen({ visits: { stopped: 2 } }), stopped: [BLOCKED] },
    'partial',
    false,
    ['stopped_by_policy'],
  ],
  [
    'every visit was stopped at its second script',
    {
      ...seen({ visits: { stopped: 2 }, hosts: new Map([['a.com', { answered: 2 }]]) }),
      stopped: [BLOCKED],
    },
    'partial',
    false,
    ['stopped_by_policy'],
  ],
  [
    'every visit was stopped, and nobody knows where',
    seen({ visits: { stopped: 2 } }),
    'broken',
    false,
    ['stopped_by_policy'],
  ],
  ['blockers everywhere', seen({ visits: { blocked: 4 } }), 'broken', false, ['blocked_in_browser']],
  [
    'the only visitors so far have blockers',
    seen({ visits: { blocked: 2 } }),
    'partial',
    false,
    ['blocked_in_browser'],
  ],
  [
    'a script is blocked everywhere, and the page view is answered',
    seen({ visits: { blocked: 4 }, hit: { answered: 4 } }),
    'partial',
    true,
    ['blocked_in_browser'],
  ],
  [
    'blockers often',
    seen({ visits: { ran: 8, blocked: 2 }, hit: { sent: 8 } }),
    'partial',
    true,
    ['blocked_in_browser'],
  ],
  [
    'blockers as everywhere',
    seen({ visits: { ran: 95, blocked: 5 }, hit: { sent: 1 } }),
    'working',
    true,
    [],
  ],
  ['errors', seen({ visits: { ran: 1, failed: 1 }, hit: { sent: 1 } }), 'partial', true, ['script_error']],
  ['errors only', seen({ visits: { failed: 2 } }), 'broken', false, ['script_error']],
  [
    'an error after its page view',
    seen({ visits: { failed: 2 }, hit: { answered: 2 } }),
    'partial',
    true,
    ['script_error'],
  ],
  [
    'an error after a request that nobody can judge',
    seen({ visits: { failed: 2 }, hosts: new Map([['a.com', { unknown: 1 }]]) }),
    'partial',
    false,
    ['script_error'],
  ],
  [
    'code that cannot work',
    { warnings: [{ code: 'document_write', message: 'x' }] },
    'partial',
    true,
    ['document_write'],
  ],
  ['a warning that breaks nothing', { warnings: [{ code: 'same_id', message: 'x' }] }, 'working', true, []],
  ['nothing to run', { steps: 0 }, 'broken', false, ['nothing_runs']],
  [
    'only an item of the head',
    { steps: 0, headItems: 1, observations: NO_OBSERVATIONS },
    'working',
    true,
    ['in_page'],
  ],
  ['refused', { refusal: 'Não' }, 'broken', false, ['refused']],
  ['left out', { isLeftOut: true }, 'broken', false, ['left_out']],
  ['paused', { isPaused: true }, 'paused', false, []],
  ['paused with nothing to run', { isPaused: true, steps: 0 }, 'broken', false, ['nothing_runs']],
  ['off', { isActive: false, steps: 0 }, 'off', false, []],
])('%s', (_name, change, health, confirmed, codes) => {
  const judged = judgeHealth({ ...FINE, ...change })
  expect(HEALTH_LABELS[judged.health]).toMatch(/^[A-ZÀ-Ú]/)
  expect({ ...judged, reasons: judged.reasons.map(({ code }) => code) }).toEqual({
    health,
    confirmed,
    reasons: codes,
  })
})

test('names the host, the share and who stopped it', () => {
  const [policy] = judgeHealth({ ...FINE, stopped: [BLOCKED] }).reasons
  expect(policy).toMatchObject({
    host: 'px.ads.linkedin.com',
    message: expect.stringContaining('O site bloqueou'),
    action: { kind: 'permit', ids: ['a'], label: 'Permitir' },
  })
  const single = judgeHealth({ ...FINE, stopped: [{ ...BLOCKED, permit: 'single' }] }).reasons[0]
  expect(single?.action?.label).toBe('Permitir px.ads.linkedin.com')
  const [blocker] = judgeHealth({ ...FINE, ...seen({ visits: { ran: 3, blocked: 1 } }) }).reasons
  expect(blocker?.message).toMatch(/1 de 4 visitas \(25%\).*bloqueador de anúncios/)
  const [only] = judgeHealth({ ...FINE, ...seen({ visits: { blocked: 1 } }) }).reasons
  expect(only?.message).toMatch(/^Em 1 de 1 visita \(100%\)/)
})

test('reports a visit that saw nothing sent, without concluding from it', () => {
  const [reason] = judgeHealth({ ...FINE, ...seen({ visits: { ran: 2 }, hit: { none: 2 } }) }).reasons
  expect(reason?.message).toMatch(/2 visitas.*1234567/)
})

test('labels health as unconfirmed', () => {
  expect(healthLabel({ health: 'working', confirmed: false })).toBe('Rodou, sem confirmação')
  expect(healthLabel({ health: 'working', confirmed: true })).toBe('Funcionando')
  expect(healthLabel({ health: 'partial', confirmed: false })).toBe('Com falhas')
})

describe('the breaker', () => {
  const breaker = {
    state: 'paused',
    reason: 'failing',
    visits: 60,
    failed: 40,
    tripped_at: '2026-11-15T12:00:00.000Z',
  } as const

  test('reports a pause with its reason and the way to end it, whatever earlier visits showed', () => {
    const { health, reasons } = judgeHealth({ ...FINE, breaker })
    expect(health).toBe('paused')
    expect(reasons).toEqual([
      {
        code: 'breaker_paused',
        message:
          'Em 15/11/2026, 09:00, a tag falhou em 40 de 60 visitas (67%) em 10 minutos. A pausa automática tirou a tag do site. Para voltar, clique em "Retomar".',
        action: { kind: 'rearm', label: 'Retomar' },
      },
    ])
  })

  test('reports a pause for cost with the measured visits', () => {
    const { health, reasons } = judgeHealth({
      ...FINE,
      breaker: { ...breaker, reason: 'slow', visits: 1_200, failed: 301 },
    })
    expect(health).toBe('paused')
    expect(reasons[0]?.message).toBe(
      'Em 15/11/2026, 09:00, a tag deixou a página lenta (mais de 500 ms) em 301 de 1.200 visitas medidas (25%) em 1 hora. A pausa automática tirou a tag do site. Para voltar, clique em "Retomar".',
    )
  })

  test('lists a warning among other faults, and neither for a pixel that is off', () => {
    const warned = { ...breaker, state: 'warned' } as const
    expect(judgeHealth({ ...FINE, breaker: warned })).toMatchObject({
      health: 'partial',
      reasons: [{ code: 'breaker_warned', action: { label: 'Entendi' } }],
    })
    expect(judgeHealth({ ...FINE, isActive: false, breaker })).toMatchObject({ health: 'off', reasons: [] })
  })
})

describe('suggests running an isolated tag in the page', () => {
  const codesOf = (input: Partial<HealthInput>) =>
    judgeHealth({ ...FINE, isIsolated: true, ...input }).reasons.map(({ code }) => code)
  const warning = (code: TagWarning['code']): TagWarning => ({ code, message: code })

  test.each<[string, Partial<HealthInput>, string[]]>([
    ['code that fails', seen({ visits: { failed: 10 } }), ['script_error']],
    [
      'code that fails in some visits',
      seen({ visits: { ran: 5, failed: 5 }, hit: { answered: 5 } }),
      ['script_error'],
    ],
    [
      'code that fails, beside blockers',
      seen({ visits: { failed: 5, blocked: 5 } }),
      ['blocked_in_browser', 'script_error'],
    ],
    ['code that runs and sends nothing', seen({ visits: { ran: 10 }, hit: { none: 10 } }), ['nothing_sent']],
  ])('for %s', (_, input, codes) => {
    expect(codesOf(input)).toEqual([...codes, 'isolated'])
  })

  test('with the action that changes it', () => {
    const { reasons } = judgeHealth({ ...FINE, isIsolated: true, ...seen({ visits: { failed: 10 } }) })
    expect(reasons.at(-1)?.action).toEqual({ kind: 'edit', label: 'Editar onde a tag roda' })
  })

  test.each<[string, Partial<HealthInput>, string[]]>([
    ['what works', {}, []],
    ['what nobody confirmed', seen({ visits: { ran: 2 }, hit: { unknown: 2 } }), ['not_confirmed']],
    ['what a blocker or the network stopped', seen({ visits: { blocked: 10 } }), ['blocked_in_browser']],
    [
      'what a blocker stopped in some visits',
      seen({ visits: { ran: 5, blocked: 5 }, hit: { answered: 5 } }),
      ['blocked_in_browser'],
    ],
    ['what our policy stopped', seen({ visits: { stopped: 10 } }), ['stopped_by_policy']],
    ['a host that our policy stopped', { stopped: [BLOCKED] }, ['stopped_by_policy']],
    ['code that was refused', { refusal: 'Não cabe.' }, ['refused']],
    ['one that does not fit into the policy', { isLeftOut: true }, ['left_out']],
    ['one that has no code', { steps: 0 }, ['nothing_runs']],
    ['an address that is not https', { warnings: [warning('not_https')] }, ['not_https']],
    ['a placeholder', { warnings: [warning('placeholder')] }, ['placeholder']],
    ...Object.values(FRAME_REMOVALS).map((lastError): [string, Partial<HealthInput>, string[]] => [
      lastError,
      { lastError, ...seen({ visits: { failed: 10 } }) },
      ['script_error'],
    ]),
  ])('but not for %s', (_, input, codes) => {
    expect(codesOf(input)).toEqual(codes)
  })
})
