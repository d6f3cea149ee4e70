import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { writeDocTable } from '#tests/support/doc-table.ts'
import { LIMIT_ROWS } from './limits.ts'

test('docs/operate/limits.md has every limit and its reason', () => {
  expect(LIMIT_ROWS.every(({ reason }) => reason !== '')).toBe(true)
  const rows = LIMIT_ROWS.map(({ group, name, limit, reason }) => [group, `\`${name}\``, limit, reason])
  writeDocTable('docs/operate/limits.md', 'limits', [['what', 'row', 'limit', 'reason'], ...rows])
})

/** A window, body size or retry time written as a number. */
const LITERAL = /max: *[\d_]+, *windowMs|(?:bodyLimit|'retry-after'): *'?\d/

test('no other file contains a limit of calls or bodies', () => {
  const files = globSync('src/server/**/*.ts').filter(
    (file) => !file.endsWith('.test.ts') && file !== 'src/server/http/limits/limits.ts',
  )
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((file) => LITERAL.test(readFileSync(file, 'utf8')))).toEqual([])
  expect(LITERAL.test('{ max: 3, windowMs: 60_000 }')).toBe(true)
})
