import { expect, test } from 'vitest'
import type { TagStatus } from '#contract/tag-status.ts'
import { describeRun } from './describe-run.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')
const NEVER: TagStatus = {
  pixel_id: 'p',
  runnable: true,
  warnings: [],
  ran: 0,
  blocked: 0,
  failed: 0,
  last_ran_at: null,
  last_error: null,
}
const RAN = { last_ran_at: '2026-11-15T11:58:00Z' }
const ACTIVE = { active: true, paused: false }

test.each<[Partial<TagStatus>, { active: boolean; paused: boolean }, string | null]>([
  [{}, ACTIVE, 'Nunca rodou'],
  [{}, { active: false, paused: false }, null],
  [{ runnable: false }, ACTIVE, 'Sem código: não roda'],
  [{ ...RAN, ran: 100 }, ACTIVE, 'Rodou há 2 min'],
  [{ ...RAN, ran: 100 }, { active: false, paused: false }, 'Rodou há 2 min'],
  [{ ...RAN, ran: 100 }, { active: true, paused: true }, 'Pausado'],
  [{ ...RAN, ran: 88, blocked: 12 }, ACTIVE, 'Bloqueado em 12% das visitas'],
  [{ ...RAN, ran: 92, blocked: 8 }, ACTIVE, 'Rodou há 2 min'],
  [{ ...RAN, ran: 9, failed: 1, last_error: 'x' }, ACTIVE, 'Rodou há 2 min'],
  [{ failed: 3, last_error: 'Uncaught Error: x' }, ACTIVE, 'Falhou: o código deu um erro.'],
  [{ failed: 3 }, ACTIVE, 'Falhou: o código deu um erro.'],
  [{ last_ran_at: '2026-11-15T11:59:59Z', ran: 1 }, ACTIVE, 'Rodou agora mesmo'],
  [{ last_ran_at: '2026-11-15T03:00:00Z' }, ACTIVE, 'Rodou há 9 h'],
  [{ last_ran_at: '2026-11-14T03:00:00Z' }, ACTIVE, 'Rodou há 1 dia'],
  [{ last_ran_at: '2026-11-01T03:00:00Z' }, ACTIVE, 'Rodou há 14 dias'],
])('%o, %o: %s', (status, state, text) => {
  expect(describeRun({ ...NEVER, ...status }, { ...state, now: NOW })?.text ?? null).toBe(text)
})
