import { expect, test } from 'vitest'
import type { PixelHealth } from '#contract/tag-status.ts'
import type { CopyEvidence } from '#server/conversions/outcomes.ts'
import { judgeDuplicates } from './health.ts'

const NONE: CopyEvidence = {
  delivery: 'server',
  stop: null,
  accepted: 0,
  unconfirmed: 0,
  refused: 0,
  isRetrying: false,
  unconfirmedText: 'x',
}
const STOP = { code: 'token_refused', message: 'x' }
const seen = (health: PixelHealth['health'], confirmed = false): PixelHealth => ({
  health,
  confirmed,
  reasons: [],
})
const told = ({ health, confirmed, reasons }: PixelHealth) => [
  health,
  confirmed,
  ...reasons.map(({ code }) => code),
]

test.each<[string, Partial<CopyEvidence>, unknown[]]>([
  ['nothing came', {}, ['waiting', false]],
  ['nothing got through yet', { isRetrying: true }, ['partial', false, 'server_retrying']],
  ['one was taken', { accepted: 1 }, ['working', true, 'server_accepted']],
  ['taken before, failing now', { accepted: 9, isRetrying: true }, ['working', true, 'server_accepted']],
  ['sent, and nobody says more', { unconfirmed: 3 }, ['working', false, 'server_unconfirmed']],
  ['all refused', { refused: 2 }, ['broken', false, 'server_refused']],
  ['a tenth refused', { accepted: 9, refused: 1 }, ['partial', true, 'server_refused']],
  ['fewer refused', { accepted: 10, refused: 1 }, ['working', true, 'server_accepted']],
  ['stopped', { stop: STOP, accepted: 5 }, ['broken', false, 'token_refused']],
])('by the server alone: %s', (_what, copies, expected) => {
  // Whatever a browser once showed of a tag that it no longer runs.
  expect(told(judgeDuplicates(seen('working', true), { ...NONE, ...copies }))).toEqual(expected)
})

test.each<[string, PixelHealth, Partial<CopyEvidence>, unknown[]]>([
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
  expect(told(judgeDuplicates(browser, { ...NONE, delivery: 'both', ...copies }))).toEqual(expected)
})
