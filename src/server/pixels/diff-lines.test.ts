import { expect, test } from 'vitest'
import { diffLines } from './history.ts'

const show = (before: string, after: string) =>
  diffLines(before, after).map((line) =>
    line.kind === 'gap' ? `… ${line.lines}` : { same: ' ', added: '+', removed: '-' }[line.kind] + line.text,
  )

test.each<[string, string, string, string[]]>([
  ['nothing', 'a\nb', 'a\nb', ['… 2']],
  ['from nothing', '', 'a\nb', ['+a', '+b']],
  ['to nothing', 'a', '', ['-a']],
  ['line ends alone', 'a\r\nb', 'a\nb', ['… 2']],
  [
    'in the middle',
    'a\nb\nc\nd\ne\nf\ng',
    'a\nb\nc\nX\ne\nf\ng',
    ['… 1', ' b', ' c', '-d', '+X', ' e', ' f', '… 1'],
  ],
  ['repeated lines', 'a\na\na', 'a\na', [' a', ' a', '-a']],
])('%s', (_what, before, after, expected) => {
  expect(show(before, after)).toEqual(expected)
})

test('cuts the difference of completely different code cheaply', () => {
  const lines = (letter: string) => Array.from({ length: 20_000 }, (_, n) => letter + n).join('\n')
  const shown = diffLines(lines('a'), lines('b'))
  expect(shown).toHaveLength(401)
  expect(shown.at(-1)).toEqual({ kind: 'gap', lines: 39_600 })
  const [long] = diffLines('', 'x'.repeat(100_000))
  expect(long).toEqual({ kind: 'added', text: 'x'.repeat(1_000) })
})
