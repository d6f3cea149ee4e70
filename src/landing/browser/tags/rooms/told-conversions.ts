import type { TagReport } from '#contract/tag-report.ts'
import type { Conversion } from '../watch-conversions.ts'

const GATHER_MS = 300

/** Which rooms said that their vendor was told; those that nobody was asked about say nothing. */
export class ToldConversions {
  readonly #asked = new Map<string, { name: Conversion['name']; isTold: boolean; ids: Set<string> }>()
  readonly #waiting = new Set<string>()
  readonly #report: (conversion: NonNullable<TagReport['conversion']>) => void

  constructor(report: (conversion: NonNullable<TagReport['conversion']>) => void) {
    this.#report = report
    addEventListener('pagehide', () => this.#tell())
  }

  readonly asks = ({ name, id }: Conversion, isTold: boolean): void => {
    this.#asked.set(id, { name, isTold, ids: new Set() })
  }

  answered(id: string, pixelId: string): void {
    const asked = this.#asked.get(id)
    if (asked === undefined || asked.ids.has(pixelId)) return
    asked.ids.add(pixelId)
    if (this.#waiting.size === 0) setTimeout(() => this.#tell(), GATHER_MS)
    this.#waiting.add(id)
  }

  #tell(): void {
    for (const id of this.#waiting) {
      const asked = this.#asked.get(id)
      if (asked === undefined) continue
      const { name, isTold, ids } = asked
      this.#report({ name, ids: [...ids], ...(isTold && { is_more: true }) })
      // Whoever answers later is told apart, of the same thing done.
      this.#asked.set(id, { name, isTold: true, ids })
    }
    this.#waiting.clear()
  }
}
