import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { countedBlocks } from './address-block.ts'
import { clientAddress } from './client-address.ts'
import type { Allowance, Hit, HitCounter } from './hit-counter.ts'
import {
  HOURLY_CEILINGS,
  PUBLIC_ALLOWANCES,
  type PublicAllowance,
  type PublicCall,
  SAMPLES,
  type Sample,
  type Storable,
} from './limits.ts'
import type { Logger } from './logger.ts'

interface PublicLimitsDeps {
  counter: HitCounter
  log: Pick<Logger, 'warn'>
  config: Pick<Config, 'trustProxy'>
}

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
    const wait = this.#deps.counter.take(hitsOf(request, PUBLIC_ALLOWANCES[call], call), now)
    if (wait !== null && this.#breaksSilence(`${call}:address`, now + QUIET_MS, now))
      this.#deps.log.warn({ call, hint: this.#hint(request) }, 'one address calls too often')
    return wait
  }

  /** Whether what a caller says still counts; nobody is refused anything by it, and nothing is said of it. */
  samples(request: FastifyRequest, what: Sample, now = Date.now()): boolean {
    return this.#deps.counter.take(hitsOf(request, SAMPLES[what], what), now) === null
  }

  /** Something is about to be stored, out of what everybody together may store in an hour. */
  reserve(what: Storable, now = Date.now()): number | null {
    const ceiling = HOURLY_CEILINGS[what]
    const key = `${what}:everybody`
    const wait = this.take(key, ceiling, now)
    if (wait !== null && this.#breaksSilence(key, now + wait * 1000, now))
      this.#deps.log.warn(
        { what, ceiling: ceiling.max, seconds: wait },
        'ceiling reached: nothing more of this kind is stored until the hour is over',
      )
    return wait
  }

  /** By anything else, such as the person whose session it is. */
  take(key: string, allowance: Allowance, now = Date.now()): number | null {
    return this.#deps.counter.take([{ key, ...allowance }], now)
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

function hitsOf(request: FastifyRequest, { perAddress, perNetwork }: PublicAllowance, what: string): Hit[] {
  const { own, network } = countedBlocks(clientAddress(request))
  const hit: Hit = { key: `${what}:address:${own}`, ...perAddress }
  return network === null ? [hit] : [hit, { key: `${what}:network:${network}`, ...perNetwork }]
}
