import type { FastifyInstance } from 'fastify'
import { DAY_MS, HOUR_MS } from '#contract/durations.ts'
import { OUTCOMES_PATH, type OutcomeResults } from '#contract/outcomes.ts'
import type { Random } from './random.ts'
import type { Converted } from './visitors.ts'

/** The outcomes that the company's system reports, by their names on the wire. */
export const DEMO_OUTCOMES = { conta_aprovada: 'Conta aprovada', primeira_venda: 'Primeira venda' } as const

export type DemoOutcome = keyof typeof DEMO_OUTCOMES

interface Outcome {
  name: DemoOutcome
  id: string
  time: string
  visit?: string
  value?: string
  currency?: string
}

/** The company's own system: it approves accounts after the click, sees first sales, and reports both. */
export class Customers {
  readonly #random: Random
  #due: { at: number; outcome: Outcome }[] = []
  #accounts = 0

  constructor(random: Random) {
    this.#random = random
  }

  /** A click on "Abrir Conta" or a conversation that may become a customer. */
  add({ at, conversion, visit }: Converted): void {
    const random = this.#random
    if (conversion === 'sign_up' || !random.chance(0.4)) return
    const id = String(++this.#accounts).padStart(5, '0')
    const approvedAt = at + random.around(1.4) * DAY_MS
    this.#note('conta_aprovada', `conta-${id}`, approvedAt, visit)
    if (!random.chance(0.55)) return
    const value = random.around(180, 0.8).toFixed(2)
    const soldAt = approvedAt + random.around(30) * HOUR_MS
    this.#note('primeira_venda', `venda-${id}`, soldAt, visit, { value, currency: 'BRL' })
  }

  /** Reports everything until now, in one call. Without a key, the system is not connected yet. */
  async report(app: FastifyInstance, key: string | null, now: number): Promise<void> {
    const due = this.#due.filter(({ at }) => at <= now)
    this.#due = this.#due.filter(({ at }) => at > now)
    if (key === null || due.length === 0) return
    const response = await app.inject({
      method: 'POST',
      url: OUTCOMES_PATH,
      headers: { authorization: `Bearer ${key}` },
      payload: due.map(({ outcome }) => outcome),
    })
    const { results = [] } = response.json<Partial<OutcomeResults>>()
    if (response.statusCode !== 200 || results.some(({ status }) => status === 'refused'))
      throw new Error(`outcomes were answered with ${response.statusCode}: ${response.body}`)
  }

  #note(name: DemoOutcome, id: string, at: number, visit: string | null, more: Partial<Outcome> = {}): void {
    const time = new Date(at).toISOString()
    this.#due.push({ at, outcome: { name, id, time, ...(visit === null ? {} : { visit }), ...more } })
  }
}
