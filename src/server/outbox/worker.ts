import { setTimeout as sleep } from 'node:timers/promises'
import { readClock } from '../db/clock.ts'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { isUnexpired } from '../db/time.ts'
import type { Logger } from '../http/logging/logger.ts'
import {
  type Lane,
  type LaneSource,
  type LaneWork,
  type Outcome,
  type RoundDeps,
  type RoundEnd,
  type Row,
  untouched,
} from './channel.ts'
import { type Claim, claimDue, holdClaims, releaseEveryLease, settleOutcomes } from './queue.ts'

/** Renewed while a round runs. What a killed replica held is free after it; clocks may differ by two thirds of it. */
const LEASE_MS = 30_000

/** Polled beside the timers, which miss another process's row, a clock that jumped, a lease that ended. */
const POLL_MS = 1_000

/** What runs when we are told to stop gets this long before it is cut off and given back. */
const GRACE_MS = 3_000

/** The last rounds take what was put off for a moment, which nobody would look at before the next start. */
const DUE_SOON_MS = 200

/** However much is stored, the queue is looked at so often at most; the first look is at once. */
const LOOK_MS = 50

export interface DeliveryWorkerDeps {
  db: Db
  sources?: readonly LaneSource[]
  log: Pick<Logger, 'error'>
  now?: () => number
  timing?: Partial<{ leaseMs: number; pollMs: number; graceMs: number }>
}

/** Sends what waits in `deliveries`, lane by lane at the same time, for as long as the app runs. */
export class DeliveryWorker {
  readonly #deps: DeliveryWorkerDeps
  readonly #sources: LaneSource[]
  readonly #now: () => number
  readonly #timing
  readonly #stopping = new AbortController()
  readonly #cutOff = new AbortController()
  /** What runs, by lane. */
  readonly #busy = new Map<string, Set<Promise<void>>>()
  /** Lanes that something was stored for while all of their rounds ran. */
  readonly #again = new Set<string>()
  /** Lanes whose last round failed, and when they may run again. */
  readonly #restsUntil = new Map<string, number>()
  #woken = Promise.withResolvers<void>()
  #loop: Promise<void> | null = null

  constructor(deps: DeliveryWorkerDeps) {
    this.#deps = deps
    this.#sources = [...(deps.sources ?? [])]
    this.#now = deps.now ?? Date.now
    this.#timing = { leaseMs: LEASE_MS, pollMs: POLL_MS, graceMs: GRACE_MS, ...deps.timing }
  }

  /** Another kind of job. */
  register(source: LaneSource): void {
    this.#sources.push(source)
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
    const isStarted = this.#loop !== null
    await this.#loop
    await Promise.all([...this.#busy.values()].flatMap((running) => [...running]))
    if (isStarted) await this.#drain()
    clearTimeout(deadline)
  }

  /** What was stored last leaves before the process does: round after round, because a job may cause another. */
  async #drain(): Promise<void> {
    let isMore = true
    while (isMore && !this.#cutOff.signal.aborted) {
      isMore = false
      for (const { last } of this.#sources)
        if (last !== undefined && (await this.#runOnce(last(), DUE_SOON_MS)) === 'more') isMore = true
    }
  }

  async #run(): Promise<void> {
    const { db, log } = this.#deps
    let released = engineOf(db) !== 'sqlite'
    while (!this.#stopping.signal.aborted) {
      const lookedAt = performance.now()
      this.#woken = Promise.withResolvers()
      let pause = this.#timing.pollMs
      try {
        if (!released) await releaseEveryLease(db, this.#now())
        released = true
        const now = this.#now()
        const lanes = (await Promise.all(this.#sources.map((source) => source.list(db, now)))).flat()
        for (const lane of lanes) {
          const waitMs = untilDue(lane, now)
          if (waitMs === 0) this.#begin(lane)
          else pause = Math.min(pause, waitMs)
        }
      } catch (error) {
        log.error({ err: error }, 'deliveries: the queue could not be read')
      }
      await this.#rest(pause)
      const early = LOOK_MS - (performance.now() - lookedAt)
      if (early > 0 && !this.#stopping.signal.aborted) await sleep(early, undefined, { ref: false })
    }
  }

  #begin(lane: Lane): void {
    if (this.#stopping.signal.aborted || (this.#restsUntil.get(lane.key) ?? 0) > performance.now()) return
    const running = this.#busy.get(lane.key) ?? new Set()
    this.#busy.set(lane.key, running)
    if (running.size >= lane.rounds) {
      this.#again.add(lane.key)
      return
    }
    const work = this.#deliver(lane).finally(() => {
      running.delete(work)
      if (running.size === 0) this.#busy.delete(lane.key)
      if (this.#again.delete(lane.key)) this.wake()
    })
    running.add(work)
  }

  /** Round after round while there is something to do, and others beside it as far as the lane allows. */
  async #deliver(lane: Lane): Promise<void> {
    let end = await this.#runOnce(lane)
    for (; end === 'more' && !this.#stopping.signal.aborted; end = await this.#runOnce(lane))
      this.#begin(lane)
    if (end === 'failing') this.#restsUntil.set(lane.key, performance.now() + this.#timing.pollMs)
  }

  /** What becomes due within `aheadMs` counts as due. */
  async #runOnce(lane: Lane, aheadMs = 0): Promise<RoundEnd> {
    const { db, log } = this.#deps
    try {
      return await lane.run({
        db,
        now: () => this.#now() + aheadMs,
        leaseMs: this.#timing.leaseMs,
        signal: this.#cutOff.signal,
      })
    } catch (error) {
      log.error({ err: error, lane: lane.key }, 'deliveries: a round failed')
      return 'done'
    }
  }

  /** Never longer than the poll, so that a clock that jumps is noticed. */
  async #rest(ms: number): Promise<void> {
    const over = new AbortController()
    const timer = sleep(ms, undefined, { ref: false, signal: over.signal }).catch(() => {})
    await Promise.race([timer, this.#woken.promise])
    over.abort()
  }
}

/** A time further ahead than we ever write is a wrong clock's, and counts as past. */
function untilDue({ due, longestDelayMs }: Lane, now: number): number {
  if (due === null) return Number.POSITIVE_INFINITY
  return isUnexpired(due, longestDelayMs, now) ? Date.parse(due) - now : 0
}

/** What has expired by a clock that is not trusted is looked at again after so long. */
const DISTRUST_MS = 10 * 60_000

/** One round of one lane: claims what is due, has it sent, and writes down what became of it. */
export async function runRound<Job extends Row>(
  deps: RoundDeps,
  work: LaneWork<Job>,
): Promise<Outcome<Job>[]> {
  const { db, now, leaseMs } = deps
  const { scope, limit, atMostOnce, backOff } = work
  const claims = await claimDue(db, {
    scope,
    limit,
    atMostOnce,
    leaseMs,
    now: now(),
    longestDelayMs: backOff.longestMs,
  })
  if (claims.length === 0) return []
  const isExpired = ({ expires_at }: Claim) => expires_at !== null && Date.parse(expires_at) <= now()
  const isHeld = claims.some(isExpired) && (await readClock(db)).distrust !== null ? isExpired : () => false
  const held = holdClaims(deps, claims)
  let outcomes: Outcome<Job>[]
  try {
    outcomes = [
      ...(await work.attempt(
        claims.filter((claim) => !isHeld(claim)),
        deps.signal,
      )),
      ...claims.filter(isHeld).map((claim) => untouched(claim as unknown as Job, DISTRUST_MS)),
    ]
  } finally {
    await held.letGo()
  }
  await settleOutcomes(db, work, { claims, outcomes }, now())
  return outcomes
}
