import { sql } from 'kysely'
import { CHECKPOINT_WAITING_MAX, type Checkpoint, type CheckpointState } from '#contract/consent.ts'
import { MINUTE_MS } from '#contract/durations.ts'
import type { Db } from '../db/database.ts'
import { columnTypes, locked } from '../db/dialect.ts'
import { inBatches, STEP_ROWS } from '../db/sweep.ts'
import { change } from '../db/transactions/change.ts'
import type { Logger } from '../http/logging/logger.ts'
import { countChoices } from './choice-counts.ts'
import { canonicalJson, checkpointHash, toCheckpoint, toRecord } from './proof/canonical.ts'
import { appendToTree, lockTree, TreeReader } from './proof/merkle-store.ts'
import { hashLeaf } from './proof/merkle-tree.ts'

/** Spreads the processes, so that they do not all start at the same moment. */
const SPREAD_MS = 5_000

interface CheckpointWorkerDeps {
  db: Db
  log: Pick<Logger, 'warn'>
  /** Stores what the records refer to, before they get their leaves. */
  before: () => Promise<void>
}

/** Makes a checkpoint after every minute. A failed attempt is repeated with the next minute. */
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
        this.#running = this.#addCheckpoint().then(() => {
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

  async #addCheckpoint(): Promise<void> {
    try {
      await this.#deps.before()
      await takeTurn(this.#deps.db, { signal: this.#closing.signal })
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'consent: checkpoint failed, will retry in a minute')
    }
  }
}

interface TurnOptions {
  now?: number
  signal?: AbortSignal
}

/**
 * The work of one minute, by one of several processes: the others find a checkpoint of this minute, or the tree locked,
 * and leave it alone. Nobody waits.
 */
export async function takeTurn(
  db: Db,
  { now = Date.now(), signal }: TurnOptions = {},
): Promise<Checkpoint | null> {
  return (await isDue(db, now)) ? addToCheckpoint(db, { now, ...(signal && { signal }), waits: false }) : null
}

/** True if something waits for a checkpoint and this minute has none. One statement, without a lock. */
async function isDue(db: Db, now: number): Promise<boolean> {
  const state = await db
    .selectFrom('consent_tree')
    .select((eb) => [
      'size',
      eb.selectFrom('consent_seals').select('sealed_at').orderBy('sequence', 'desc').limit(1).as('sealed_at'),
      eb
        .selectFrom('consent_seals')
        .select('tree_size')
        .orderBy('sequence', 'desc')
        .limit(1)
        .as('sealed_size'),
      eb
        .selectFrom('consent_records')
        .select('id')
        .where('leaf_position', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .limit(1)
        .as('waiting'),
    ])
    .where('id', '=', 1)
    .executeTakeFirstOrThrow()
  if (state.sealed_at !== null && minuteOf(Date.parse(state.sealed_at)) === minuteOf(now)) return false
  return state.waiting !== null || state.size > (state.sealed_size ?? 0)
}

/** Adds all waiting records to the tree in batches, then makes one checkpoint. */
export async function addToCheckpoint(
  db: Db,
  { now = Date.now(), signal, waits = true }: TurnOptions & { waits?: boolean } = {},
): Promise<Checkpoint | null> {
  let isTaken = false
  await inBatches(async () => {
    const added = await appendLeaves(db, STEP_ROWS, waits)
    isTaken ||= added === null
    return BigInt(added ?? 0)
  }, signal)
  return signal?.aborted === true || isTaken ? null : await makeCheckpoint(db, now, waits)
}

/**
 * Adds records without a leaf to the tree, in the order in which they are found: a late commit gets a later position,
 * whatever its time. The lock of the tree ensures one leaf per record. Returns how many were added; null if another
 * process holds the tree and this one does not wait.
 */
export function appendLeaves(db: Db, limit = STEP_ROWS, waits = true): Promise<number | null> {
  return change(db, async (trx) => {
    const tree = await lockTree(trx, waits)
    if (tree === undefined) return null
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
  const { uuid, bigint } = columnTypes(trx as never)
  const places = ids.map(
    (id, at) =>
      sql`(cast(${id} as ${sql.raw(uuid as string)}), cast(${first + at} as ${sql.raw(bigint as string)}))`,
  )
  // The condition on ids forces an index lookup. With hundreds of values the join alone makes SQLite read the whole
  // table.
  await sql`with place (id, position) as (values ${sql.join(places)})
    update consent_records set leaf_position = place.position from place
    where consent_records.id = place.id and consent_records.id in (select id from place)`.execute(trx)
}

/**
 * Makes a checkpoint of the leaves added since the last one. Returns null if there are none, or if this minute already
 * has a checkpoint. If the clock was set back, the time of the last checkpoint is used: times never go back.
 */
export function makeCheckpoint(db: Db, now = Date.now(), waits = true): Promise<Checkpoint | null> {
  return change(db, async (trx) => {
    const tree = await lockTree(trx, waits)
    if (tree === undefined) return null
    const { size, first_record_at, last_record_at } = tree
    const [last] = await listCheckpoints(trx, { limit: 1 })
    const before = last?.tree_size ?? 0
    if (size === before) return null
    const lastAt = last === undefined ? Number.NEGATIVE_INFINITY : Date.parse(last.sealed_at)
    if (minuteOf(now) === minuteOf(lastAt)) return null
    const checkpointAt = new Date(Math.max(now, lastAt)).toISOString()
    const checkpoint = {
      '@type': 'ConsentSeal' as const,
      sequence: (last?.sequence ?? 0) + 1,
      first_record_at: first_record_at ?? checkpointAt,
      last_record_at: last_record_at ?? checkpointAt,
      leaf_count: size - before,
      tree_size: size,
      root: await new TreeReader(trx).root(size),
      previous_hash: last?.hash ?? null,
      sealed_at: checkpointAt,
    }
    const { '@type': _, ...row } = { ...checkpoint, hash: checkpointHash(checkpoint) }
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

/** The first checkpoint that covers a leaf; undefined until there is one. */
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
    .limit(CHECKPOINT_WAITING_MAX)
    .execute()
  return {
    last: last ?? null,
    waiting: waiting.length,
    oldest_waiting_at: waiting[0]?.created_at ?? null,
  }
}

/** Largest value of the column's type. */
const MAX_INTEGER = 2 ** 31 - 1

interface CheckpointQuery {
  /** Only checkpoints before this number. */
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
