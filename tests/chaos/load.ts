import { randomUUID } from 'node:crypto'
import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from './scenario.ts'
import type { Administrator } from './sign-in.ts'

/** So many acknowledged subscriptions show that the whole of it is working. */
const ENOUGH = 10
/** Longer than any promise that is made; what takes longer counts as no answer. */
const PATIENCE_MS = 30_000
const PORTUGUESE = /indispon|novamente|de novo/i

/** Visitors, subscribers and an administrator, without a break, on every replica. */
export class Load {
  visits = 0
  /** Whatever was not the page. */
  readonly failedVisits: string[] = []
  /** Subscriptions that were answered with success, by address. */
  readonly acknowledged = new Set<string>()
  /** Calls that were told to come again later, as promised. */
  refused = 0
  /** Answers to calls that were neither a success nor the promised refusal. */
  readonly wrong: string[] = []
  /** How long the slowest answer to a call took. */
  slowestMs = 0
  /** The last name of the pixel that was acknowledged, as a number. */
  renamed = 0
  /** The last that did not succeed. */
  #last: string[] = []
  #stopped = false
  readonly #pauseMs: number
  readonly #ask: typeof ask
  #running: Promise<unknown>

  /** Through a proxy, which says itself who calls, each call comes from an address of its own. */
  constructor(
    urls: readonly string[],
    administrator: Administrator,
    pauseMs: number,
    { throughProxy = false } = {},
  ) {
    this.#pauseMs = pauseMs
    this.#ask = throughProxy ? askFromOwnAddress : ask
    const loops = urls.flatMap((url) => [
      this.#repeat(() => this.#visit(url)),
      ...Array.from({ length: 3 }, () => this.#repeat(() => this.#subscribe(url))),
    ])
    this.#running = Promise.all([...loops, this.#repeat(() => this.#rename(urls[0] ?? '', administrator))])
  }

  /** Waits until subscriptions and the administrator's changes succeed, from now on. */
  async untilWorking(): Promise<void> {
    const enough = this.acknowledged.size + ENOUGH
    const next = this.renamed + 1
    await until('calls succeed', () => this.acknowledged.size >= enough && this.renamed >= next).catch(
      (error: Error) => {
        const missing = [`${enough - this.acknowledged.size} subscriptions`, `${next - this.renamed} changes`]
        throw new Error(`${error.message}; missing ${missing.join(', ')}; last answers: ${this.#last}`)
      },
    )
  }

  /** Waits until one more call is told to come again: what was broken has been noticed. */
  async untilRefused(): Promise<void> {
    const next = this.refused + 1
    await until('calls are told to come again', () => this.refused >= next)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #repeat(once: () => Promise<void>): Promise<void> {
    while (!this.#stopped) {
      await once()
      await wait(this.#pauseMs)
    }
  }

  async #visit(url: string): Promise<void> {
    this.visits++
    const answer = await this.#ask(url)
    if (answer.status !== 200 || !answer.text.includes('</html>')) this.failedVisits.push(describe(answer))
  }

  async #subscribe(url: string): Promise<void> {
    const email = `${randomUUID()}@exemplo.com.br`
    const answer = await this.#call(`${url}/api/newsletter`, {
      method: 'POST',
      // Each from an address of its own: the limits are not what is tried here.
      headers: { 'content-type': 'application/json', 'x-forwarded-for': randomAddress() },
      body: JSON.stringify({ email }),
    })
    if (answer.status === 200) this.acknowledged.add(email)
    else this.#judge(answer)
  }

  async #rename(url: string, { headers, pixelId }: Administrator): Promise<void> {
    const next = this.renamed + 1
    const answer = await this.#call(`${url}/rest/v1/tracking_pixels?id=eq.${pixelId}`, {
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: String(next) }),
    })
    if (answer.status === 204) this.renamed = next
    else this.#judge(answer)
  }

  async #call(url: string, init: RequestInit): Promise<Answer> {
    const begun = performance.now()
    const answer = await this.#ask(url, init)
    this.slowestMs = Math.max(this.slowestMs, performance.now() - begun)
    return answer
  }

  #judge(answer: Answer): void {
    this.#last = [...this.#last.slice(-2), describe(answer)]
    const isPromised = answer.status === 503 && answer.retryAfter !== null && PORTUGUESE.test(answer.text)
    // A machine that is too busy for its own tests sheds calls; that is another promise.
    if (isPromised || /"overloaded"/.test(answer.text)) this.refused++
    else this.wrong.push(describe(answer))
  }
}

interface Answer {
  status: number
  retryAfter: string | null
  text: string
}

async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) })
    const text = await response.text()
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text }
  } catch (error) {
    const { message, cause } = error as Error
    return { status: 0, retryAfter: null, text: `${message} ${cause instanceof Error ? cause.message : ''}` }
  }
}

/** A connection for one call, from one of the 16 million addresses that Linux has for itself. */
function askFromOwnAddress(url: string, { method, headers, body }: RequestInit = {}): Promise<Answer> {
  const request = url.startsWith('https:') ? requestTls : requestPlain
  return new Promise((resolve) => {
    const fail = ({ message }: Error) => resolve({ status: 0, retryAfter: null, text: message })
    request(
      url,
      {
        method: method ?? 'GET',
        headers: headers as Record<string, string>,
        agent: false,
        family: 4,
        localAddress: `127.${randomAddress().split('.').slice(1).join('.')}`,
        rejectUnauthorized: false,
        signal: AbortSignal.timeout(PATIENCE_MS),
      },
      async (response) => {
        try {
          const text = (await response.setEncoding('utf8').toArray()).join('')
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers['retry-after'] ?? null,
            text,
          })
        } catch (error) {
          fail(error as Error)
        }
      },
    )
      .on('error', fail)
      .end(body as string | undefined)
  })
}

function describe({ status, text }: Answer): string {
  return `${status} ${text.slice(0, 120)}`
}

function randomAddress(): string {
  const byte = () => Math.floor(Math.random() * 254) + 1
  return `${byte()}.${byte()}.${byte()}.${byte()}`
}
