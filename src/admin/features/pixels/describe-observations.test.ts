import { expect, test } from 'vitest'
import type { TagStatus } from '#contract/tag-status.ts'
import { describeObservations, type Health } from './health.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')
const LAST = '2026-11-15T11:58:00Z'
const NONE: TagStatus = {
  pixel_id: '1',
  runnable: true,
  warnings: [],
  ran: 0,
  blocked: 0,
  failed: 0,
  last_ran_at: null,
  last_error: null,
}

test.each<[string, Partial<TagStatus>, Health, string | null]>([
  ['nothing was reported', {}, 'working', null],
  ['all ran', { ran: 1204, last_ran_at: LAST }, 'working', 'Rodou em 1.204 visitas. Última: há 2 min'],
  ['one ran', { ran: 1, last_ran_at: LAST }, 'unconfirmed', 'Rodou em 1 visita. Última: há 2 min'],
  [
    'some did not',
    { ran: 205, blocked: 90, failed: 6, last_ran_at: LAST },
    'partial',
    'Rodou normalmente em 205 de 301 visitas. Última: há 2 min',
  ],
  ['none did, today', { failed: 412, last_ran_at: LAST }, 'broken', 'Rodou normalmente em 0 de 412 visitas'],
  ['waiting for the first', {}, 'waiting', null],
  ['waiting since it was changed', { ran: 3, last_ran_at: LAST }, 'waiting', 'Última execução: há 2 min'],
  ['switched off', { last_ran_at: LAST }, 'off', 'Última execução: há 2 min'],
])('%s', (_case, status, health, text) => {
  expect(describeObservations({ ...NONE, ...status }, health, NOW)?.replaceAll('\u00a0', ' ') ?? null).toBe(
    text,
  )
})
