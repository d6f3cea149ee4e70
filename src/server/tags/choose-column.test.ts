import { expect, test } from 'vitest'
import { HIT_VERDICTS, TAG_OUTCOMES, type TagResult } from '#contract/tag-report.ts'
import { chooseResult } from './tag-report.ts'

const FREE = { isHindered: false, absenceTells: true }

test.each<[string, Omit<TagResult, 'id'>, Partial<typeof FREE & { isLoader: boolean }>, string]>([
  ['all steps, and nothing that could be seen', { outcome: 'ran' }, {}, 'ran'],
  ['a page view that somebody answered', { outcome: 'ran', hit: 'answered' }, {}, 'ran'],
  [
    'one that left, beside something that was stopped',
    { outcome: 'ran', hit: 'sent' },
    { isHindered: true },
    'ran',
  ],
  [
    'a container that came, beside something of it that was stopped',
    { outcome: 'ran', hit: 'answered' },
    { isHindered: true, isLoader: true },
    'failed',
  ],
  ['a browser that cannot tell', { outcome: 'ran', hit: 'unknown' }, {}, 'ran'],
  [
    'the same, with something stopped by our policy',
    { outcome: 'ran', hit: 'unknown' },
    { isHindered: true },
    'failed',
  ],
  ['no page view, from a browser that misses none', { outcome: 'ran', hit: 'none' }, {}, 'failed'],
  ['no page view, from one that does', { outcome: 'ran', hit: 'none' }, { absenceTells: false }, 'ran'],
  ['a page view that did not get out', { outcome: 'ran', hit: 'failed' }, {}, 'blocked'],
  ['the same, and an error', { outcome: 'failed', hit: 'failed' }, {}, 'blocked'],
  ['an error, and a page view', { outcome: 'failed', hit: 'answered' }, {}, 'failed'],
  ['a script that a blocker stopped', { outcome: 'blocked', hit: 'answered' }, {}, 'blocked'],
  ['a script that our policy stopped', { outcome: 'stopped', hit: 'failed' }, {}, 'failed'],
])('%s', (_what, result, seen, column) => {
  expect(chooseResult({ id: 'x', ...result }, { ...FREE, ...seen })).toBe(column)
})

test('puts every visit into exactly one column', () => {
  for (const outcome of TAG_OUTCOMES)
    for (const hit of [undefined, ...HIT_VERDICTS])
      for (const isHindered of [true, false])
        for (const absenceTells of [true, false])
          expect(['ran', 'blocked', 'failed']).toContain(
            chooseResult({ id: 'x', outcome, hit }, { isHindered, absenceTells }),
          )
})
