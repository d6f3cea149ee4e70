import { expect, test } from 'vitest'
import type { PixelHealth } from '#contract/tag-status.ts'
import type { ServerResults } from '#server/conversions/delivery-results.ts'
import { judgeDuplicates } from './health.ts'

const NONE: ServerResults = {
  delivery: 'server',
  stop: null,
  accepted: 0,
  unconfirmed: 0,
  refused: 0,
  isRetrying: false,
  isFailing: false,
  unconfirmedText: 'x',
}
const STOP = { code: 'token_refused', message: 'x' }
const seen = (health: PixelHealth['health'], confirmed = false): PixelHealth => ({
  health,
  confirmed,
  reasons: [],
})
const summarize = ({ health, confirmed, reasons }: PixelHealth) => [
  health,
  confirmed,
  ...reasons.map(({ code }) => code),
]

test.each<[string, Partial<ServerResults>, unknown[]]>([
  ['nothing came', {}, ['waiting', false]],
  ['nothing got through yet', { isRetrying: true, isFailing: true }, ['partial', false, 'server_retrying']],
  ['one was taken', { accepted: 1 }, ['working', true, 'server_accepted']],
  ['taken before, a failure now', { accepted: 9, isRetrying: true }, ['working', true, 'server_accepted']],
  [
    'taken before, failing for an hour',
    { accepted: 9, isRetrying: true, isFailing: true },
    ['partial', true, 'server_failing'],
  ],
  ['sent, and nobody says more', { unconfirmed: 3 }, ['working', false, 'server_unconfirmed']],
  ['all refused', { refused: 2 }, ['broken', false, 'server_refused']],
  ['a tenth refused', { accepted: 9, refused: 1 }, ['partial', true, 'server_refused']],
  ['fewer refused', { accepted: 10, refused: 1 }, ['working', true, 'server_accepted']],
  ['stopped', { stop: STOP, accepted: 5 }, ['broken', false, 'token_refused']],
])('sent by the server only: %s', (_what, copies, expected) => {
  // Earlier observations of browsers do not matter for a tag that no longer runs.
  expect(summarize(judgeDuplicates(seen('working', true), { ...NONE, ...copies }))).toEqual(expected)
})

test.each<[string, PixelHealth, Partial<ServerResults>, unknown[]]>([
  ['both work', seen('working'), { accepted: 1 }, ['working', true]],
  ['the browser alone has something to show', seen('working', true), {}, ['working', true]],
  ['the server alone has', seen('waiting'), { accepted: 1 }, ['working', true, 'server_accepted']],
  [
    'the browser works, the server does not',
    seen('working'),
    { stop: STOP },
    ['partial', false, 'token_refused'],
  ],
  ['neither works', seen('broken'), { refused: 1 }, ['broken', false, 'server_refused']],
  ['the breaker paused it', seen('paused'), { accepted: 1 }, ['paused', false]],
])('by both: %s', (_what, browser, copies, expected) => {
  expect(summarize(judgeDuplicates(browser, { ...NONE, delivery: 'both', ...copies }))).toEqual(expected)
})
