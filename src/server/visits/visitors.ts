import { hash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { DAY_MS } from '#contract/durations.ts'
import { siteDate, startOfSiteDate } from '#contract/site.ts'
import type { Db } from '../db/database.ts'
import { engineOf, locked } from '../db/dialect.ts'
import { asRepeated } from '../db/engines/sqlite-driver.ts'
import { change, pipeline } from '../db/transactions/change.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { addCounts, sumCounts } from '../stats/counts.ts'
import { type SiteDay, siteDayOf, VISIT_GAP_MS } from '../stats/series.ts'

const GAP_SECONDS = VISIT_GAP_MS / 1_000

/** Visitors whose last second the only process on SQLite remembers. */
const MAX_REMEMBERED = 50_000

/** Rows of one statement, below the parameter limit of both engines. */
const ROWS = 500

/** The row that names the day of a table: two days take turns, and a process may have been off for several. */
const DAY_ROW = -1

/** Number of the advisory lock, "visi" in ASCII. */
const TURN = 0x76697369

/** Views of one visitor, so close together that they are of one visit. */
export interface View {
  key: number
  /** The visitor's key of the day before, in the first half hour of a day: its visits go on after midnight. */
  keyBefore: number | null
  /** The first and the last of them. */
  at: number
  last: number
}

/** What a view begins. */
export interface Begun {
  isVisit: boolean
  isVisitor: boolean
}

/**
 * The visitors of a day, by a hash of address and user agent that is keyed with a secret of the day. Half an hour after
 * the day, secret and hashes are destroyed, and nothing can link the counts to anybody.
 */
export class DayVisitors {
  readonly #db: Db
  readonly #secrets: Secrets
  readonly #known = new Map<string, Buffer>()
  /** When visitors were last seen, for the open day. Only on SQLite: on PostgreSQL other processes see them too. */
  readonly #seen = new Map<number, number>()
  #newlySeen: ReadonlyMap<number, number> = new Map()
  #opened = ''
  #cleared = ''

  constructor(db: Db, secrets: Secrets) {
    this.#db = db
    this.#secrets = secrets
  }

  /** Loads the secret of the day, and the one of the day before if visits of then may go on in the first view. */
  async prepare(
    day: SiteDay,
    firstAt: number,
  ): Promise<(who: string, at: number) => Pick<View, 'key' | 'keyBefore'>> {
    const secret = await this.#secretOf(day.date)
    const goesOn = (at: number) => at - day.start <= VISIT_GAP_MS
    const before = goesOn(firstAt) ? await this.#knownSecret(siteDate(day.start - 1)) : null
    return (who, at) => ({
      key: keyOf(secret, who),
      keyBefore: before !== null && goesOn(at) ? keyOf(before, who) : null,
    })
  }

  /** Makes the secret of the next day ahead, so that midnight needs no agreement between processes. */
  async prepareNext(day: SiteDay, now: number): Promise<void> {
    if (day.end - now < VISIT_GAP_MS) await this.#secretOf(siteDate(day.end))
  }

  /** Stores views of one day in the order of time, and says what each begins. Views and result have the same order. */
  async store(trx: Db, day: SiteDay, views: readonly View[]): Promise<Begun[]> {
    // PostgreSQL may have lost the table in a crash since.
    if (this.#opened !== day.date || engineOf(trx) === 'postgres') {
      // Then other processes may have made another secret.
      if (await openTable(trx, day)) this.#known.clear()
      this.#seen.clear()
    }
    const table = tableOf(day.date)
    const secondOf = (at: number) => Math.floor((at - day.start) / 1_000)
    const lastSeen = new Map<number, number>()
    for (const { key, last } of views) lastSeen.set(key, Math.max(lastSeen.get(key) ?? 0, secondOf(last)))
    // One order everywhere, to avoid deadlocks.
    const rows = [...lastSeen].map(([key, seen]) => ({ key, seen })).sort((a, b) => a.key - b.key)
    const stored = await readSeen(
      trx,
      table,
      rows.map(({ key }) => key).filter((key) => !this.#seen.has(key)),
      true,
    )
    for (const { key } of rows) {
      const seen = this.#seen.get(key)
      if (seen !== undefined) stored.set(key, seen)
    }
    const added = await insertNew(
      trx,
      table,
      rows.filter(({ key }) => !stored.has(key)),
    )
    const again = rows.filter(({ key, seen }) => !added.has(key) && (stored.get(key) ?? -1) < seen)
    await updateSeen(trx, table, again)
    this.#newlySeen = lastSeen
    const seenBefore = await this.#seenBefore(trx, day, views, added)
    const seen = new Map(stored)
    return views.map(({ key, keyBefore, at, last }) => {
      const second = secondOf(at)
      const earlier = seen.get(key)
      // Another process added the visitor within this second: the visit is counted there.
      const isNew = earlier === undefined && added.has(key)
      const goesOn = isNew ? isWithinGap(seenBefore.get(keyBefore ?? DAY_ROW), second) : true
      seen.set(key, Math.max(earlier ?? 0, secondOf(last)))
      if (isNew) return { isVisitor: true, isVisit: !goesOn }
      return { isVisitor: false, isVisit: earlier !== undefined && second - earlier > GAP_SECONDS }
    })
  }

  /** Call it when what was stored is committed. */
  wasStored(day: SiteDay): void {
    this.#opened = day.date
    if (engineOf(this.#db) !== 'sqlite') return
    if (this.#seen.size > MAX_REMEMBERED) this.#seen.clear()
    for (const [key, second] of this.#newlySeen)
      this.#seen.set(key, Math.max(this.#seen.get(key) ?? 0, second))
  }

  /** Destroys secrets and keys of ended days. */
  async clear(now: number): Promise<boolean> {
    const day = siteDayOf(now)
    if (this.#cleared === day.date || now - day.start <= VISIT_GAP_MS) return false
    for (const date of this.#known.keys()) if (date < day.date) this.#known.delete(date)
    if (this.#opened < day.date) this.#seen.clear()
    await clearBefore(this.#db, day)
    this.#cleared = day.date
    return true
  }

  async #secretOf(date: string): Promise<Buffer> {
    const known = await this.#knownSecret(date)
    if (known !== null) return known
    await change(this.#db, async (trx) => {
      const secret = await this.#secrets.encrypt(trx, placeOf(date), randomBytes(32).toString('base64'))
      await trx
        .insertInto('visit_secrets')
        .values({ day: date, secret, created_at: new Date().toISOString() })
        .onConflict((conflict) => conflict.column('day').doNothing())
        .execute()
    })
    const made = await this.#knownSecret(date)
    if (made === null) throw new Error('the secret of the day was deleted')
    return made
  }

  async #knownSecret(date: string): Promise<Buffer | null> {
    const known = this.#known.get(date)
    if (known !== undefined) return known
    const row = await this.#db
      .selectFrom('visit_secrets')
      .select('secret')
      .where('day', '=', date)
      .executeTakeFirst()
    if (row === undefined) return null
    const secret = Buffer.from(await this.#secrets.decrypt(placeOf(date), row.secret), 'base64')
    this.#known.set(date, secret)
    return secret
  }

  /** When visitors who are new today were last seen yesterday, in seconds of today: below zero. */
  async #seenBefore(
    trx: Db,
    day: SiteDay,
    views: readonly View[],
    added: ReadonlySet<number>,
  ): Promise<Map<number, number>> {
    const keys = views.flatMap(({ key, keyBefore }) =>
      added.has(key) && keyBefore !== null ? [keyBefore] : [],
    )
    if (keys.length === 0) return new Map()
    const yesterday = siteDayOf(day.start - 1)
    const table = tableOf(yesterday.date)
    if ((await dayNumberIn(trx, table)) !== dayNumber(yesterday.date)) return new Map()
    const length = (yesterday.end - yesterday.start) / 1_000
    const seen = await readSeen(trx, table, [...new Set(keys)], false)
    return new Map([...seen].map(([key, second]) => [key, second - length]))
  }
}

/**
 * Deletes secrets of days that cannot be decrypted any more. Their visitors are counted again, so days that have begun
 * become estimates.
 */
export async function forgetDaySecrets(trx: Db, dates: readonly string[], now = Date.now()): Promise<void> {
  if (dates.length === 0) return
  await trx.deleteFrom('visit_secrets').where('day', 'in', dates).execute()
  const begun = dates.map(startOfSiteDate).filter((start) => start <= now)
  await addCounts(
    trx,
    begun.map((at) => ({ series: 'visit', key: 'estimated', at })),
  )
}

function isWithinGap(earlier: number | undefined, second: number): boolean {
  return earlier !== undefined && second - earlier <= GAP_SECONDS
}

/** 53 bits: the most that every engine and JavaScript read as a number. A million visitors share none, 99.99 % sure. */
function keyOf(secret: Buffer, who: string): number {
  // As text, because that is twice as fast as a buffer.
  const digest = hash('sha256', Buffer.concat([secret, Buffer.from(who)]), 'hex')
  return Number.parseInt(digest.slice(0, 8), 16) * 2 ** 21 + (Number.parseInt(digest.slice(8, 16), 16) >>> 11)
}

function placeOf(row: string) {
  return { table: 'visit_secrets', column: 'secret', row }
}

type KeyTable = 'visit_keys_even' | 'visit_keys_odd'

function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS
}

function tableOf(date: string): KeyTable {
  return dayNumber(date) % 2 === 0 ? 'visit_keys_even' : 'visit_keys_odd'
}

async function dayNumberIn(trx: Db, table: KeyTable): Promise<number | null> {
  const row = await trx.selectFrom(table).select('seen').where('key', '=', DAY_ROW).executeTakeFirst()
  return row?.seen ?? null
}

/**
 * Makes sure that a table holds this day. A table without its day although visitors were counted has lost its keys:
 * PostgreSQL empties it after a crash, and no backup has it. Visitors are then counted again, and the day is marked. True in
 * that case.
 */
async function openTable(trx: Db, day: SiteDay): Promise<boolean> {
  const table = tableOf(day.date)
  const wanted = dayNumber(day.date)
  if ((await dayNumberIn(trx, table)) === wanted) return false
  await takeTurn(trx)
  const found = await dayNumberIn(trx, table)
  if (found === wanted) return false
  if (found !== null) await emptyTable(trx, table)
  await trx.insertInto(table).values({ key: DAY_ROW, seen: wanted }).execute()
  const counted = await sumCounts(trx, { series: 'visit', resolution: 'day', from: day.start, to: day.end })
  const hasLost = counted.some(({ key, count }) => key === 'visitors' && count > 0)
  if (hasLost) await addCounts(trx, [{ series: 'visit', key: 'estimated', at: day.start }])
  return hasLost
}

/** Processes open and clear days one after the other. SQLite has one writer anyway. */
async function takeTurn(trx: Db): Promise<void> {
  if (engineOf(trx) === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(TURN)})`.execute(trx)
}

async function readSeen(
  trx: Db,
  table: KeyTable,
  keys: readonly number[],
  isLocked: boolean,
): Promise<Map<number, number>> {
  const seen = new Map<number, number>()
  for (const part of inParts(keys)) {
    const query = trx.selectFrom(table).select(['key', 'seen']).where('key', 'in', part).orderBy('key')
    for (const row of await (isLocked ? locked(trx, query) : query).execute())
      seen.set(Number(row.key), row.seen)
  }
  return seen
}

/** The keys that were not there. */
async function insertNew(
  trx: Db,
  table: KeyTable,
  rows: readonly { key: number; seen: number }[],
): Promise<Set<number>> {
  const added = new Set<number>()
  for (const part of inParts(rows)) {
    const inserted = await trx
      .insertInto(table)
      .values(part)
      .onConflict((conflict) => conflict.column('key').doNothing())
      .returning('key')
      .execute()
    for (const { key } of inserted) added.add(Number(key))
  }
  return added
}

async function updateSeen(
  trx: Db,
  table: KeyTable,
  rows: readonly { key: number; seen: number }[],
): Promise<void> {
  const newer = sql<number>`case when ${sql.ref(`${table}.seen`)} < excluded.seen then excluded.seen else ${sql.ref(`${table}.seen`)} end`
  const update = (part: readonly { key: number; seen: number }[]) =>
    trx
      .insertInto(table)
      .values(part)
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ seen: newer }))
      .compile()
  if (engineOf(trx) === 'postgres') for (const part of inParts(rows)) await trx.executeQuery(update(part))
  else if (rows.length > 0) {
    const values = rows.map(({ key, seen }) => [key, seen])
    await pipeline(trx, { compile: () => asRepeated(update(rows.slice(0, 1)), values) })
  }
}

function* inParts<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += ROWS) yield items.slice(at, at + ROWS)
}

/** So that no byte of them stays in a file: PostgreSQL gets new files, SQLite overwrites. */
async function emptyTable(trx: Db, table: KeyTable): Promise<void> {
  if (engineOf(trx) === 'postgres') await sql`truncate ${sql.table(table)}`.execute(trx)
  else await trx.deleteFrom(table).execute()
}

async function clearBefore(db: Db, day: SiteDay): Promise<void> {
  const isSqlite = engineOf(db) === 'sqlite'
  // By default SQLite only unlinks deleted rows, and their bytes stay in the file.
  if (isSqlite) await sql`pragma secure_delete = on`.execute(db)
  const hasCleared = await change(db, async (trx) => {
    await takeTurn(trx)
    let emptied = false
    for (const table of ['visit_keys_even', 'visit_keys_odd'] as const) {
      const found = await dayNumberIn(trx, table)
      if (found === null || found >= dayNumber(day.date)) continue
      await emptyTable(trx, table)
      emptied = true
    }
    return (await forgetSecrets(trx, day.date)) || emptied
  })
  // The write-ahead log still contains the old pages.
  if (isSqlite && hasCleared) await sql`pragma wal_checkpoint(truncate)`.execute(db)
}

async function forgetSecrets(trx: Db, date: string): Promise<boolean> {
  const rows = await trx.selectFrom('visit_secrets').selectAll().execute()
  const kept = rows.filter(({ day }) => day >= date)
  if (kept.length === rows.length) return false
  if (engineOf(trx) === 'postgres') {
    await sql`truncate visit_secrets`.execute(trx)
    if (kept.length > 0) await trx.insertInto('visit_secrets').values(kept).execute()
  } else await trx.deleteFrom('visit_secrets').where('day', '<', date).execute()
  return true
}
