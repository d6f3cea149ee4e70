import { BackgroundCompressor } from './background-compressor.ts'
import {
  type CompressText,
  compressQuickly,
  type PreparedResponse,
  prepareResponse,
} from './prepared-response.ts'
import type { Headers } from './security-headers.ts'

/** A response whose bytes are swapped while it is served. */
export class SwappedResponse {
  readonly #compress: CompressText
  readonly #compressor: BackgroundCompressor
  #current: PreparedResponse | null = null

  constructor(compress: CompressText) {
    this.#compress = compress
    this.#compressor = new BackgroundCompressor(compress)
  }

  /** When it resolves, the next request gets these bytes. */
  async swap(body: Buffer, headers: Headers): Promise<void> {
    // A start has the time; whoever changed something is waiting.
    const isFirst = this.#current === null
    const swapped = prepareResponse(body, await (isFirst ? this.#compress : compressQuickly)(body), headers)
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
