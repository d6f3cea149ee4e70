import { lookup as resolve } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici'
import { isPublicAddress } from './sockets/addresses.ts'

const CONNECT_TIMEOUT_MS = 5_000

const ANSWER_TIMEOUT_MS = 10_000

const MAX_ANSWER_BYTES = 65_536

export type Answer =
  | { kind: 'answer'; status: number; headers: Record<string, string | string[] | undefined>; body: string }
  /** `code` is ours or the system's; `written` when the other side may have got it. */
  | { kind: 'failed'; code: string; written: boolean }
  | { kind: 'interrupted'; written: boolean }

interface OutgoingOptions {
  /** As the configuration has them; null for none. */
  httpsProxy: string | null
  noProxy: string | null
  /** Of an answer; past it the answer counts as failed. */
  maxAnswerBytes?: number
}

type FetchedFile = { body: Buffer } | { failure: string }

interface PostOptions {
  /** The operator configured the address: it may lead anywhere. What was typed in the dashboard leads to the public. */
  anyAddress?: boolean
  timeoutMs?: number
  /** The status is the whole answer: a body that is cut off or never ends changes nothing. */
  statusOnly?: boolean
}

/**
 * All that the server sends to vendors and webhooks goes through here: through the proxy that the configuration names
 * or to public addresses alone, with limits of time and size, certificates checked, no redirect followed.
 */
export class OutgoingClient {
  readonly #public: EnvHttpProxyAgent
  readonly #any: EnvHttpProxyAgent

  constructor({ httpsProxy, noProxy, maxAnswerBytes = MAX_ANSWER_BYTES }: OutgoingOptions) {
    const shared = {
      // Empty, not absent: else it would look into the environment by itself.
      httpProxy: '',
      httpsProxy: httpsProxy ?? '',
      noProxy: noProxy ?? '',
      headersTimeout: ANSWER_TIMEOUT_MS,
      bodyTimeout: ANSWER_TIMEOUT_MS,
      maxResponseSize: maxAnswerBytes,
    }
    // Only for what goes past the proxy, whose duty resolving is otherwise.
    const connect = { lookup: publicLookup, timeout: CONNECT_TIMEOUT_MS }
    this.#public = new EnvHttpProxyAgent({ ...shared, connect })
    this.#any = new EnvHttpProxyAgent({ ...shared, connect: { timeout: CONNECT_TIMEOUT_MS } })
  }

  async post(
    url: string,
    headers: Record<string, string>,
    body: string,
    signal: AbortSignal,
    {
      anyAddress = false,
      timeoutMs = CONNECT_TIMEOUT_MS + ANSWER_TIMEOUT_MS,
      statusOnly = false,
    }: PostOptions = {},
  ): Promise<Answer> {
    let written = false
    if (!anyAddress && isInside(url)) return { kind: 'failed', code: NOT_PUBLIC, written }
    const agent = anyAddress ? this.#any : this.#public
    const noting = agent.compose(
      (dispatch) => (options, handler) =>
        dispatch(options, {
          ...bindHandler(handler),
          // Called with a connected socket in hand, right before the first byte.
          onRequestStart(controller, context) {
            written = true
            handler.onRequestStart?.(controller, context)
          },
        }),
    )
    try {
      const answer = await request(url, {
        method: 'POST',
        dispatcher: noting,
        headers: { 'content-type': 'application/json', 'user-agent': 'Portico', ...headers },
        body,
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

  /** A public file, as it is; whatever is no file there, a redirect among it, is a failure with a code. */
  async fetchFile(url: string, signal: AbortSignal): Promise<FetchedFile> {
    if (isInside(url)) return { failure: NOT_PUBLIC }
    try {
      const { statusCode, headers, body } = await request(url, {
        dispatcher: this.#public,
        headers: { 'user-agent': 'Portico', 'accept-encoding': 'identity' },
        signal: AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS + ANSWER_TIMEOUT_MS)]),
      })
      const bytes = Buffer.from(await body.arrayBuffer())
      if (statusCode !== 200) return { failure: `http_${statusCode}` }
      // Compressed anyway, the same file could come in many forms.
      if (![undefined, 'identity'].includes(headers['content-encoding'] as string | undefined))
        return { failure: 'encoded' }
      return { body: bytes }
    } catch (error) {
      return { failure: codeOf(error) }
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#public.destroy(), this.#any.destroy()])
  }
}

/** A host that is written as an address is never looked up; names are judged by `publicLookup`. */
function isInside(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return isIP(host) !== 0 && !isPublicAddress(host)
}

type Handler = Parameters<Dispatcher['dispatch']>[1]

/** Its methods live on its class, where a spread does not see them. */
function bindHandler(handler: Handler): Handler {
  return {
    onRequestUpgrade: handler.onRequestUpgrade?.bind(handler),
    onResponseStart: handler.onResponseStart?.bind(handler),
    onResponseData: handler.onResponseData?.bind(handler),
    onResponseEnd: handler.onResponseEnd?.bind(handler),
    onResponseError: handler.onResponseError?.bind(handler),
  } as Handler
}

/** Reading a short body to its end lets the connection be used again; more than that is not worth a failure. */
async function readToEnd(body: Dispatcher.ResponseData['body']): Promise<string> {
  await body.dump({ limit: MAX_ANSWER_BYTES }).catch(() => {})
  return ''
}

/** Never the message: it can hold an address with a secret in it. */
function codeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (typeof code === 'string' && !code.startsWith('UND_ERR_ABORTED')) return code
    if (cause.name === 'TimeoutError') return 'ETIMEDOUT'
  }
  return 'ENETWORK'
}

/** The code of the error for a name that was typed in the dashboard and leads inside. */
export const NOT_PUBLIC = 'ENOTPUBLIC'

/** Resolves at the moment of connecting, so that a name which changes between two looks gains nothing. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '', 0)
    const open = addresses.filter(({ address }) => isPublicAddress(address))
    const [first] = open
    if (first === undefined) {
      const refusal: NodeJS.ErrnoException = new Error('the name leads to no public address')
      refusal.code = NOT_PUBLIC
      return callback(refusal, '', 0)
    }
    if (options.all === true) return callback(null, open)
    return callback(null, first.address, first.family)
  })
}
