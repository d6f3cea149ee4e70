import { setTimeout as sleep } from 'node:timers/promises'
import { MINUTE_MS } from '#contract/durations.ts'
import { readClock } from '../db/clock.ts'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { isUnexpired } from '../db/time.ts'
import type { Logger } from '../http/logging/logger.ts'
import {
  type Channel,
  type ChannelWork,
  type Lane,
  type Outcome,
  type RoundDeps,
  type RoundEnd,
  type Row,
  untouched,
} from './channel.ts'
import { type Claim, claimDue, holdClaims, laneOf, releaseEveryLease, settleOutcomes } from './queue.ts'
import { noteRest, readRests, restLeft, takeProbe } from './rest.ts'

/** Renewed while a round runs. Jobs of a killed process are free after it; clocks may differ by two thirds of it. */
const LEASE_MS = 30_000

/** Polled beside the timers, which miss rows of other processes, clock jumps and ended leases. */
const POLL_MS = 1_000

/** When stopping, running rounds get this long before they are cut off and returned. */
const GRACE_MS = 3_000

/** The last rounds also take jobs that are due in a moment, which would otherwise wait for the next start. */
const DUE_SOON_MS = 200

/** The queue is read at most this often; the first read is immediate. */
const LOOK_MS = 50

export interface OutboxWorkerDeps {
  db: Db
  channels?: readonly Channel[]
  log: Pick<Logger, 'error'>
  now?: () => number
  timing?: Partial<{ leaseMs: number; pollMs: number; graceMs: number }>
}

/** Sends the jobs in `deliveries`, all lanes in parallel, while the app runs. */
export class OutboxWorker {
  readonly #deps: OutboxWorkerDeps
  readonly #channels: Channel[]
  readonly #now: () => number
  readonly #timing
  readonly #stopping = new AbortController()
  readonly #cutOff = new AbortController()
  /** Running rounds by lane. */
  readonly #busy = new Map<string, Set<Promise<void>>>()
  /** Lanes that got a job while all their rounds ran. */
  readonly #again = new Set<string>()
  #woken = Promise.withResolvers<void>()
  #loop: Promise<void> | null = null

  constructor(deps: OutboxWorkerDeps) {
    this.#deps = deps
    this.#channels = [...(deps.channels ?? [])]
    this.#now = deps.now ?? Date.now
    this.#timing = { leaseMs: LEASE_MS, pollMs: POLL_MS, graceMs: GRACE_MS, ...deps.timing }
  }

  /** Adds a kind of job. */
  register(channel: Channel): void {
    this.#channels.push(channel)
  }

  start(): void {
    this.#loop ??= this.#run()
  }

  /** Reads the queue at once. */
  wake(): void {
    this.#woken.resolve()
  }

  /** Sends due jobs now and resolves when that is done: for a worker that is not started, with a manual clock. */
  async runDue(isWanted: (lane: Lane) => boolean = () => true): Promise<void> {
    const finished = new Set<string>()
    for (;;) {
      const now = this.#now()
      const lists = await Promise.all(this.#channels.map((channel) => channel.list(this.#deps.db, now)))
      const due = lists
        .flat()
        .filter((lane) => isWanted(lane) && !finished.has(lane.key) && untilDue(lane, now) === 0)
      if (due.length === 0) return
      for (const lane of due) {
        let end = await this.#runOnce(lane)
        while (end === 'more') end = await this.#runOnce(lane)
        finished.add(lane.key)
      }
    }
  }

  /** Takes no more jobs, lets running ones finish or returns them, and resolves when the database is no longer used. */
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

  /** Sends the last jobs before the process ends, in several rounds, because a job may cause another. */
  async #drain(): Promise<void> {
    let isMore = true
    while (isMore && !this.#cutOff.signal.aborted) {
      isMore = false
      for (const { last } of this.#channels)
        if (last !== undefined && (await this.#runOnce(last(), { aheadMs: DUE_SOON_MS })) === 'more')
          isMore = true
    }
  }

  async #run(): Promise<void> {
    const { db, log } = this.#deps
    let released = engineOf(db) !== 'sqlite'
    let isFailing = false
    while (!this.#stopping.signal.aborted) {
      const lookedAt = performance.now()
      this.#woken = Promise.withResolvers()
      let pause = this.#timing.pollMs
      try {
        if (!released) await releaseEveryLease(db, this.#now())
        released = true
        const now = this.#now()
        // One after the other: together they would hold a connection each, in every idle process.
        for (const channel of this.#channels)
          pause = Math.min(pause, ...(await this.#beginDue(await channel.list(db, now), now)))
        isFailing = false
      } catch (error) {
        // Logged once: the queue is read every second.
        if (!isFailing) log.error({ err: error }, 'outbox: queue could not be read')
        isFailing = true
      }
      await this.#rest(pause)
      const early = LOOK_MS - (performance.now() - lookedAt)
      if (early > 0 && !this.#stopping.signal.aborted) await sleep(early, undefined, { ref: false })
    }
  }

  /** Begins the due lanes that do not rest, and returns how long the others wait. */
  async #beginDue(lanes: readonly Lane[], now: number): Promise<number[]> {
    const { db } = this.#deps
    const due = lanes.filter((lane) => untilDue(lane, now) === 0)
    const rests = due.length === 0 ? new Map<string, string>() : await readRests(db)
    const waits = lanes.map((lane) => untilDue(lane, now)).filter((ms) => ms > 0)
    for (const lane of due) {
      const until = rests.get(lane.key)
      const left = until === undefined ? 0 : restLeft(until, now)
      if (left > 0) waits.push(left)
      else if (until === undefined) this.#begin(lane)
      else if (!this.#busy.has(lane.key)) {
        const failures = await takeProbe(db, {
          lane: lane.key,
          until,
          now,
          leaseMs: this.#timing.leaseMs,
        })
        if (failures !== null) this.#begin(lane, failures)
      }
    }
    return waits
  }

  #begin(lane: Lane, failures: number | null = null): void {
    if (this.#stopping.signal.aborted) return
    const running = this.#busy.get(lane.key) ?? new Set()
    this.#busy.set(lane.key, running)
    if (running.size >= lane.rounds) {
      this.#again.add(lane.key)
      return
    }
    const work = this.#deliver(lane, failures).finally(() => {
      running.delete(work)
      if (running.size === 0) this.#busy.delete(lane.key)
      if (this.#again.delete(lane.key)) this.wake()
    })
    running.add(work)
  }

  /** Runs rounds while there is work, in parallel as far as the lane allows. */
  async #deliver(lane: Lane, failures: number | null): Promise<void> {
    let end = await this.#runOnce(lane, { failures })
    for (; end === 'more' && !this.#stopping.signal.aborted; end = await this.#runOnce(lane))
      this.#begin(lane)
  }

  /** Jobs due within `aheadMs` count as due. `failures` is for a lane that rested. */
  async #runOnce(
    lane: Lane,
    { aheadMs = 0, failures = null }: { aheadMs?: number; failures?: number | null } = {},
  ): Promise<RoundEnd> {
    const { db, log } = this.#deps
    try {
      return await lane.run({
        db,
        now: () => this.#now() + aheadMs,
        leaseMs: this.#timing.leaseMs,
        signal: this.#cutOff.signal,
        failures,
      })
    } catch (error) {
      log.error({ err: error, lane: lane.key }, 'outbox: round failed')
      return 'done'
    }
  }

  /** Never longer than the poll, so that a clock jump is noticed. */
  async #rest(ms: number): Promise<void> {
    const over = new AbortController()
    const timer = sleep(ms, undefined, { ref: false, signal: over.signal }).catch(() => {})
    await Promise.race([timer, this.#woken.promise])
    over.abort()
  }
}

/** A time further ahead than we ever write comes from a wrong clock and counts as past. */
function untilDue({ due, longestDelayMs }: Lane, now: number): number {
  if (due === null) return Number.POSITIVE_INFINITY
  return isUnexpired(due, longestDelayMs, now) ? Date.parse(due) - now : 0
}

/** Jobs that expired by an untrusted clock are looked at again after this time. */
const DISTRUST_MS = 10 * MINUTE_MS

/** One round of a lane: claims due jobs, sends them and stores the outcomes. */
export async function runRound<Job extends Row>(
  deps: RoundDeps,
  work: ChannelWork<Job>,
): Promise<Outcome<Job>[]> {
  const { db, now, leaseMs, failures = null } = deps
  const { scope, atMostOnce, backOff } = work
  const limit = failures === null ? work.limit : 1
  const claims = await claimDue(db, {
    scope,
    limit,
    atMostOnce,
    leaseMs,
    now: now(),
    longestDelayMs: backOff.longestMs,
  })
  if (claims.length === 0) {
    if (failures !== null) await noteRest(db, laneOf(scope), { outcomes: [], failures, now: now() })
    return []
  }
  const isExpired = ({ expires_at }: Claim) => expires_at !== null && Date.parse(expires_at) <= now()
  const isHeld = claims.some(isExpired) && (await readClock(db)).distrust !== null ? isExpired : () => false
  const held = holdClaims(deps, claims)
  try {
    const outcomes = [
      ...(await work.attempt(
        claims.filter((claim) => !isHeld(claim)),
        deps.signal,
      )),
      ...claims.filter(isHeld).map((claim) => untouched(claim as unknown as Job, DISTRUST_MS)),
    ]
    await held.settle(() => settleOutcomes(db, work, { claims, outcomes, failures }, now()))
    return outcomes
  } finally {
    await held.letGo()
  }
}
