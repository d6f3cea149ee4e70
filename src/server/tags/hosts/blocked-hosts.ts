import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { HOUR_MS } from '#contract/durations.ts'
import type { BlockedGroup, BlockedHost } from '#contract/tag-status.ts'
import type { Db } from '#server/db/database.ts'
import { change } from '#server/db/transactions/change.ts'
import { RegularFlush } from '#server/db/transactions/flush.ts'
import type { Logger } from '#server/http/logging/logger.ts'
import type { TagSources } from '#server/http/security/content-security-policy.ts'
import { isCatalogueHost, isSharedHost, nameHost } from '#server/vendors/hosts.ts'
import { vendorById } from '#server/vendors/marks.ts'
import type { PreparedTag } from '../serve/prepare-tag.ts'
import type { TagSet } from '../serve/tag-set.ts'
import { isAllowed, policyOf } from './violations.ts'

/** What the current policy stops, by vendor, with the pixels it belongs to, newest first. */
export async function readBlockedHosts(
  db: Db,
  tags: { prepared: ReadonlyMap<string, PreparedTag>; current: TagSet },
  ids: readonly string[] | null = null,
): Promise<BlockedHost[]> {
  const rows = await db
    .selectFrom('blocked_hosts')
    .select(['id', 'pixel_id', 'host', 'code_hash', 'use', 'count', 'last_seen_at'])
    // Pixels in the trash need no decision.
    .where((eb) =>
      eb.or([
        eb('pixel_id', 'is', null),
        eb(
          'pixel_id',
          'not in',
          eb.selectFrom('tracking_pixels').select('tracking_pixels.id').where('deleted_at', 'is not', null),
        ),
      ]),
    )
    .$if(ids !== null, (query) => query.where('id', 'in', ids ?? []))
    .orderBy('last_seen_at', 'desc')
    .orderBy('id')
    .execute()
  const stopped = rows.filter((row) => !isAllowedNow(row, tags))
  const named = await Promise.all(stopped.map(({ host }) => nameHost(host)))
  return stopped.map(({ code_hash, use: _use, ...row }, index) => {
    const vendor = named[index] ?? null
    return {
      ...row,
      vendor,
      permit: howToPermit(row.host, vendor?.id ?? null),
      pixel_ids: row.pixel_id === null ? [] : [row.pixel_id],
      is_current: code_hash !== null && tags.prepared.get(row.pixel_id ?? '')?.codeHash === code_hash,
    }
  })
}

/** Another pixel, or another version of this one, has opened the host since. */
function isAllowedNow(
  { pixel_id, host, use }: { pixel_id: string | null; host: string; use: string | null },
  { prepared, current }: { prepared: ReadonlyMap<string, PreparedTag>; current: TagSet },
): boolean {
  if (use === null) return false
  const isSocket = use === 'socket'
  const wanted = { host, use: isSocket ? 'connect' : (use as keyof TagSources), isSocket }
  return isAllowed(wanted, policyOf(prepared.get(pixel_id ?? ''), current))
}

/**
 * Reports can be forged: one click permits only what the catalogue lists; anything else is permitted by its full name.
 */
function howToPermit(host: string, vendorId: string | null): BlockedHost['permit'] {
  if (isSharedHost(host)) return 'shared'
  const vendor = vendorId === null ? undefined : vendorById(vendorId)
  return vendor !== undefined && isCatalogueHost(vendor, host) ? 'set' : 'single'
}

/** One group per vendor and pixels; a host without a vendor is its own group. */
export function groupBlockedHosts(hosts: readonly BlockedHost[]): BlockedGroup[] {
  const owners = new Map<string, string[]>()
  for (const { host, pixel_ids } of hosts)
    owners.set(host, [...new Set([...(owners.get(host) ?? []), ...pixel_ids])].sort())
  const groups = new Map<string, BlockedHost[]>()
  for (const host of hosts) {
    const key = host.vendor === null ? host.host : `${host.vendor.name}\n${owners.get(host.host)?.join()}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [host])
    else group.push(host)
  }
  return [...groups.values()].map(describe)
}

function describe(group: BlockedHost[]): BlockedGroup {
  const [first] = group as [BlockedHost]
  const hosts = [...new Set(group.map(({ host }) => host))].sort()
  const pixel_ids = [...new Set(group.flatMap((host) => host.pixel_ids))]
  const unknown = pixel_ids.length === 0 ? 'uma tag não identificada' : 'algo que esta tag carrega'
  return {
    vendor: first.vendor,
    pixel_ids,
    hosts,
    ids: group.map(({ id }) => id),
    permit_ids: group.filter(({ permit }) => permit === 'set').map(({ id }) => id),
    message: `O site bloqueou o envio de ${first.vendor?.name ?? unknown} para ${hosts.join(', ')}.`,
  }
}

/** Ignores a host until it is reported again. */
export async function forgetBlockedHost(trx: Db, blockedId: string): Promise<void> {
  await trx.deleteFrom('blocked_hosts').where('id', '=', blockedId).execute()
}

/** A blocked host, as stored. */
export interface StoppedHost {
  host: string
  /** Null if the tag is unknown. */
  pixel_id: string | null
  /** The code of that pixel on the page where it happened; null if the page is unknown. */
  code_hash: string | null
  use: string
  count: number
  /** Networks that had not reported it in this hour. */
  networks: number
  last_seen_at: string
}

/** Anybody can report any name: beyond this number per second, reports are dropped. */
const MAX_KEPT = 500

/** Beyond this number they are cleared and counted again. */
const MAX_REPORTERS = 20_000

interface BlockedHostBufferDeps {
  db: Db
  flushMs?: number | undefined
  log: Pick<Logger, 'warn'>
  /** Called before each new host is added. */
  takeFromCeiling: TakeFromCeiling
}

type TakeFromCeiling = () => { wait: number | null; giveBack?: () => void }

/** Collects what the page's policy stopped and writes it once a second. Like tag reports, it may be lost. */
export class BlockedHostBuffer {
  readonly #deps: BlockedHostBufferDeps
  readonly #flush: RegularFlush
  #seen = new Map<string, StoppedHost>()
  /** Which network reported which host in this hour. */
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

  /** With a count of 0 the host is added without counting. */
  add(
    blocked: Omit<StoppedHost, 'last_seen_at' | 'networks'>,
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

  #merge(more: StoppedHost): void {
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
    // Sorted: two processes that lock the same rows in different orders would deadlock.
    const batch = [...this.#seen.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, host]) => host)
    this.#seen = new Map()
    try {
      await storeBlockedHosts(this.#deps.db, batch, this.#deps.takeFromCeiling)
    } catch (error) {
      const newer = [...this.#seen.values()]
      this.#seen = new Map()
      for (const host of [...batch, ...newer]) this.#merge(host)
      throw error
    }
  }
}

function keyOf({ pixel_id, host }: Pick<StoppedHost, 'pixel_id' | 'host'>): string {
  return `${pixel_id ?? ''} ${host}`
}

/** Anybody can report any name: of more than this number per tag, those that most networks reported are kept. */
const MAX_HOSTS_PER_TAG = 50

const MAX_COUNT = 1_000_000

type KnownHost = Awaited<ReturnType<typeof listHosts>>[number]

/**
 * Stores one row per host and tag. In a full list a new one replaces the weakest: the one reported by the fewest
 * networks, then the one not seen for longest; never one with more networks than the new one. If another process stores
 * the same new host, the statement fails and its rows are written with the next flush.
 */
export async function storeBlockedHosts(
  db: Db,
  batch: readonly StoppedHost[],
  takeFromCeiling: TakeFromCeiling,
): Promise<void> {
  const hosts = await listHosts(db, batch)
  const known = new Map(hosts.map((host) => [keyOf(host), host]))
  const reported = new Set(batch.map(keyOf))
  const held = Map.groupBy(hosts, ({ pixel_id }) => pixel_id)
  const replaced: string[] = []
  const rows: (StoppedHost & { id: string; first_seen_at: string })[] = []
  const taken: ReturnType<TakeFromCeiling>[] = []
  const pixels = await listPixels(db, batch)
  for (const blocked of batch) {
    const { pixel_id, count, networks, last_seen_at } = blocked
    if (pixel_id !== null && !pixels.has(pixel_id)) continue
    const id = known.get(keyOf(blocked))?.id
    if (id === undefined) {
      const ofTag = held.get(pixel_id) ?? []
      held.set(pixel_id, ofTag)
      const weakest = ofTag.length < MAX_HOSTS_PER_TAG ? null : findWeakest(ofTag, reported)
      if (weakest !== null && (weakest === undefined || weakest.networks > Math.max(1, networks))) continue
      const reservation = takeFromCeiling()
      if (reservation.wait !== null) continue
      taken.push(reservation)
      if (weakest !== null) {
        replaced.push(weakest.id)
        ofTag.splice(ofTag.indexOf(weakest), 1)
      }
      ofTag.push({ ...blocked, id: '' })
    }
    const least = id === undefined ? 1 : 0
    rows.push({
      ...blocked,
      id: id ?? randomUUID(),
      count: Math.max(least, count),
      networks: Math.max(least, networks),
      first_seen_at: last_seen_at,
    })
  }
  if (rows.length === 0) return
  const capped = (column: 'count' | 'networks') => {
    const sum = sql<number>`${sql.ref(`blocked_hosts.${column}`)} + ${sql.ref(`excluded.${column}`)}`
    return sql<number>`case when ${sum} > ${sql.lit(MAX_COUNT)} then ${sql.lit(MAX_COUNT)} else ${sum} end`
  }
  try {
    await change(db, async (trx) => {
      if (replaced.length > 0) await trx.deleteFrom('blocked_hosts').where('id', 'in', replaced).execute()
      await trx
        .insertInto('blocked_hosts')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet({
            count: capped('count'),
            networks: capped('networks'),
            last_seen_at: sql<string>`excluded.last_seen_at`,
            code_hash: sql<string | null>`coalesce(excluded.code_hash, blocked_hosts.code_hash)`,
            use: sql<string>`excluded.use`,
          }),
        )
        .execute()
    })
  } catch (error) {
    for (const { giveBack } of taken) giveBack?.()
    throw error
  }
}

/** Hosts of this batch stay; undefined if that is all of them. */
function findWeakest(hosts: readonly KnownHost[], reported: ReadonlySet<string>): KnownHost | undefined {
  return hosts
    .filter((host) => host.id !== '' && !reported.has(keyOf(host)))
    .toSorted((a, b) => a.networks - b.networks || (a.last_seen_at < b.last_seen_at ? -1 : 1))[0]
}

/** Those that still exist: a host of a deleted pixel would fail the whole write. */
async function listPixels(db: Db, batch: readonly StoppedHost[]): Promise<Set<string>> {
  const ids = pixelsOf(batch)
  if (ids.length === 0) return new Set()
  const rows = await db.selectFrom('tracking_pixels').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}

function pixelsOf(batch: readonly StoppedHost[]): string[] {
  return [...new Set(batch.flatMap(({ pixel_id }) => pixel_id ?? []))]
}

/** All hosts of the batch's tags: at most fifty of each. */
function listHosts(db: Db, batch: readonly StoppedHost[]) {
  const pixels = pixelsOf(batch)
  return db
    .selectFrom('blocked_hosts')
    .select(['id', 'pixel_id', 'host', 'networks', 'last_seen_at'])
    .where((eb) =>
      eb.or([eb('pixel_id', 'is', null), ...(pixels.length === 0 ? [] : [eb('pixel_id', 'in', pixels)])]),
    )
    .execute()
}
