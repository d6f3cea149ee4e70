import { expect, test } from 'vitest'
import type { OptionalCategory } from '#contract/consent.ts'
import { countRefusalsByVisit, type StoredChoice } from './choice-counts.ts'

type Step = [minute: number, action: string, categories: OptionalCategory[], version?: string]

const START = Date.parse('2026-11-15T10:00:00.000Z')
const at = (minute: number) => new Date(START + minute * 60_000).toISOString()
const D = 'desempenho'
const F = 'funcionalidade'
const M = 'marketing'

/** `+marketing` for each that is counted, `-marketing@0` for each that is subtracted, with the minute of the count. */
function changesOf(steps: readonly Step[]): string[][] {
  const records = steps.map(
    ([minute, action, categories, version = 'v1'], index): StoredChoice => ({
      id: String(index),
      action,
      categories,
      tag_set_version: version,
      created_at: at(minute),
    }),
  )
  const changes = countRefusalsByVisit(records)
  return records.map(({ id }) => {
    const { counted = [], takenBack = [] } = changes.get(id) ?? {}
    return [
      ...counted.map((category) => `+${category}`),
      ...takenBack.map(({ category, at: time }) => `-${category}@${(Date.parse(time) - START) / 60_000}`),
    ]
  })
}

test.each<[string, Step[], string[][]]>([
  ['who accepts refuses nothing', [[0, 'accept_all', [D, F, M]]], [[]]],
  ['who refuses, refuses everything', [[0, 'reject', []]], [[`+${D}`, `+${F}`, `+${M}`]]],
  ['who chooses, refuses the rest', [[0, 'save', [D]]], [[`+${F}`, `+${M}`]]],
  [
    'the same choice again is the same visit',
    [
      [0, 'reject', []],
      [1, 'reject', []],
      [2, 'save', []],
    ],
    [[`+${D}`, `+${F}`, `+${M}`], [], []],
  ],
  [
    'who refuses and then grants is taken back where it was counted',
    [
      [0, 'reject', []],
      [5, 'save', [M]],
      [6, 'accept_all', [D, F, M]],
    ],
    [[`+${D}`, `+${F}`, `+${M}`], [`-${M}@0`], [`-${D}@0`, `-${F}@0`]],
  ],
  [
    'what was granted and revoked has run, and was told',
    [
      [0, 'accept_all', [D, F, M]],
      [1, 'revoke', []],
      [2, 'accept_all', [D, F, M]],
      [3, 'revoke', [D]],
    ],
    [[], [], [], []],
  ],
  ['a revocation of what an earlier visit granted', [[0, 'revoke', []]], [[]]],
  [
    'after half an hour it is another visit',
    [
      [0, 'reject', []],
      [30, 'reject', []],
      [31, 'accept_all', [D, F, M]],
    ],
    [
      [`+${D}`, `+${F}`, `+${M}`],
      [`+${D}`, `+${F}`, `+${M}`],
      [`-${D}@30`, `-${F}@30`, `-${M}@30`],
    ],
  ],
  [
    'short gaps make one visit, however long',
    [
      [0, 'reject', []],
      [20, 'save', []],
      [40, 'accept_all', [D, F, M]],
    ],
    [[`+${D}`, `+${F}`, `+${M}`], [], [`-${D}@0`, `-${F}@0`, `-${M}@0`]],
  ],
  [
    'a page with other tags was loaded again',
    [
      [0, 'reject', []],
      [1, 'reject', [], 'v2'],
    ],
    [
      [`+${D}`, `+${F}`, `+${M}`],
      [`+${D}`, `+${F}`, `+${M}`],
    ],
  ],
])('%s', (_what, steps, expected) => {
  expect(changesOf(steps)).toEqual(expected)
})
