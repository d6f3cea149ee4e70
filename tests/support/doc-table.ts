import { readFileSync, writeFileSync } from 'node:fs'
import { expect, inject } from 'vitest'

/**
 * A row of a table in `docs/` that a test writes: `<!-- NAME: … -->`, heading, rule, rows, `<!-- /NAME -->`. The test fails
 * where the document says something else. `vitest run -u` writes the row, as it does a snapshot: the one whose first cell
 * is the same is replaced, and a new one is put where it sorts.
 */
export function writeDocRow(file: string, table: string, cells: readonly [string, ...string[]]): void {
  const row = toRow(cells)
  const [heading = '', rule = '', ...rows] = readTable(file, table).trimEnd().split('\n')
  if (!inject('updatesDocs')) {
    expect(rows, `${file}: "${table}"`).toContain(row)
    return
  }
  const others = rows.filter((other) => firstCell(other) !== cells[0])
  const sorted = [...others, row].sort((a, b) =>
    firstCell(a).localeCompare(firstCell(b), 'en', { numeric: true }),
  )
  replaceTable(file, table, [heading, rule, ...sorted])
}

/** The whole table with its heading. */
export function writeDocTable(file: string, table: string, rows: readonly (readonly string[])[]): void {
  writeDocBlock(file, table, formatTable(rows))
}

export function formatTable(rows: readonly (readonly string[])[]): string {
  const [heading = '', ...others] = rows.map(toRow)
  return [heading, `|${'---|'.repeat(rows[0]?.length ?? 0)}`, ...others].join('\n')
}

/** Everything between the two comments. */
export function writeDocBlock(file: string, name: string, text: string): void {
  if (inject('updatesDocs')) replaceTable(file, name, text.split('\n'))
  else expect(readTable(file, name)).toBe(`${text}\n`)
}

/** A row of the document, by its first cell. */
export function readDocRow(file: string, table: string, first: string): string[] | undefined {
  const row = readTable(file, table)
    .split('\n')
    .find((each) => firstCell(each) === first)
  return row
    ?.split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

function readTable(file: string, table: string): string {
  const found = blockOf(table).exec(readFileSync(file, 'utf8'))?.[0]
  if (found === undefined) throw new Error(`${file} has no table "${table}"`)
  return found
}

function replaceTable(file: string, table: string, lines: string[]): void {
  const text = `${lines.join('\n')}\n`
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(blockOf(table), () => text),
  )
}

function blockOf(table: string): RegExp {
  return new RegExp(`(?<=<!-- ${table}: [^>]+ -->\\n)[\\s\\S]*?(?=<!-- /${table} -->)`)
}

function toRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function firstCell(row: string): string {
  return row.split('|')[1]?.trim() ?? ''
}
