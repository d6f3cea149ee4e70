import { BROWSERS, type BrowserName, canBeHad } from './browser-engines.ts'
import { writeDocRow } from './doc-table.ts'

/** What was found in each engine, for a row of docs/engines.md. Rows are written where every engine can be had. */
export class EngineTable {
  readonly #table: string
  readonly #rows = new Map<string, Map<BrowserName, boolean>>()

  constructor(table: string) {
    this.#table = table
  }

  /** Runs what a row is about; the row holds in an engine when all of it passed there. */
  async check(row: string, browser: BrowserName, work: () => Promise<void>): Promise<void> {
    const cells = this.#rows.get(row) ?? new Map<BrowserName, boolean>()
    this.#rows.set(row, cells)
    const before = cells.get(browser) ?? true
    cells.set(browser, false)
    await work()
    cells.set(browser, before)
  }

  write(): void {
    if (!BROWSERS.every(canBeHad)) return
    const untrue: unknown[] = []
    for (const [row, cells] of this.#rows) {
      const found = BROWSERS.map((browser) => (cells.get(browser) === true ? '✓' : '✗'))
      try {
        writeDocRow('docs/engines.md', this.#table, [row, ...found])
      } catch (error) {
        untrue.push(error)
      }
    }
    // After the last row: all of them are written by then.
    if (untrue.length > 0) throw untrue[0]
  }
}
