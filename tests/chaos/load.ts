import { randomUUID } from 'node:crypto'
import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from './scenario.ts'
import type { Administrator } from './sign-in.ts'

/** This many acknowledged subscriptions show that everything works. */
const ENOUGH = 10
/** Longer than any promise; anything slower counts as no response. */
const PATIENCE_MS = 30_000
const PORTUGUESE = /indispon|novamente|de novo/i

/** Visitors, subscribers and an administrator, continuously, on every process. */
export class Load {
  visits = 0
  /** Every response that was not the page. */
  readonly failedVisits: string[] = []
  /** Successful subscriptions, by address. */
  readonly acknowledged = new Set<string>()
  /** Calls that got 503 with Retry-After, as promised. */
  refused = 0
  /** Calls that a machine without processor time sent away: that is another promise. */
  shed = 0
  /** Responses that were neither a success nor the promised refusal. */
  readonly wrong: string[] = []
  /** The slowest response. */
  slowestMs = 0
  /** The last acknowledged name of the pixel, as a number. */
  renamed = 0
  /** The last failures. */
  last: readonly string[] = []
  #stopped = false
  readonly #pauseMs: number
  readonly #ask: typeof ask
  #running: Promise<unknown>

  /** Through a proxy, which sets the client address, each call comes from its own address. */
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

  /** Waits until subscriptions and the administrator's changes succeed again. */
  async untilWorking(): Promise<void> {
    const enough = this.acknowledged.size + ENOUGH
    const next = this.renamed + 1
    await until('calls succeed', () => this.acknowledged.size >= enough && this.renamed >= next).catch(
      (error: Error) => {
        const missing = [`${enough - this.acknowledged.size} subscriptions`, `${next - this.renamed} changes`]
        throw new Error(`${error.message}; missing ${missing.join(', ')}; last answers: ${this.last}`)
      },
    )
  }

  /** Waits for one more 503: the failure has been noticed. */
  async untilRefused(): Promise<void> {
    const next = this.refused + 1
    await until('calls are answered with 503', () => this.refused >= next)
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
      // Each from its own address: limits are not tested here.
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
    this.last = [...this.last.slice(-2), describe(answer)]
    const isPromised = answer.status === 503 && answer.retryAfter !== null && PORTUGUESE.test(answer.text)
    if (/"overloaded"/.test(answer.text)) this.shed++
    else if (isPromised) this.refused++
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

/** A connection per call, from one of Linux's 16 million loopback addresses. */
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
