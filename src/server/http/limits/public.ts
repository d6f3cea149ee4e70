import type { FastifyRequest } from 'fastify'
import { MINUTE_MS } from '#contract/durations.ts'
import type { Config } from '#server/config.ts'
import { AppError } from '../errors.ts'
import type { Logger } from '../logging/logger.ts'
import { isFromOwnPage } from '../security/own-origins.ts'
import { clientAddress, coarseNetwork, countedBlocks } from '../sockets/addresses.ts'
import type { Hit, RateCounter } from './counter.ts'
import {
  type CallerLimit,
  ceilingKey,
  ceilingOf,
  type Limit,
  NEWCOMERS,
  PUBLIC_CALLS,
  type PublicCall,
  SAMPLES,
  type Sample,
  type Storable,
} from './limits.ts'

/** What a public endpoint needs to decide whether to accept a call. */
export interface PublicGuard {
  limits: PublicLimits
  siteUrl: string
}

/** Anybody can post to `/api/`: accepted only from our own pages, and within limits per address. */
export function guardPublicPost(
  { limits, siteUrl }: PublicGuard,
  request: FastifyRequest,
  call: PublicCall,
): void {
  if (!isFromOwnPage(request, siteUrl))
    throw new AppError(403, 'cross_site', 'Only pages of this site may call this')
  limitPublicCall(limits, request, call)
}

/** Public from anywhere, within limits per address. */
export function limitPublicCall(limits: PublicLimits, request: FastifyRequest, call: PublicCall): void {
  const wait = limits.takeByAddress(request, call)
  if (wait !== null) throw tooMany(wait, 'too_many_requests', 'Too many requests')
}

/** Beyond the hourly ceiling nothing is stored, and the caller gets 429. */
export function storeWithin<T>(
  { limits }: PublicGuard,
  request: FastifyRequest,
  what: Storable,
  store: (giveBack: () => void) => Promise<T>,
): Promise<T> {
  return limits.storeWithin(what, request, store, (wait) => {
    throw tooMany(wait, 'not_recorded', 'Not recorded: too many were sent to us in this hour')
  })
}

function tooMany(wait: number, code: string, message: string): AppError {
  return new AppError(429, code, message, { retryAfterSeconds: wait })
}

interface PublicLimitsDeps {
  counter: RateCounter
  log: Pick<Logger, 'warn'>
  config: Pick<Config, 'trustProxy'> & Partial<Pick<Config, 'perHour'>>
  /** Called for each row that a ceiling refused. */
  onTurnedAway?: (what: Storable, at: number) => void
}

/** Space for one row, or the seconds until there is. */
type Reservation = { wait: null; giveBack: () => void } | { wait: number }

/** After a log line about refused callers, none about the same kind of call for this long. */
const QUIET_MS = MINUTE_MS

/**
 * Limits for public calls. Each method counts one call and returns null, or counts nothing and returns the seconds to
 * wait.
 */
export class PublicLimits {
  readonly #deps: PublicLimitsDeps
  readonly #quietUntil = new Map<string, number>()

  constructor(deps: PublicLimitsDeps) {
    this.#deps = deps
  }

  /** By the caller's address. */
  takeByAddress(request: FastifyRequest, call: PublicCall, now = Date.now()): number | null {
    const wait = this.#deps.counter.take(hitsOf(request, PUBLIC_CALLS[call], call), now)
    if (wait !== null && this.#breaksSilence(`${call}:address`, now + QUIET_MS, now))
      this.#deps.log.warn({ call, hint: this.#hint(request) }, 'rate limit reached by one address')
    return wait
  }

  /** Whether a report still counts. It refuses nothing and logs nothing. */
  samples(request: FastifyRequest, what: Sample, now = Date.now()): boolean {
    return this.#deps.counter.take(hitsOf(request, SAMPLES[what], what), now) === null
  }

  /**
   * Takes space for one row from the hourly ceiling. A caller that does not store gives it back: the ceiling limits
   * what is stored, not attempts. `from` is the request or its address; null is nobody in particular.
   */
  reserve(what: Storable, from: FastifyRequest | string | null, now = Date.now()): Reservation {
    const { counter, log, onTurnedAway } = this.#deps
    const { max, windowMs, perAddress } = ceilingOf(what, this.#deps.config.perHour ?? {})
    const everybody: Hit = { key: ceilingKey(what), max, windowMs }
    const hits = [everybody]
    const request = typeof from === 'string' ? null : from
    if (from !== null) {
      const address = typeof from === 'string' ? from : clientAddress(from)
      const key = `${what}:hour:${coarseNetwork(address)}`
      const network: Hit = { key, max: Number.POSITIVE_INFINITY, windowMs }
      hits.push(network, { key: `${what}:hour:${countedBlocks(address).own}`, max: perAddress, windowMs })
      if (counter.countOf(network, now) >= NEWCOMERS.perNetwork)
        everybody.max = Math.ceil(max * (1 - NEWCOMERS.share))
    }
    const wait: number | null = counter.take(hits, now)
    if (wait === null) return { wait, giveBack: () => counter.giveBack(hits) }
    if (counter.countOf(everybody, now) < everybody.max) {
      if (this.#breaksSilence(`${what}:hour`, now + QUIET_MS, now))
        log.warn(
          { what, hint: request && this.#hint(request) },
          'hourly storage limit reached by one address',
        )
      return { wait }
    }
    onTurnedAway?.(what, now)
    if (this.#breaksSilence(everybody.key, now + wait * 1000, now))
      log.warn(
        { what, ceiling: max, seconds: wait },
        'hourly ceiling reached: only networks that stored almost nothing this hour may store more',
      )
    return { wait }
  }

  /** Stores within the hourly ceiling; a failure gives the space back. */
  async storeWithin<T>(
    what: Storable,
    from: FastifyRequest | string,
    store: (giveBack: () => void) => Promise<T>,
    refused: (waitSeconds: number) => T,
  ): Promise<T> {
    const reservation = this.reserve(what, from)
    if (reservation.wait !== null) return refused(reservation.wait)
    try {
      return await store(reservation.giveBack)
    } catch (error) {
      reservation.giveBack()
      throw error
    }
  }

  /** By any key, such as the person of a session. */
  take(key: string, limit: Limit, { by = 1, now = Date.now() } = {}): number | null {
    return this.#deps.counter.take([{ key, ...limit, by }], now)
  }

  #breaksSilence(what: string, until: number, now: number): boolean {
    const quietUntil = this.#quietUntil.get(what) ?? 0
    // Further ahead than we ever write: the clock was set back.
    if (quietUntil > now && quietUntil <= until) return false
    this.#quietUntil.set(what, until)
    return true
  }

  #hint(request: FastifyRequest): string | null {
    const looksProxied =
      this.#deps.config.trustProxy === false && request.headers['x-forwarded-for'] !== undefined
    return looksProxied ? 'every visitor may share it: TRUST_PROXY is not set' : null
  }
}

function hitsOf(request: FastifyRequest, { perAddress, perNetwork }: CallerLimit, what: string): Hit[] {
  const { own, network } = countedBlocks(clientAddress(request))
  const hit: Hit = { key: `${what}:address:${own}`, ...perAddress }
  return network === null ? [hit] : [hit, { key: `${what}:network:${network}`, ...perNetwork }]
}
