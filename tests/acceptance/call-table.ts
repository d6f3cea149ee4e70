import { test } from 'vitest'

interface Row {
  call: string
  answer: string
  ok: boolean
}

/** One test per call of the official client, and one table of all for the reader of the run. */
export class CallTable {
  readonly #title: string
  readonly #rows: Row[] = []

  constructor(title: string) {
    this.#title = title
  }

  /** `answer` is what the protocol prescribes; the body of the test proves it. */
  row(call: string, answer: string, prove: () => Promise<void>): void {
    test(`${call} → ${answer}`, async () => {
      const row = { call, answer, ok: false }
      this.#rows.push(row)
      await prove()
      row.ok = true
    })
  }

  print(): void {
    const width = Math.max(...this.#rows.map(({ call }) => call.length))
    const lines = this.#rows.map(
      ({ call, answer, ok }) => `${ok ? '✓' : '✗'} ${call.padEnd(width)}  ${answer}`,
    )
    console.info(`\n${this.#title}\n${lines.join('\n')}\n`)
  }
}
