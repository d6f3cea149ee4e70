import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logger.ts'
import { RegularFlush } from '../http/regular-flush.ts'
import { storeBlockedHosts } from './store-blocked-hosts.ts'

/** Something that the policy stopped, as it is kept. */
export interface BlockedHost {
  host: string
  /** null when it cannot be told which tag it was. */
  pixel_id: string | null
  /** Of what that pixel ran on the page where it happened; null where nobody knows which page that was. */
  code_hash: string | null
  use: string
  count: number
  /** That were not heard about it in this hour. */
  networks: number
  last_seen_at: string
}

/** Anyone can report any name: what one second brings beyond this is forgotten. */
const MAX_KEPT = 500
const HOUR_MS = 3_600_000
/** Past this many they are forgotten, and counted again. */
const MAX_REPORTERS = 20_000

interface BlockedHostBufferDeps {
  db: Db
  flushMs?: number | undefined
  log: Pick<Logger, 'warn'>
  /** Asked before each host that is not in the list yet. */
  takeRoom: TakeRoom
}

export type TakeRoom = () => { wait: number | null; giveBack?: () => void }

/** Adds up what the page's policy stopped and writes it once a second, like tag reports, and as little durable. */
export class BlockedHostBuffer {
  readonly #deps: BlockedHostBufferDeps
  readonly #flush: RegularFlush
  #seen = new Map<string, BlockedHost>()
  /** Which network spoke of which host in this hour. */
  readonly #reporters = new Set<string>()
  #hour = 0

  constructor(deps: BlockedHostBufferDeps) {
    this.#deps = deps
    this.#flush = new RegularFlush({
      what: 'blocked hosts',
      write: () => this.#write(),
      log: deps.log,
      everyMs: deps.flushMs,
    })
  }

  /** With a count of 0: that there is such a host, from whoever does not know how often. */
  add(
    blocked: Omit<BlockedHost, 'last_seen_at' | 'networks'>,
    network: string | null,
    now = Date.now(),
  ): void {
    const networks = this.#isNews(`${keyOf(blocked)} ${network}`, now) ? 1 : 0
    this.#merge({ ...blocked, networks, last_seen_at: new Date(now).toISOString() })
  }

  #isNews(reporter: string, now: number): boolean {
    const hour = Math.floor(now / HOUR_MS)
    if (hour !== this.#hour || this.#reporters.size >= MAX_REPORTERS) this.#reporters.clear()
    this.#hour = hour
    const isNews = !this.#reporters.has(reporter)
    this.#reporters.add(reporter)
    return isNews
  }

  flush(): Promise<void> {
    return this.#flush.now()
  }

  stop(): Promise<void> {
    return this.#flush.stop()
  }

  #merge(more: BlockedHost): void {
    const key = keyOf(more)
    const known = this.#seen.get(key)
    if (known === undefined) {
      if (this.#seen.size < MAX_KEPT) this.#seen.set(key, more)
      return
    }
    known.count += more.count
    known.networks += more.networks
    known.code_hash = more.code_hash ?? known.code_hash
    known.use = more.use
    known.last_seen_at = more.last_seen_at
  }

  async #write(): Promise<void> {
    if (this.#seen.size === 0) return
    // Sorted: two replicas that lock the same rows in different orders would wait for each other.
    const batch = [...this.#seen.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, host]) => host)
    this.#seen = new Map()
    try {
      await storeBlockedHosts(this.#deps.db, batch, this.#deps.takeRoom)
    } catch (error) {
      const newer = [...this.#seen.values()]
      this.#seen = new Map()
      for (const host of [...batch, ...newer]) this.#merge(host)
      throw error
    }
  }
}

export function keyOf({ pixel_id, host }: Pick<BlockedHost, 'pixel_id' | 'host'>): string {
  return `${pixel_id ?? ''} ${host}`
}
