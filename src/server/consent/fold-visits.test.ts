import { expect, test } from 'vitest'
import { countVisitsByChoice, type StoredChoice } from './choice-counts.ts'

type Step = [minute: number, letters: string, version?: string]

const START = Date.parse('2026-11-15T10:00:00.000Z')
const CATEGORIES: Record<string, string> = { d: 'desempenho', f: 'funcionalidade', m: 'marketing' }

/** `+accepted@0` where a visit is counted, `-refused@0` where it is subtracted, with the minute of the count. */
function changesOf(steps: readonly Step[]): string[] {
  const records = steps.map(
    ([minute, letters, version = 'v1'], index): StoredChoice => ({
      id: String(index),
      action: 'save',
      categories: [...letters].map((letter) => CATEGORIES[letter] ?? ''),
      tag_set_version: version,
      created_at: new Date(START + minute * 60_000).toISOString(),
    }),
  )
  return [...countVisitsByChoice(records).values()].flatMap(({ counted, takenBack, at }) => {
    const minute = (Date.parse(at) - START) / 60_000
    return [...(takenBack === null ? [] : [`-${takenBack}@${minute}`]), `+${counted}@${minute}`]
  })
}

test.each<[string, Step[], string[]]>([
  ['everything', [[0, 'dfm']], ['+accepted@0']],
  ['nothing', [[0, '']], ['+refused@0']],
  ['something', [[0, 'd']], ['+partial@0']],
  [
    'the same twice is one visit',
    [
      [0, ''],
      [1, ''],
    ],
    ['+refused@0'],
  ],
  [
    'the last choice counts, where the first was made',
    [
      [0, ''],
      [20, 'dfm'],
    ],
    ['+refused@0', '-refused@0', '+accepted@0'],
  ],
  [
    'back and forth leaves one visit',
    [
      [0, 'dfm'],
      [1, ''],
      [2, 'm'],
    ],
    ['+accepted@0', '-accepted@0', '+refused@0', '-refused@0', '+partial@0'],
  ],
  [
    'after half an hour it is another visit',
    [
      [0, ''],
      [31, 'dfm'],
    ],
    ['+refused@0', '+accepted@31'],
  ],
  [
    'a page with other tags was loaded again',
    [
      [0, ''],
      [1, '', 'v2'],
    ],
    ['+refused@0', '+refused@1'],
  ],
])('%s', (_what, steps, expected) => {
  expect(changesOf(steps)).toEqual(expected)
})
