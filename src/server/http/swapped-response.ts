import { BackgroundCompressor } from './background-compressor.ts'
import { compressQuickly, compressText, type PreparedResponse, prepareResponse } from './prepared-response.ts'
import type { Headers } from './security-headers.ts'

/** A response whose bytes are swapped while it is served. */
export class SwappedResponse {
  readonly #compressor = new BackgroundCompressor()
  #current: PreparedResponse | null = null

  /** When it resolves, the next request gets these bytes. */
  async swap(body: Buffer, headers: Headers): Promise<void> {
    // A start has the time; whoever changed something is waiting.
    const isFirst = this.#current === null
    const swapped = prepareResponse(body, await (isFirst ? compressText : compressQuickly)(body), headers)
    this.#current = swapped
    if (isFirst) return
    this.#compressor.add({
      body,
      isWanted: () => this.#current === swapped,
      done: (encodings) => {
        this.#current = prepareResponse(body, encodings, headers)
      },
    })
  }

  /** Null until something was put there. */
  get current(): PreparedResponse | null {
    return this.#current
  }
}
