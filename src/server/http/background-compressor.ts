import { type CompressText, compressText, type Encodings } from './prepared-response.ts'

interface Improvement {
  body: Buffer
  /** Asked when its turn comes: false when it is not served any more. */
  isWanted: () => boolean
  done: (encodings: Encodings) => void
}

/** Compresses again, at the highest level, what is already being served: one after the other, on the thread pool. */
export class BackgroundCompressor {
  readonly #waiting: Improvement[] = []
  readonly #compress: CompressText
  #isBusy = false

  constructor(compress: CompressText = compressText) {
    this.#compress = compress
  }

  add(improvement: Improvement): void {
    this.#waiting.push(improvement)
    if (!this.#isBusy) void this.#work()
  }

  async #work(): Promise<void> {
    this.#isBusy = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (!next.isWanted()) continue
      // What cannot be made better is served as it is.
      const encodings = await this.#compress(next.body).catch(() => null)
      if (encodings !== null && next.isWanted()) next.done(encodings)
    }
    this.#isBusy = false
  }
}
