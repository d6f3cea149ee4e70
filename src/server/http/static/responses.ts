import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { KEPT_TIMING } from '#contract/site.ts'
import type { Headers } from '../security/headers.ts'

/** A response whose bytes are swapped while it is served. */
export class SwappedResponse {
  readonly #compress: CompressText
  readonly #compressor: BackgroundCompressor
  #current: PreparedResponse | null = null

  constructor(compress: CompressText) {
    this.#compress = compress
    this.#compressor = new BackgroundCompressor(compress)
  }

  /** Resolves when the next request gets these bytes. */
  async swap(body: Buffer, headers: Headers): Promise<void> {
    // A start has time to compress; a person who changed something is waiting.
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

  /** Null until the first swap. */
  get current(): PreparedResponse | null {
    return this.#current
  }
}

interface Improvement {
  body: Buffer
  /** Called before its turn: false if it is no longer served. */
  isWanted: () => boolean
  done: (encodings: Encodings) => void
}

/** Recompresses served responses at the highest level, one by one, on the thread pool. */
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
      // If compression fails, the response is served as it is.
      const encodings = await this.#compress(next.body).catch(() => null)
      if (encodings !== null && next.isWanted()) next.done(encodings)
    }
    this.#isBusy = false
  }
}

type Encoding = 'br' | 'gzip' | 'identity'

/** A response whose bytes exist before it is requested: serving is a lookup and a write. */
export interface PreparedResponse {
  /** One per encoding: a strong ETag stands for bytes (RFC 9110, section 8.8.3.3). */
  readonly etags: Readonly<Record<Encoding, string>>
  readonly bodies: Readonly<Record<Encoding, Buffer | null>>
  readonly headers: Headers
  /** The complete headers of a 200 per encoding, as a flat list: the form that Node writes fastest. */
  readonly heads: Readonly<Record<Encoding, readonly string[]>>
}

interface Encodings {
  br: Buffer | null
  gzip: Buffer | null
}

export function prepareResponse(body: Buffer, encodings: Encodings, headers: Headers): PreparedResponse {
  const bodies = { br: encodings.br, gzip: encodings.gzip, identity: body }
  const sent = JSON.stringify(headers)
  const tag = (encoding: Encoding) => {
    const hash = createHash('sha256')
      .update(bodies[encoding] ?? '')
      .update(`${encoding}${sent}`)
    return `"${hash.digest('base64url').slice(0, 22)}"`
  }
  const etags = { br: tag('br'), gzip: tag('gzip'), identity: tag('identity') }
  const all = { ...headers, ...(encodings.br || encodings.gzip ? { vary: 'accept-encoding' } : {}) }
  const head = (encoding: Encoding) => [
    ...Object.entries({ ...all, etag: etags[encoding] }).flat(),
    ...(encoding === 'identity' ? [] : ['content-encoding', encoding]),
    ...['content-length', String(bodies[encoding]?.length ?? 0)],
  ]
  return {
    etags,
    bodies,
    headers: all,
    heads: { br: head('br'), gzip: head('gzip'), identity: head('identity') },
  }
}

/** What Node adds to each response (`Date`, `Connection`, `Keep-Alive`), and the longest length and status. */
const OTHER_HEAD_BYTES = 160

const PREPARED_HEAD = {
  etag: '"1234567890123456789012"',
  vary: 'accept-encoding',
  'content-encoding': 'gzip',
}

/** Size of a response's headers with these headers, or slightly more. */
export function headBytes(headers: Headers): number {
  return Object.entries({ ...headers, ...PREPARED_HEAD }).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value) + ': \r\n'.length,
    OTHER_HEAD_BYTES,
  )
}

const brotli = promisify(brotliCompress)

const deflate = promisify(gzip)

/** Above this, the last few per cent take seconds. */
const LARGE_BYTES = 500_000

/** Best compression; about 85 ms for the page, on the thread pool, never during a request. */
export function compressText(body: Buffer): Promise<Encodings> {
  return compress(body, body.length > LARGE_BYTES ? { brotli: 9, gzip: 6 } : { brotli: 11, gzip: 9 })
}

export type CompressText = typeof compressText

/** Used until `compressText` is done: some milliseconds per megabyte. */
export function compressQuickly(body: Buffer): Promise<Encodings> {
  return compress(body, body.length > LARGE_BYTES ? { brotli: 1, gzip: 1 } : { brotli: 5, gzip: 6 })
}

async function compress(body: Buffer, quality: { brotli: number; gzip: number }): Promise<Encodings> {
  const [br, gz] = await Promise.all([
    brotli(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality.brotli,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
    deflate(body, { level: quality.gzip }),
  ])
  return { br, gzip: gz }
}

/** GET and HEAD only; the caller has checked the method. */
export function sendPrepared(
  request: IncomingMessage,
  response: ServerResponse,
  prepared: PreparedResponse,
): void {
  const encoding = chooseEncoding(request.headers['accept-encoding'], prepared)
  const etag = prepared.etags[encoding]
  if (matchesEtag(request.headers['if-none-match'], etag)) {
    response.writeHead(304, { ...prepared.headers, etag, 'server-timing': KEPT_TIMING })
    response.end()
    return
  }
  response.writeHead(200, prepared.heads[encoding] as string[])
  response.end(request.method === 'HEAD' ? undefined : prepared.bodies[encoding])
}

/** Proxies that compress mark a tag as weak. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return (
    header === '*' || header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
  )
}

function chooseEncoding(accepted: string | undefined, prepared: PreparedResponse): Encoding {
  if (accepted === undefined) return 'identity'
  return preferencesOf(accepted).find((encoding) => prepared.bodies[encoding] !== null) ?? 'identity'
}

/** Browsers send the same few values: each is parsed once. */
const preferences = new Map<string, readonly Encoding[]>()

const MAX_PREFERENCES = 1000

const MAX_KNOWN_LENGTH = 100

function preferencesOf(header: string): readonly Encoding[] {
  const known = preferences.get(header)
  if (known !== undefined) return known
  const read = (['br', 'gzip'] as const).filter((encoding) => accepts(header, encoding))
  if (preferences.size < MAX_PREFERENCES && header.length <= MAX_KNOWN_LENGTH) preferences.set(header, read)
  return read
}

function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

/** JSON that stands in an element of a page: no text inside can end the element, nor begin a comment in it. */
export function escapeJson(json: string): string {
  return json.replaceAll('<', '\\u003c')
}
