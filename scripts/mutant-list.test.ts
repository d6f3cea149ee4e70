import { expect, test } from 'vitest'
import { type Mutant, placeMutant, readMutants } from './mutant-list.ts'

const HEADER = 'id\trule\tfind\treplace\ttest\n'
const mutant = (find: string, replace: string): Mutant => ({
  id: 'X01',
  rule: 'A rule.',
  find,
  replace,
  test: { project: 'unit', file: 'x', title: '' },
})
const sources = new Map([
  ['one.ts', 'export const limit = 10\nif (limit >\n  9) stop()\n'],
  ['two.ts', 'export const other = 10\n'],
])

test('finds a text anywhere, whatever its white space', () => {
  expect(placeMutant(mutant('if (limit > 9)', 'if (limit > 8)'), sources)).toEqual({
    file: 'one.ts',
    mutated: 'export const limit = 10\nif (limit > 8) stop()\n',
  })
  expect(placeMutant(mutant('stop()', ''), sources)).toMatch(/^one\.ts cannot be parsed/)
})

test.each([
  ['a text that occurs nowhere', 'limit > 7', 'its text occurs nowhere'],
  ['a text that occurs twice', '= 10', 'its text occurs 2 times: one.ts,two.ts'],
])('refuses %s', (_what, find, problem) => {
  expect(placeMutant(mutant(find, ''), sources)).toBe(problem)
})

test('reads one mutant per line, and refuses lines without a column, a project or a unique name', () => {
  const line = 'X01\tA rule.\ta > b\t\tunit:x > some title'
  expect(readMutants(`${HEADER}${line}\n`)).toEqual([
    { ...mutant('a > b', ''), test: { project: 'unit', file: 'x', title: 'some title' } },
  ])
  for (const bad of [line.replace('\tunit', ''), line.replace('unit:', ''), `${line}\n${line}`])
    expect(() => readMutants(`${HEADER}${bad}\n`)).toThrow()
})
