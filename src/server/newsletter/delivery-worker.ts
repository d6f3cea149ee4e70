import { setTimeout as sleep } from 'node:timers/promises'
import { engineOf } from '../db/column-types.ts'
import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logger.ts'
import { claimDue, findNextDue, releaseEveryLease } from './claim-due.ts'
import { type DeliveryResult, postWebhook } from './post-webhook.ts'
import { type Attempt, settleAttempts } from './settle-attempts.ts'

/** Few at a time: ten thousand that wait must slow neither the page nor the webhook. */
const CONCURRENCY = 10
const TIMEOUT_MS = 10_000
/** Longer than an attempt can take, with room for replicas whose clocks differ. */
const LEASE_MS = 30_000
/** Polled beside the timers, which miss another process's subscription, a clock that jumped, a lease that ended. */
const POLL_MS = 5_000
/** What runs when we are told to stop gets this long before it is cut off and given back. */
const GRACE_MS = 3_000

export interface DeliveryWorkerDeps {
  db: Db
  webhook: { readonly webhookUrl: string | null; readonly webhookSecret: string | null }
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Told what each attempt came to. */
  onSettled?: (outcome: DeliveryResult['kind']) => void
  now?: () => number
  timing?: Partial<{ timeoutMs: number; leaseMs: number; pollMs: number; graceMs: number }>
}

/**
 * Posts each stored subscription to the webhook until it is taken. Without a webhook nothing is sent, and all is kept.
 */
export class DeliveryWorker {
  readonly #deps: DeliveryWorkerDeps
  readonly #now: () => number
  readonly #timing
  readonly #stopping = new AbortController()
  readonly #cutOff = new AbortController()
  #woken = Promise.withResolvers<void>()
  #loop: Promise<void> | null = null
  #failing = false

  constructor(deps: DeliveryWorkerDeps) {
    this.#deps = deps
    this.#now = deps.now ?? Date.now
    this.#timing = {
      timeoutMs: TIMEOUT_MS,
      leaseMs: LEASE_MS,
      pollMs: POLL_MS,
      graceMs: GRACE_MS,
      ...deps.timing,
    }
  }

  start(): void {
    if (this.#deps.webhook.webhookUrl === null || this.#loop !== null) return
    this.#loop = this.#run(this.#deps.webhook.webhookUrl)
  }

  /** A subscription was stored: look at once. */
  wake(): void {
    this.#woken.resolve()
  }

  /** Takes nothing more, lets what runs finish or gives it back, and resolves when the database is no longer used. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    const deadline = setTimeout(() => this.#cutOff.abort(), this.#timing.graceMs)
    await this.#loop
    clearTimeout(deadline)
  }

  async #run(url: string): Promise<void> {
    let released = engineOf(this.#deps.db) !== 'sqlite'
    while (!this.#stopping.signal.aborted) {
      this.#woken = Promise.withResolvers()
      let pause = this.#timing.pollMs
      try {
        if (!released) await releaseEveryLease(this.#deps.db)
        released = true
        if (await this.#deliverSome(url)) continue
        pause = await this.#untilNextDue()
      } catch (error) {
        this.#deps.log.error({ err: error }, 'newsletter: the queue could not be read or written')
      }
      await this.#rest(pause)
    }
  }

  async #deliverSome(url: string): Promise<boolean> {
    const { db, webhook } = this.#deps
    const { leaseMs, timeoutMs } = this.#timing
    const claimed = await claimDue(db, { now: this.#now(), limit: CONCURRENCY, leaseMs })
    if (claimed.length === 0) return false
    const target = { url, secret: webhook.webhookSecret, timeoutMs }
    const attempts = await Promise.all(
      claimed.map(async (subscription) => ({
        subscription,
        result: await postWebhook(target, subscription, this.#cutOff.signal),
      })),
    )
    await settleAttempts(db, attempts, this.#now())
    for (const { result } of attempts) this.#deps.onSettled?.(result.kind)
    this.#tell(attempts)
    return true
  }

  /** Says when deliveries begin to fail and when they work again: a line per attempt would fill the log for a week. */
  #tell(attempts: readonly Attempt[]): void {
    const failure = attempts.map(({ result }) => result).find((result) => result.kind === 'failed')
    const delivered = attempts.some(({ result }) => result.kind === 'delivered')
    if (failure !== undefined && !delivered && !this.#failing) {
      this.#failing = true
      this.#deps.log.warn({ reason: failure.reason }, 'newsletter: the webhook does not take subscriptions')
    } else if (delivered && this.#failing) {
      this.#failing = false
      this.#deps.log.info('newsletter: the webhook takes subscriptions again')
    }
  }

  /** Never longer than the poll, so that a clock that jumps is noticed. */
  async #untilNextDue(): Promise<number> {
    const now = this.#now()
    const next = await findNextDue(this.#deps.db, now)
    return next === null ? this.#timing.pollMs : Math.min(next - now, this.#timing.pollMs)
  }

  async #rest(ms: number): Promise<void> {
    const over = new AbortController()
    const timer = sleep(ms, undefined, { ref: false, signal: over.signal }).catch(() => {})
    await Promise.race([timer, this.#woken.promise])
    over.abort()
  }
}
