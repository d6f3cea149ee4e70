import type { FastifyRequest } from 'fastify'
import type { Config } from '#server/config.ts'
import { AppError } from '../errors.ts'
import type { Logger } from '../logging/logger.ts'
import { isFromOwnPage } from '../security/own-origins.ts'
import { clientAddress, coarseNetwork, countedBlocks } from '../sockets/addresses.ts'
import type { Hit, RateCounter } from './counter.ts'
import {
  type CallerLimit,
  type Ceiling,
  HOURLY_CEILINGS,
  type Limit,
  NEWCOMERS,
  PUBLIC_CALLS,
  type PublicCall,
  SAMPLES,
  type Sample,
  type Storable,
} from './limits.ts'

/** What a public endpoint needs to know who it may listen to. */
export interface PublicGuard {
  limits: PublicLimits
  siteUrl: string
}

/** Anyone can post to `/api/`, so: only from our own pages, and only so often from one place. */
export function guardPublicPost(
  { limits, siteUrl }: PublicGuard,
  request: FastifyRequest,
  call: PublicCall,
): void {
  if (!isFromOwnPage(request, siteUrl))
    throw new AppError(403, 'cross_site', 'Only pages of this site may call this')
  limitPublicCall(limits, request, call)
}

/** What anyone may ask from anywhere, but only so often from one place. */
export function limitPublicCall(limits: PublicLimits, request: FastifyRequest, call: PublicCall): void {
  const wait = limits.takeByAddress(request, call)
  if (wait !== null) throw tooMany(wait, 'too_many_requests', 'Too many requests')
}

/** Past the hour's ceiling nothing is stored, and the caller is told so. */
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
  return new AppError(429, code, message, { headers: { 'retry-after': String(wait) } })
}

interface PublicLimitsDeps {
  counter: RateCounter
  log: Pick<Logger, 'warn'>
  config: Pick<Config, 'trustProxy'> & Partial<Pick<Config, 'eventsPerHour'>>
  /** Told of each thing that a ceiling kept from being stored. */
  onTurnedAway?: (what: Storable, at: number) => void
}

/** Room for one thing, or after how many seconds to come back. */
type Room = { wait: null; giveBack: () => void } | { wait: number }

/** A line in the log about callers that are refused, and then none about the same kind of call for this long. */
const QUIET_MS = 60_000

/**
 * How often anyone may call what anyone can call. Each method counts one call and answers null, or counts nothing and
 * answers after how many seconds to come back.
 */
export class PublicLimits {
  readonly #deps: PublicLimitsDeps
  readonly #quietUntil = new Map<string, number>()

  constructor(deps: PublicLimitsDeps) {
    this.#deps = deps
  }

  /** By where the call comes from. */
  takeByAddress(request: FastifyRequest, call: PublicCall, now = Date.now()): number | null {
    const wait = this.#deps.counter.take(hitsOf(request, PUBLIC_CALLS[call], call), now)
    if (wait !== null && this.#breaksSilence(`${call}:address`, now + QUIET_MS, now))
      this.#deps.log.warn({ call, hint: this.#hint(request) }, 'one address calls too often')
    return wait
  }

  /** Whether what a caller says still counts; nobody is refused anything by it, and nothing is said of it. */
  samples(request: FastifyRequest, what: Sample, now = Date.now()): boolean {
    return this.#deps.counter.take(hitsOf(request, SAMPLES[what], what), now) === null
  }

  /**
   * Takes room for one thing out of what everybody together may store in an hour. Whoever then does not store it gives it
   * back: the ceiling bounds what is stored, and not what was tried. `from` is the request or its
   * address; null is nobody in particular.
   */
  reserve(what: Storable, from: FastifyRequest | string | null, now = Date.now()): Room {
    const { counter, log, onTurnedAway } = this.#deps
    const { max, windowMs, perAddress } = this.#ceilingOf(what)
    const everybody: Hit = { key: `${what}:everybody`, max, windowMs }
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
        log.warn({ what, hint: request && this.#hint(request) }, 'one address stores too much in an hour')
      return { wait }
    }
    onTurnedAway?.(what, now)
    if (this.#breaksSilence(everybody.key, now + wait * 1000, now))
      log.warn(
        { what, ceiling: max, seconds: wait },
        'ceiling reached: until the hour is over, only networks that stored next to nothing in it may store this',
      )
    return { wait }
  }

  /** Stores within the hour's ceiling; what fails, or says so, is given back. */
  async storeWithin<T>(
    what: Storable,
    from: FastifyRequest | string,
    store: (giveBack: () => void) => Promise<T>,
    refused: (waitSeconds: number) => T,
  ): Promise<T> {
    const room = this.reserve(what, from)
    if (room.wait !== null) return refused(room.wait)
    try {
      return await store(room.giveBack)
    } catch (error) {
      room.giveBack()
      throw error
    }
  }

  #ceilingOf(what: Storable): Ceiling {
    const { eventsPerHour } = this.#deps.config
    const ceiling = HOURLY_CEILINGS[what]
    return what === 'event' && eventsPerHour !== undefined ? { ...ceiling, max: eventsPerHour } : ceiling
  }

  /** By anything else, such as the person whose session it is. */
  take(key: string, limit: Limit, now = Date.now()): number | null {
    return this.#deps.counter.take([{ key, ...limit }], now)
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
