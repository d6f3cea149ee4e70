import { sql } from 'kysely'
import { type Checkpoint, type CheckpointState, SEAL_WAITING_MAX } from '#contract/consent.ts'
import type { Db } from '../db/database.ts'
import { columnTypes, locked } from '../db/dialect.ts'
import { inBatches, STEP_ROWS } from '../db/sweep.ts'
import { change } from '../db/transactions/change.ts'
import type { Logger } from '../http/logging/logger.ts'
import { countChoices } from './choice-counts.ts'
import { canonicalJson, checkpointHash, toCheckpoint, toRecord } from './proof/canonical.ts'
import { appendToTree, lockTree, TreeReader } from './proof/merkle-store.ts'
import { hashLeaf } from './proof/merkle-tree.ts'

/** Several processes do not all come at the same moment. */
const SPREAD_MS = 5_000

interface CheckpointWorkerDeps {
  db: Db
  log: Pick<Logger, 'warn'>
  /** What must be stored before the records that name it are sealed. */
  before: () => Promise<void>
}

/** Seals after the end of each minute, for as long as the app runs; what could not be sealed waits for the next. */
export class CheckpointWorker {
  readonly #deps: CheckpointWorkerDeps
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> = Promise.resolve()

  constructor(deps: CheckpointWorkerDeps) {
    this.#deps = deps
  }

  start(): void {
    const rest = MINUTE_MS - (Date.now() % MINUTE_MS)
    this.#timer = setTimeout(
      () => {
        this.#running = this.#seal().then(() => {
          if (!this.#closing.signal.aborted) this.start()
        })
      },
      rest + Math.random() * SPREAD_MS,
    )
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    this.#closing.abort()
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#running
  }

  async #seal(): Promise<void> {
    try {
      await this.#deps.before()
      await addToCheckpoint(this.#deps.db, { signal: this.#closing.signal })
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'records of consent were not sealed; the next minute tries again')
    }
  }
}

/** What happens once a minute: everything that waits gets its leaf, in steps, and then all of it one seal. */
export async function addToCheckpoint(
  db: Db,
  { now = Date.now(), signal }: { now?: number; signal?: AbortSignal } = {},
): Promise<Checkpoint | null> {
  await inBatches(async () => BigInt(await appendLeaves(db, STEP_ROWS)), signal)
  return signal?.aborted === true ? null : await makeCheckpoint(db, now)
}

/**
 * Gives records that have none a leaf, in the order in which they are found here: a record that was committed late stands
 * where it was found, whatever its time. One transaction under the lock of the tree, so that each record gets one leaf,
 * whoever else does the same. Gives how many.
 */
export function appendLeaves(db: Db, limit = STEP_ROWS): Promise<number> {
  return change(db, async (trx) => {
    const tree = await lockTree(trx)
    const rows = await locked(
      trx,
      trx
        .selectFrom('consent_records')
        .selectAll()
        .where('leaf_position', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit),
    ).execute()
    if (rows.length === 0) return 0
    const records = rows.map(toRecord)
    await appendToTree(
      trx,
      tree,
      records.map((record) => ({ hash: hashLeaf(canonicalJson(record)), recordedAt: record.recorded_at })),
    )
    await setPositions(
      trx,
      rows.map(({ id }) => id),
      tree.size,
    )
    await countChoices(trx, records)
    return rows.length
  })
}

async function setPositions(trx: Db, ids: readonly string[], first: number): Promise<void> {
  const { uuid, integer } = columnTypes(trx as never)
  const places = ids.map(
    (id, at) =>
      sql`(cast(${id} as ${sql.raw(uuid as string)}), cast(${first + at} as ${sql.raw(integer as string)}))`,
  )
  // Joined alone, SQLite reads every record there is when there are hundreds of places.
  await sql`with place (id, position) as (values ${sql.join(places)})
    update consent_records set leaf_position = place.position from place
    where consent_records.id = place.id and consent_records.id in (select id from place)`.execute(trx)
}

const MINUTE_MS = 60_000

/**
 * Seals the leaves that came since the last seal; null when there are none, or when this minute has its seal already. A
 * clock that was set back seals on: times of seals never go back, and numbers say the order.
 */
export function makeCheckpoint(db: Db, now = Date.now()): Promise<Checkpoint | null> {
  return change(db, async (trx) => {
    const { size, first_record_at, last_record_at } = await lockTree(trx)
    const [last] = await listCheckpoints(trx, { limit: 1 })
    const before = last?.tree_size ?? 0
    if (size === before) return null
    const lastAt = last === undefined ? Number.NEGATIVE_INFINITY : Date.parse(last.sealed_at)
    if (minuteOf(now) === minuteOf(lastAt)) return null
    const sealedAt = new Date(Math.max(now, lastAt)).toISOString()
    const seal = {
      '@type': 'ConsentSeal' as const,
      sequence: (last?.sequence ?? 0) + 1,
      first_record_at: first_record_at ?? sealedAt,
      last_record_at: last_record_at ?? sealedAt,
      leaf_count: size - before,
      tree_size: size,
      root: await new TreeReader(trx).root(size),
      previous_hash: last?.hash ?? null,
      sealed_at: sealedAt,
    }
    const { '@type': _, ...row } = { ...seal, hash: checkpointHash(seal) }
    await trx.insertInto('consent_seals').values(row).execute()
    await trx
      .updateTable('consent_tree')
      .set({ first_record_at: null, last_record_at: null })
      .where('id', '=', 1)
      .execute()
    return { '@type': 'ConsentSeal', ...row }
  })
}

function minuteOf(time: number): number {
  return Math.floor(time / MINUTE_MS)
}

export async function findCheckpoint(db: Db, sequence: number): Promise<Checkpoint | undefined> {
  const row = await db
    .selectFrom('consent_seals')
    .selectAll()
    .where('sequence', '=', sequence)
    .executeTakeFirst()
  return row && toCheckpoint(row)
}

/** The seal in which a leaf came; undefined until there is one. */
export async function findCheckpointOf(db: Db, position: number): Promise<Checkpoint | undefined> {
  const row = await db
    .selectFrom('consent_seals')
    .selectAll()
    .where('tree_size', '>', position)
    .orderBy('tree_size')
    .limit(1)
    .executeTakeFirst()
  return row && toCheckpoint(row)
}

export async function readCheckpointState(db: Db): Promise<CheckpointState> {
  const [last] = await listCheckpoints(db, { limit: 1 })
  const waiting = await db
    .selectFrom('consent_records')
    .select('created_at')
    .where('leaf_position', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(SEAL_WAITING_MAX)
    .execute()
  return {
    last: last ?? null,
    waiting: waiting.length,
    oldest_waiting_at: waiting[0]?.created_at ?? null,
  }
}

/** Of the column's type. */
const MAX_INTEGER = 2 ** 31 - 1

interface CheckpointQuery {
  /** Only those before this one. */
  before?: number | undefined
  limit: number
}

/** Newest first. */
export async function listCheckpoints(db: Db, { before, limit }: CheckpointQuery): Promise<Checkpoint[]> {
  const rows = await db
    .selectFrom('consent_seals')
    .selectAll()
    .where('sequence', '<', before ?? MAX_INTEGER)
    .orderBy('sequence', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toCheckpoint)
}
