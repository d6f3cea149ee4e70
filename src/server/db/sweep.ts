import type { FastifyInstance } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import { MINUTE_MS } from '#contract/durations.ts'
import { acceptClock, describeClock } from './clock.ts'
import type { Db } from './database.ts'
import { engineOf } from './dialect.ts'
import { type Schema, TABLE_KEYS, type TableName } from './schema/index.ts'
import { CLOCK_TOLERANCE_MS } from './time.ts'

/** Rows of one table that are deleted by age. `retention.ts` lists them. */
export type Sweep = { [Table in TableName]: SweepOf<Table> }[TableName]

interface SweepOf<Table extends TableName> {
  /** For the log and the documents. */
  what: string
  table: Table
  /** Compared with now minus `keepMs`; a row without a time stays. */
  column: keyof Schema[Table] & string
  keepMs: number
  /** The setting of `keepMs`. */
  setting?: string
  /** Only rows with these values. */
  only?: { readonly [Column in keyof Schema[Table]]?: string | null | readonly string[] }
  /** A time further ahead than this comes from a wrong clock, and its row is deleted too. */
  aheadMs?: number
  /** Keeps the newest expired row: it is valid until the next one. */
  keepNewest?: true
  /** No index has the column: the table is read in the order of its UUIDs, step by step. */
  unindexed?: true
  /** Rows per statement: fewer than `STEP_ROWS` where each takes many others with it. */
  step?: number
}

/** Deletes expired rows by primary key, in steps, until fewer than a step are left or `signal` aborts. */
export async function sweepRows(db: Db, row: Sweep, signal?: AbortSignal, now = Date.now()): Promise<number> {
  const upTo = new Date(now - row.keepMs).toISOString()
  const column = sql.ref(row.column)
  const past = row.keepNewest
    ? sql`${column} < (select max(${column}) from ${sql.table(row.table)} where ${column} <= ${upTo})`
    : sql`${column} <= ${upTo}`
  let total = row.unindexed
    ? await deleteInOrder(db, row, past, signal)
    : await deleteInSteps(db, row, past, signal)
  if (row.aheadMs !== undefined) {
    const ahead = new Date(now + row.aheadMs + CLOCK_TOLERANCE_MS).toISOString()
    total += await deleteInSteps(db, row, sql`${column} > ${ahead}`, signal)
  }
  return total
}

function deleteInSteps(db: Db, row: Sweep, due: RawBuilder<unknown>, signal?: AbortSignal): Promise<number> {
  const keys = sql.join(TABLE_KEYS[row.table].map((key) => sql.ref(key)))
  const condition = withFilter(row, due)
  // Rows that are being written are left for the next time.
  const skipLocked = engineOf(db) === 'postgres' ? sql`for update skip locked` : sql``
  return inBatches(
    (rows) =>
      // The condition again, for the row itself: it may have changed since.
      deleteWhere(
        db,
        row.table,
        sql`(${keys}) in (select ${keys} from ${sql.table(row.table)} where ${condition} limit ${rows} ${skipLocked}) and ${condition}`,
      ),
    signal,
    row.step,
  )
}

const LOWEST_UUID = '00000000-0000-0000-0000-000000000000'

async function deleteInOrder(
  db: Db,
  row: Sweep,
  due: RawBuilder<unknown>,
  signal?: AbortSignal,
): Promise<number> {
  const { table, step = STEP_ROWS } = row
  let total = 0
  for (let after: string | undefined = LOWEST_UUID; after !== undefined && signal?.aborted !== true; ) {
    const { rows } = await sql<{ id: string }>`select id from ${sql.table(table)} where id > ${after}
      order by id limit ${step}`.execute(db)
    const last = rows.at(-1)?.id
    if (last === undefined) break
    const condition = sql`id > ${after} and id <= ${last} and ${withFilter(row, due)}`
    total += Number(await deleteWhere(db, table, condition))
    after = rows.length < step ? undefined : last
  }
  return total
}

function withFilter({ only = {} }: Sweep, due: RawBuilder<unknown>): RawBuilder<unknown> {
  const filters = Object.entries(only).map(([name, value]) => {
    if (value === null) return sql`${sql.ref(name)} is null`
    return sql`${sql.ref(name)} in (${sql.join([value].flat())})`
  })
  return sql.join([...filters, due], sql` and `)
}

async function deleteWhere(db: Db, table: TableName, condition: RawBuilder<unknown>): Promise<bigint> {
  const { numDeletedRows } = await db
    .deleteFrom(table)
    .where(condition as RawBuilder<boolean>)
    .executeTakeFirstOrThrow()
  return numDeletedRows
}

/** Rows per statement of a large change: it holds the write lock for some milliseconds. */
export const STEP_ROWS = 500

/**
 * Repeats a statement that changes at most `rows` rows until it finds fewer, and returns the sum. Others get their turn
 * between two steps. An interrupted run continues the next time.
 */
export async function inBatches(
  step: (rows: number) => Promise<bigint>,
  signal?: AbortSignal,
  rows = STEP_ROWS,
): Promise<number> {
  let total = 0
  for (let changed = rows; changed === rows && signal?.aborted !== true; ) {
    changed = Number(await step(rows))
    total += changed
  }
  return total
}

/** The first round is after a minute: a process that restarts every few minutes sweeps too. */
const ROUND_MINUTES = 15

/** Deleted rows by table. */
type Removed = Readonly<Record<string, number>>

/** Work beyond deleting rows, in its own module. */
interface SweepWork {
  what: string
  run: (signal: AbortSignal) => Promise<Removed>
}

declare module 'fastify' {
  interface FastifyInstance {
    sweeps: SweepWork[]
  }
}

/** Runs a sweep regularly while the app runs; a failure waits for the next round. */
export function sweepRegularly(app: FastifyInstance, what: string, run: SweepWork['run']): void {
  app.sweeps.push({ what, run })
}

interface SweepOptions {
  rows?: readonly Sweep[]
  clock?: () => number
}

/**
 * The one runner of all sweeps, one after the other: the rows, then what modules register. An untrusted clock stops
 * them all. Rounds never overlap; closing the app aborts one.
 */
export function runSweeps(
  app: FastifyInstance,
  db: Db,
  { rows = [], clock = Date.now }: SweepOptions = {},
): void {
  const sweeps: SweepWork[] = rows.map((row) => ({
    what: row.what,
    run: async (signal) => ({ [row.table]: await sweepRows(db, row, signal, clock()) }),
  }))
  app.decorate('sweeps', sweeps)
  const closing = new AbortController()
  let running: Promise<void> | null = null
  const runAll = async () => {
    const state = await acceptClock(db, clock)
    const problem = describeClock(state)
    if (problem !== null) {
      const facts = { ...state, now: new Date(state.now), seenAt: new Date(state.seenAt) }
      app.log[state.distrust === null ? 'warn' : 'error'](facts, problem.message)
    }
    if (state.distrust !== null) return
    for (const { what, run } of sweeps) {
      if (closing.signal.aborted) return
      try {
        const removed = await run(closing.signal)
        if (Object.values(removed).some((rows) => rows > 0))
          app.log.info({ sweep: what, removed }, 'retention: expired rows deleted')
      } catch (error) {
        app.log.warn({ err: error }, `retention: sweep failed for ${what}`)
      }
    }
  }
  let minutes = 0
  const timer = setInterval(() => {
    if (minutes++ % ROUND_MINUTES !== 0) return
    running ??= runAll()
      .catch((error) => app.log.warn({ err: error }, 'retention: skipped, clock check failed'))
      .finally(() => {
        running = null
      })
  }, MINUTE_MS).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    closing.abort()
    await running
  })
}
