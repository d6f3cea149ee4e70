import { expect, test } from 'vitest'
import { better, findEngine, isCoarse, judgeRequest } from './requests.ts'

const PLAIN = { duration: 4, responseStart: 0, nextHopProtocol: '', responseStatus: 0 }

test.each([
  ['firefox', { mozInnerScreenX: 0 }],
  ['webkit', { GestureEvent: null }],
  ['other', { GestureEvent: null, chrome: null }],
  ['other', {}],
])('recognises %s by its window', (engine, scope) => {
  expect(findEngine(scope)).toBe(engine)
})

/** The rows of docs/explain/health.md. */
test.each([
  ['status', { responseStatus: 204 }, 'answered', 'answered', 'answered'],
  ['the time of an answer', { responseStart: 3 }, 'answered', 'answered', 'answered'],
  ['a protocol', { nextHopProtocol: 'h2' }, 'answered', 'answered', 'answered'],
  ['an entry alone', {}, 'unknown', 'sent', 'answered'],
  ['an entry without duration', { duration: 0 }, 'unknown', 'failed', 'answered'],
] as const)('%s', (_what, change, chromium, firefox, webkit) => {
  const entry = { ...PLAIN, ...change }
  expect(judgeRequest(entry, 'other', false)).toBe(chromium)
  expect(judgeRequest(entry, 'firefox', false)).toBe(firefox)
  expect(judgeRequest(entry, 'webkit', false)).toBe(webkit)
})

test('ignores durations of a Firefox that rounds its clock to frames', () => {
  expect(isCoarse([16.667, 33.333, 50, 1000])).toBe(true)
  expect(isCoarse([16.667, 34, 50])).toBe(false)
  expect(isCoarse([])).toBe(false)
  expect(judgeRequest({ ...PLAIN, duration: 0 }, 'firefox', true)).toBe('unknown')
})

test('the best observation of a host counts', () => {
  expect(better(undefined, 'failed')).toBe('failed')
  expect(better('sent', 'unknown')).toBe('sent')
  expect(better('unknown', 'answered')).toBe('answered')
})
