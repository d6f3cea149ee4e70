import { lookup as resolve } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Dispatcher, EnvHttpProxyAgent, request } from 'undici'
import { SECOND_MS } from '#contract/durations.ts'
import { isPublicAddress } from './sockets/addresses.ts'

const CONNECT_TIMEOUT_MS = 5_000

const ANSWER_TIMEOUT_MS = 10_000

const MAX_ANSWER_BYTES = 65_536

export type Answer =
  | { kind: 'answer'; status: number; headers: Record<string, string | string[] | undefined>; body: string }
  /** `code` is ours or the system's; `written` if the other side may have received it. */
  | { kind: 'failed'; code: string; written: boolean }
  | { kind: 'interrupted'; written: boolean }

/** What a header such as `Retry-After` asks for, in milliseconds: it names seconds, and some chats write fractions. */
export function readRetryAfter(header: string | string[] | undefined): number | null {
  const isSeconds = typeof header === 'string' && /^\d{1,6}(?:\.\d{1,6})?$/.test(header)
  return isSeconds ? Math.ceil(Number(header) * SECOND_MS) : null
}

interface OutgoingOptions {
  /** From the configuration; null for none. */
  httpsProxy: string | null
  noProxy: string | null
  /** A larger response counts as failed. */
  maxAnswerBytes?: number
}

/** The file's bytes, or why there are none. */
export type FetchedFile = { body: Buffer } | { failure: string }

interface PostOptions {
  /** The operator configured the address, so it may be any. Addresses typed in the dashboard must be public. */
  anyAddress?: boolean
  timeoutMs?: number
  /** Only the status counts: a body that is cut off or never ends changes nothing. */
  statusOnly?: boolean
}

/**
 * All requests to vendors and webhooks: through the configured proxy or to public addresses only, with limits of time
 * and size, checked certificates, and no redirects.
 */
export class OutgoingClient {
  readonly #options: OutgoingOptions
  #opened: Promise<OpenClient> | null = null

  constructor(options: OutgoingOptions) {
    this.#options = options
  }

  /** Loaded with the first request: a site that sends nothing saves about 9 MB. */
  #open(): Promise<OpenClient> {
    this.#opened ??= openClient(this.#options)
    return this.#opened
  }

  post(
    url: string,
    headers: Record<string, string>,
    body: string,
    signal: AbortSignal,
    options: PostOptions = {},
  ): Promise<Answer> {
    const described = { 'content-type': 'application/json', ...headers }
    return this.#request(url, { method: 'POST', headers: described, body }, signal, options)
  }

  /** Only to public addresses. */
  get(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Answer> {
    return this.#request(url, { method: 'GET', headers }, signal)
  }

  async #request(
    url: string,
    { headers, ...sent }: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string },
    signal: AbortSignal,
    {
      anyAddress = false,
      timeoutMs = CONNECT_TIMEOUT_MS + ANSWER_TIMEOUT_MS,
      statusOnly = false,
    }: PostOptions = {},
  ): Promise<Answer> {
    let written = false
    if (!anyAddress && isInside(url)) return { kind: 'failed', code: NOT_PUBLIC, written }
    const client = await this.#open()
    const agent = anyAddress ? client.toAny : client.toPublic
    const noting = agent.compose(
      (dispatch) => (options, handler) =>
        dispatch(options, {
          ...bindHandler(handler),
          // Called with a connected socket, right before the first byte.
          onRequestStart(controller, context) {
            written = true
            handler.onRequestStart?.(controller, context)
          },
        }),
    )
    try {
      const answer = await client.request(url, {
        ...sent,
        dispatcher: noting,
        headers: { 'user-agent': 'Portico', ...headers },
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      })
      return {
        kind: 'answer',
        status: answer.statusCode,
        headers: answer.headers,
        body: await (statusOnly ? readToEnd(answer.body) : answer.body.text()),
      }
    } catch (error) {
      if (signal.aborted) return { kind: 'interrupted', written }
      return { kind: 'failed', code: codeOf(error), written }
    }
  }

  /** Fetches a public file; anything else, including a redirect, is a failure with a code. */
  async fetchFile(url: string, signal: AbortSignal): Promise<FetchedFile> {
    if (isInside(url)) return { failure: NOT_PUBLIC }
    const client = await this.#open()
    try {
      const { statusCode, headers, body } = await client.request(url, {
        dispatcher: client.toPublic,
        headers: { 'user-agent': 'Portico', 'accept-encoding': 'identity' },
        signal: AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS + ANSWER_TIMEOUT_MS)]),
      })
      const bytes = Buffer.from(await body.arrayBuffer())
      if (statusCode !== 200) return { failure: `http_${statusCode}` }
      // Compressed, the same file could have many forms.
      if (![undefined, 'identity'].includes(headers['content-encoding'] as string | undefined))
        return { failure: 'encoded' }
      return { body: bytes }
    } catch (error) {
      return { failure: codeOf(error) }
    }
  }

  async close(): Promise<void> {
    const client = await this.#opened
    await Promise.all([client?.toPublic.destroy(), client?.toAny.destroy()])
  }
}

interface OpenClient {
  request: typeof request
  toPublic: EnvHttpProxyAgent
  toAny: EnvHttpProxyAgent
}

async function openClient({
  httpsProxy,
  noProxy,
  maxAnswerBytes = MAX_ANSWER_BYTES,
}: OutgoingOptions): Promise<OpenClient> {
  const { EnvHttpProxyAgent, request } = await import('undici')
  const shared = {
    // Empty, not absent: otherwise it would read the environment itself.
    httpProxy: '',
    httpsProxy: httpsProxy ?? '',
    noProxy: noProxy ?? '',
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
    maxResponseSize: maxAnswerBytes,
  }
  // Only for requests that bypass the proxy, which otherwise resolves names.
  const connect = { lookup: publicLookup, timeout: CONNECT_TIMEOUT_MS }
  return {
    request,
    toPublic: new EnvHttpProxyAgent({ ...shared, connect }),
    toAny: new EnvHttpProxyAgent({ ...shared, connect: { timeout: CONNECT_TIMEOUT_MS } }),
  }
}

/** Literal addresses are not looked up; names are checked by `publicLookup`. */
function isInside(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return isIP(host) !== 0 && !isPublicAddress(host)
}

type Handler = Parameters<Dispatcher['dispatch']>[1]

/** Its methods are on its class, which a spread does not copy. */
function bindHandler(handler: Handler): Handler {
  return {
    onRequestUpgrade: handler.onRequestUpgrade?.bind(handler),
    onResponseStart: handler.onResponseStart?.bind(handler),
    onResponseData: handler.onResponseData?.bind(handler),
    onResponseEnd: handler.onResponseEnd?.bind(handler),
    onResponseError: handler.onResponseError?.bind(handler),
  } as Handler
}

/** Reading a short body to its end lets the connection be reused; a longer one is not worth a failure. */
async function readToEnd(body: Dispatcher.ResponseData['body']): Promise<string> {
  await body.dump({ limit: MAX_ANSWER_BYTES }).catch(() => {})
  return ''
}

/** Never the message: it can contain an address with a secret. */
function codeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (typeof code === 'string' && !code.startsWith('UND_ERR_ABORTED')) return code
    if (cause.name === 'TimeoutError') return 'ETIMEDOUT'
  }
  return 'ENETWORK'
}

/** The error code for a name typed in the dashboard that resolves to a private address. */
export const NOT_PUBLIC = 'ENOTPUBLIC'

/** Resolves when connecting, so that a name that changes between two lookups gains nothing. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '', 0)
    const open = addresses.filter(({ address }) => isPublicAddress(address))
    const [first] = open
    if (first === undefined) {
      const refusal: NodeJS.ErrnoException = new Error('the name resolves to no public address')
      refusal.code = NOT_PUBLIC
      return callback(refusal, '', 0)
    }
    if (options.all === true) return callback(null, open)
    return callback(null, first.address, first.family)
  })
}
