import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'

/**
 * A table in `docs/` that tests write, one row each: `<!-- NAME: … -->`, heading, rule, rows, `<!-- /NAME -->`. The row
 * whose first cell is the same is replaced, a new one is put where it sorts. A row that had to be written fails the test
 * once: what the document said was not what was found.
 */
export function writeDocRow(file: string, table: string, cells: readonly [string, ...string[]]): void {
  const row = `| ${cells.join(' | ')} |`
  const before = readFileSync(file, 'utf8')
  const block = new RegExp(`(?<=<!-- ${table}: [^>]+ -->\\n)[\\s\\S]*?(?=<!-- /${table} -->)`)
  const lines = block.exec(before)?.[0].trimEnd().split('\n')
  if (lines === undefined) throw new Error(`${file} has no table "${table}"`)
  const [heading = '', rule = '', ...rows] = lines
  const others = rows.filter((other) => firstCell(other) !== cells[0])
  const sorted = [...others, row].sort((a, b) =>
    firstCell(a).localeCompare(firstCell(b), 'en', { numeric: true }),
  )
  const after = before.replace(block, () => `${[heading, rule, ...sorted].join('\n')}\n`)
  if (after !== before) writeFileSync(file, after)
  expect(rows).toContain(row)
}

/** The whole of such a table, from code. A table that had to be written fails the test once. */
export function writeDocTable(file: string, table: string, rows: readonly (readonly string[])[]): void {
  const [heading = [], ...others] = rows.map((cells) => `| ${cells.join(' | ')} |`)
  const text = [heading, `|${'---|'.repeat(rows[0]?.length ?? 0)}`, ...others].join('\n')
  const before = readFileSync(file, 'utf8')
  const block = new RegExp(`(?<=<!-- ${table}: [^>]+ -->\\n)[\\s\\S]*?(?=<!-- /${table} -->)`)
  const found = block.exec(before)?.[0]
  if (found === undefined) throw new Error(`${file} has no table "${table}"`)
  if (found !== `${text}\n`)
    writeFileSync(
      file,
      before.replace(block, () => `${text}\n`),
    )
  expect(found).toBe(`${text}\n`)
}

function firstCell(row: string): string {
  return row.split('|')[1]?.trim() ?? ''
}
