import { expect, test } from 'vitest'
import { absenceTells, mayStillCome, type Surroundings } from './judge-absence.ts'

const SETTLE_MS = 4_000
const QUIET: Surroundings = { engine: 'firefox', quietMs: 5_000, longestMs: 200, siblingIsSeen: false }

test.each<[string, Partial<Surroundings>, boolean]>([
  ['Firefox writes every request into the timeline', {}, true],
  ['Chromium leaves out what nobody reads', { engine: 'other' }, false],
  ['WebKit leaves out what failed', { engine: 'webkit' }, false],
  ['Chromium, and another account of the vendor is in it', { engine: 'other', siblingIsSeen: true }, true],
  ['WebKit, and another account of the vendor is in it', { engine: 'webkit', siblingIsSeen: true }, true],
  ['its script came a moment ago', { quietMs: 3_000, siblingIsSeen: true }, false],
  ['nothing of it came at all', { quietMs: null, siblingIsSeen: true }, false],
  ['a slow network, for which five seconds are nothing', { longestMs: 3_000, siblingIsSeen: true }, false],
  ['a slow network, after a long while', { longestMs: 3_000, quietMs: 13_000 }, true],
])('%s', (_name, change, tells) => {
  expect(absenceTells({ ...QUIET, ...change }, SETTLE_MS)).toBe(tells)
})

test('whatever tells nothing yet because of the time may still come', () => {
  expect(mayStillCome(QUIET, SETTLE_MS)).toBe(false)
  expect(mayStillCome({ ...QUIET, longestMs: 3_000 }, SETTLE_MS)).toBe(true)
  expect(mayStillCome({ ...QUIET, quietMs: null }, SETTLE_MS)).toBe(true)
})
