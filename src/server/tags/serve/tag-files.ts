import { MINUTE_MS } from '#contract/durations.ts'
import type { Headers } from '#server/http/security/headers.ts'
import {
  BackgroundCompressor,
  type CompressText,
  compressQuickly,
  type PreparedResponse,
  prepareResponse,
} from '#server/http/static/responses.ts'

/** A page loaded a moment ago still requests its files; much later, a switched-off tag must stay off. */
const KEEP_RETIRED_MS = 10 * MINUTE_MS

/**
 * A file that fits into one packet is not compressed: it would arrive no sooner, and two hundred of them would delay a
 * start.
 */
const ONE_PACKET_BYTES = 1_400
const PLAIN = { br: null, gzip: null }

interface TagFile {
  prepared: PreparedResponse
  retiredAt: number | null
}

/** The compiled files as bytes, by path: those of the current set, and for a while those of earlier sets. */
export class TagFiles {
  readonly #headers: Headers
  readonly #now: () => number
  readonly #compressor: BackgroundCompressor
  #files = new Map<string, TagFile>()

  /** `compress` compresses files that are already served. */
  constructor(headers: Headers, compress?: CompressText, now: () => number = Date.now) {
    this.#compressor = new BackgroundCompressor(compress)
    this.#headers = {
      ...headers,
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    }
    this.#now = now
  }

  get(path: string): PreparedResponse | undefined {
    return this.#files.get(path)?.prepared
  }

  /** Adds new files and removes none yet, so that the served page stays complete. */
  async add(
    texts: ReadonlyMap<string, string>,
    headersOf: (path: string) => Headers = () => this.#headers,
  ): Promise<void> {
    const news: [string, string][] = []
    for (const entry of texts) if (!this.#files.has(entry[0])) news.push(entry)
    await Promise.all(
      news.map(async ([path, text]) => {
        const body = Buffer.from(text)
        const isSmall = body.length <= ONE_PACKET_BYTES
        const encodings = isSmall ? PLAIN : await compressQuickly(body)
        const headers = headersOf(path)
        const file: TagFile = { prepared: prepareResponse(body, encodings, headers), retiredAt: null }
        this.#files.set(path, file)
        if (!isSmall) this.#improve(file, body, headers)
      }),
    )
  }

  #improve(file: TagFile, body: Buffer, headers: Headers): void {
    this.#compressor.add({
      body,
      isWanted: () => file.retiredAt === null,
      done: (encodings) => {
        file.prepared = prepareResponse(body, encodings, headers)
      },
    })
  }

  /** Call it once the page names only these files. */
  retireOthers(current: Pick<ReadonlySet<string>, 'has'>): void {
    const now = this.#now()
    for (const [path, file] of this.#files) {
      file.retiredAt = current.has(path) ? null : (file.retiredAt ?? now)
      if (file.retiredAt !== null && now - file.retiredAt > KEEP_RETIRED_MS) this.#files.delete(path)
    }
  }
}
