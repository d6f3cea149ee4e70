import { setTimeout as sleep } from 'node:timers/promises'
import { engineOf } from '../db/column-types.ts'
import type { Logger } from '../http/logger.ts'
import { LONGEST_DELAY_MS } from './back-off.ts'
import { releaseEveryLease } from './claim-due.ts'
import { deliverSome } from './deliver-some.ts'
import { listSending, type SendingPixel } from './list-sending.ts'
import type { OutgoingClient } from './outgoing-client.ts'
import type { TargetDeps } from './read-target.ts'
import type { Outcome, Stop } from './settle-jobs.ts'

/** Longer than a round can take, with room for replicas whose clocks differ. */
const LEASE_MS = 5 * 60_000
/** Polled beside the timers, which miss another process's event, a clock that jumped, a lease that ended. */
const POLL_MS = 1_000
/** What runs when we are told to stop gets this long before it is cut off and given back. */
const GRACE_MS = 3_000
const CLOCK_TOLERANCE_MS = 60_000

export interface DeliveryWorkerDeps extends TargetDeps {
  client: OutgoingClient
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** A pixel's sending stopped: somebody has to know. */
  onStopped?: (pixel: { id: string; name: string }, stop: Stop) => void
  onSettled?: (outcome: Outcome) => void
  now?: () => number
  timing?: Partial<{ leaseMs: number; pollMs: number; graceMs: number }>
}

/** Tells each destination of what waits for it; a slow one holds up none of the others. */
export class DeliveryWorker {
  readonly #deps: DeliveryWorkerDeps
  readonly #now: () => number
  readonly #timing
  readonly #stopping = new AbortController()
  readonly #cutOff = new AbortController()
  readonly #busy = new Map<string, Promise<void>>()
  #woken = Promise.withResolvers<void>()
  #loop: Promise<void> | null = null

  constructor(deps: DeliveryWorkerDeps) {
    this.#deps = deps
    this.#now = deps.now ?? Date.now
    this.#timing = { leaseMs: LEASE_MS, pollMs: POLL_MS, graceMs: GRACE_MS, ...deps.timing }
  }

  start(): void {
    this.#loop ??= this.#run()
  }

  /** Something was stored: look at once. */
  wake(): void {
    this.#woken.resolve()
  }

  /** Takes nothing more, lets what runs finish or gives it back, and resolves when the database is no longer used. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    const deadline = setTimeout(() => this.#cutOff.abort(), this.#timing.graceMs)
    await this.#loop
    await Promise.all(this.#busy.values())
    clearTimeout(deadline)
  }

  async #run(): Promise<void> {
    let released = engineOf(this.#deps.db) !== 'sqlite'
    while (!this.#stopping.signal.aborted) {
      this.#woken = Promise.withResolvers()
      try {
        if (!released) await releaseEveryLease(this.#deps.db, this.#now())
        released = true
        const now = this.#now()
        for (const pixel of await listSending(this.#deps.db, now)) if (isDue(pixel, now)) this.#begin(pixel)
      } catch (error) {
        this.#deps.log.error({ err: error }, 'deliveries: the queue could not be read')
      }
      await this.#rest()
    }
  }

  #begin(pixel: SendingPixel): void {
    if (this.#busy.has(pixel.id) || this.#stopping.signal.aborted) return
    const work = this.#deliver(pixel)
      .catch((error) => this.#deps.log.error({ err: error, pixel: pixel.id }, 'deliveries: a round failed'))
      .finally(() => this.#busy.delete(pixel.id))
    this.#busy.set(pixel.id, work)
  }

  /** Round after round while there is something to do. */
  async #deliver(pixel: SendingPixel): Promise<void> {
    for (let goesOn = true; goesOn && !this.#stopping.signal.aborted; ) {
      const { outcomes, stop, isFirstToStop } = await deliverSome(
        { ...this.#deps, now: this.#now, leaseMs: this.#timing.leaseMs, signal: this.#cutOff.signal },
        pixel.id,
      )
      for (const outcome of outcomes) this.#deps.onSettled?.(outcome)
      if (stop !== null && isFirstToStop) {
        this.#deps.log.warn({ pixel: pixel.id, reason: stop.code }, 'deliveries: sending for a pixel stopped')
        this.#deps.onStopped?.(pixel, stop)
      }
      goesOn = outcomes.some(({ state }) => state !== 'waiting') && stop === null
    }
  }

  async #rest(): Promise<void> {
    const over = new AbortController()
    const timer = sleep(this.#timing.pollMs, undefined, { ref: false, signal: over.signal }).catch(() => {})
    await Promise.race([timer, this.#woken.promise])
    over.abort()
  }
}

/** A time further ahead than we ever write is a wrong clock's, and counts as past. */
function isDue({ due }: SendingPixel, now: number): boolean {
  if (due === null) return false
  const ahead = Date.parse(due) - now
  return ahead <= 0 || ahead > LONGEST_DELAY_MS + CLOCK_TOLERANCE_MS
}
