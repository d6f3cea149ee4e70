import type { Preferences } from './preferences.ts'
import { protocolError } from './protocol-errors.ts'
import { PRIMARY_KEY, type Row } from './resource.ts'

/** What the answer to one change may show. */
const MAX_SHOWN_BYTES = 8_000_000

/** The rows that one call has changed: whole when the answer will show them, else no more than their keys. */
export class ChangedRows {
  readonly rows: Row[] = []
  readonly #shown: boolean
  #bytes = 0

  constructor(preferences: Preferences) {
    this.#shown = preferences.return === 'representation'
  }

  /** Called inside the transaction, so that an answer too large to give is a change that did not happen. */
  add(row: Row): void {
    this.rows.push(this.#shown ? row : { [PRIMARY_KEY]: row[PRIMARY_KEY] })
    if (!this.#shown) return
    for (const value of Object.values(row)) if (typeof value === 'string') this.#bytes += value.length
    if (this.#bytes <= MAX_SHOWN_BYTES) return
    throw protocolError(413, '54000', 'The changed rows are too many to be shown in one answer', {
      hint: 'Prefer return=minimal, or change fewer rows at once.',
    })
  }
}
