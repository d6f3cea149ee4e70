import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { CreatedOutcomeKey, OutcomeReport, OutcomeResults } from '#contract/outcomes.ts'

const NAME = 'primeira_venda'
/** In cents. Summed as floats, a few of them are already wrong. */
const VALUE = 10
const PER_CALL = 3
/** Of every vendor, so that each can match the outcome. */
const CLICKS = 'gclid=GCLICK&fbclid=FCLICK&ttclid=TCLICK&li_fat_id=LCLICK'

type Send = (method: string, path: string, body?: object) => Promise<Response>

/**
 * The customer's system: reports outcomes while everything breaks. It sends each call to two servers at once, each until
 * it is answered with 200.
 */
export class OutcomeReporter {
  /** Outcomes that were answered with 200, and how often their id was new. */
  readonly #answered = new Map<string, number>()
  readonly #faults = new Set<string>()
  #repeated = 0
  /** Of the next outcome. */
  #time = Date.now() - 3_600_000
  readonly #admin: Send
  /** Of a call to `/api/outcomes`. */
  readonly headers: Record<string, string>

  private constructor(admin: Send, key: string) {
    this.#admin = admin
    this.headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  }

  /** `events`: by name of a pixel, the vendor's event for the outcome. */
  static async prepare(
    url: string,
    headers: Record<string, string>,
    events: Readonly<Record<string, string>>,
  ): Promise<OutcomeReporter> {
    const admin: Send = async (method, path, body) => {
      const init = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await fetch(`${url}/admin/api/outcomes${path}`, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...init,
      })
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
      return response
    }
    await admin('POST', '/names', { name: NAME, label: 'Primeira venda' })
    const made = await admin('POST', '/keys', { name: 'Loja', mode: 'live' })
    const { key } = (await made.json()) as CreatedOutcomeKey
    const { destinations } = (await (await admin('GET', '')).json()) as OutcomeReport
    for (const { id, name } of destinations)
      if (events[name] !== undefined)
        await admin('PUT', `/names/${NAME}/destinations/${id}`, { event: events[name], sends_value: true })
    return new OutcomeReporter(admin, key)
  }

  get count(): number {
    return this.#answered.size
  }

  /** The code of a visit whose visitor agreed. */
  static async visit(url: string, cookie: string): Promise<string> {
    const code = `v_${randomBytes(16).toString('hex')}`
    const { status } = await fetch(`${url}/api/visits`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify({ code, query: `?utm_source=x&utm_campaign=novembro&${CLICKS}` }),
    })
    if (status !== 204) throw new Error(`/api/visits: HTTP ${status}`)
    return code
  }

  /** Resolves when both copies were answered. */
  async report(urls: () => readonly [string, string], visit: string): Promise<void> {
    const calls = Array.from({ length: PER_CALL }, () => ({
      name: NAME,
      id: randomUUID(),
      visit,
      value: '0.10',
      currency: 'BRL',
      // No two at the same moment: Google Analytics gets nothing else to tell them apart.
      time: new Date(this.#time--).toISOString(),
    }))
    const copies = await Promise.all(
      [0, 1].map((copy) => this.#untilAnswered(() => urls()[copy] ?? '', calls)),
    )
    for (const { results } of copies)
      for (const { id, status, code } of results) {
        if (status !== 'accepted' && status !== 'duplicate') this.#faults.add(`answered ${status} ${code}`)
        if (status === 'duplicate') this.#repeated++
        this.#answered.set(id ?? '', (this.#answered.get(id ?? '') ?? 0) + (status === 'accepted' ? 1 : 0))
      }
  }

  async #untilAnswered(url: () => string, calls: readonly object[]): Promise<OutcomeResults> {
    for (;;) {
      const response = await fetch(`${url()}/api/outcomes`, {
        method: 'POST',
        headers: this.headers,
        body: JSON.stringify(calls),
        signal: AbortSignal.timeout(30_000),
      }).catch(() => null)
      if (response?.status === 200) {
        const answer = await response.json().catch(() => null)
        if (answer !== null) return answer as OutcomeResults
      } else if (response !== null && response.status !== 503)
        throw new Error(`/api/outcomes: ${response.status} ${await response.text()}`)
      await wait(50)
    }
  }

  /** Throws unless each is counted once, with its value, at every destination. */
  async assertCounted(events: Readonly<Record<string, string>>): Promise<string> {
    const faults = [...this.#faults]
    const more = [...this.#answered.values()].filter((times) => times > 1).length
    if (more > 0) faults.push(`${more} outcomes were new more than once`)
    const { totals, rows, destinations } = (await (await this.#admin('GET', '')).json()) as OutcomeReport
    const all = this.count
    if (all === 0) faults.push('no outcome was answered')
    if (totals.count !== all || totals.tied !== all)
      faults.push(`${totals.count} outcomes counted, ${totals.tied} tied, ${all} answered`)
    const value = `${Math.floor((all * VALUE) / 100)}.${String((all * VALUE) % 100).padStart(2, '0')}`
    if (totals.values[0]?.tied !== value) faults.push(`value ${totals.values[0]?.tied} instead of ${value}`)
    const deliveries = rows.find(({ name }) => name === NAME)?.deliveries ?? []
    for (const { pixel_id, states, not_sent } of deliveries) {
      const name = destinations.find(({ id }) => id === pixel_id)?.name ?? ''
      const { accepted, unconfirmed, refused, waiting } = states
      const settled = accepted + unconfirmed + refused
      if (events[name] !== undefined && (settled !== all || not_sent !== 0 || waiting !== 0))
        faults.push(`${name} has ${settled} of ${all} outcomes: ${JSON.stringify({ ...states, not_sent })}`)
    }
    if (faults.length > 0) throw new Error(faults.join('; '))
    return `${all} outcomes counted once with a value of ${value}, ${this.#repeated} answers were duplicate`
  }
}
