import { BROWSERS, type BrowserName, canBeHad } from './browser-engines.ts'
import { readDocRow, writeDocRow } from './doc-table.ts'

const FILE = 'docs/reports/engines.md'

/** Results of each engine for a row of docs/reports/engines.md. */
export class EngineTable {
  readonly #table: string
  readonly #rows = new Map<string, Map<BrowserName, boolean>>()

  constructor(table: string) {
    this.#table = table
  }

  /** Runs the checks of a row; the row is true for an engine if all passed there. */
  async check(row: string, browser: BrowserName, work: () => Promise<void>): Promise<void> {
    const cells = this.#rows.get(row) ?? new Map<BrowserName, boolean>()
    this.#rows.set(row, cells)
    const before = cells.get(browser) ?? true
    cells.set(browser, false)
    await work()
    cells.set(browser, before)
  }

  /** Browsers that are missing on this machine keep the document's cells. */
  write(): void {
    const untrue: unknown[] = []
    for (const [row, cells] of this.#rows) {
      const written = readDocRow(FILE, this.#table, row)
      const found = BROWSERS.map((browser, index) =>
        canBeHad(browser) ? (cells.get(browser) === true ? '✓' : '✗') : (written?.[index + 1] ?? '–'),
      )
      try {
        writeDocRow(FILE, this.#table, [row, ...found])
      } catch (error) {
        untrue.push(error)
      }
    }
    // After the last row: with `-u` all are written by then.
    if (untrue.length > 0) throw untrue[0]
  }
}
