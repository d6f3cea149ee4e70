import { setImmediate } from 'node:timers/promises'
import { recordAudit } from '../activity/trail.ts'
import type { Db } from '../db/database.ts'
import { type Engine, locked } from '../db/dialect.ts'
import { nextTimestamp } from '../db/time.ts'
import { change, pipeline } from '../db/transactions/change.ts'
import { AppError } from '../http/errors.ts'
import { CHANGED_ROWS } from '../http/limits/limits.ts'
import { auditActor, type Caller, isAdministrator } from '../http/security/administrators.ts'
import type { DataService } from './data-service.ts'
import { missingProof, protocolError, toProtocolError } from './errors.ts'
import type { Query } from './grammar/query.ts'
import { applyOrder, applyWhere } from './read-plan.ts'
import type { Call } from './request.ts'
import {
  asDynamic,
  type ChangeReview,
  type Column,
  inOrder,
  PRIMARY_KEY,
  type Resource,
  type Row,
  type RowChange,
  readableColumns,
  type Source,
  type Store,
} from './resource.ts'
import { checkRow, completeRow } from './values.ts'

/** A key that is still taken after this many attempts belongs to another row. */
const UPSERT_RETRIES = 3

/** More than one only if the row changed between two attempts. */
const MAX_TRIES = 4

/** Rolls a transaction back whose rows must be compiled first. */
class NotCompiledYet extends Error {}

/** Rolls a transaction back on the client's request; the response says what would have happened. */
class RolledBack<T> extends Error {
  readonly result: T

  constructor(result: T) {
    super('tx=rollback')
    this.result = result
  }
}

/**
 * Runs one transaction, then the effects of the change, then the response. What `read` finds does not depend on the
 * caller: it travels with the check of the session, in one message to the SQLite thread.
 */
export async function runChange<T extends { rows: readonly unknown[] }, Found = undefined>(
  service: DataService,
  call: Call,
  work: (writer: RowWriter, found: Found) => Promise<T>,
  read: (reader: RowWriter) => Promise<Found> = async () => undefined as Found,
): Promise<T> {
  const { resource, request, preferences } = call
  const review = resource.review?.()
  const runOnce = () =>
    change(
      service.db,
      async (trx) => {
        const writerFor = (caller: Caller) => new RowWriter(resource, trx, service.engine, caller)
        const [caller, found] = await Promise.all([
          service.recheck(trx, call.caller),
          read(writerFor(call.caller)),
        ])
        if (!isAdministrator(caller)) throw missingProof(`table ${resource.name}`, caller, request)
        const writer = writerFor(caller)
        const done = await work(writer, found)
        if (done.rows.length > 0 && (await review?.apply(trx, writer.changes)) === false)
          throw new NotCompiledYet()
        if (preferences.rollback) throw new RolledBack(done)
        return done
      },
      {
        isRetriable: (error, attempt) =>
          preferences.resolution !== null && attempt <= UPSERT_RETRIES && isTakenKey(error),
      },
    )
  let result: T
  try {
    result = await withReview(review, runOnce)
  } catch (error) {
    if (error instanceof RolledBack) return error.result
    // A pipelined statement may fail as late as the commit. Only an insert can find its key taken, and is not pipelined.
    throw toProtocolError(resource, {}, error)
  }
  if (result.rows.length > 0) {
    try {
      await resource.afterChange?.()
    } catch (error) {
      // The change is committed: the response must say so, and the log why its effect is late.
      request.log.error({ err: error, resource: resource.name }, 'change stored, but its effects failed')
    }
  }
  return result
}

/** Of two inserts of the same row, one finds its key taken; the next attempt finds the row. */
function isTakenKey(error: unknown): boolean {
  return error instanceof AppError && error.code === '23505'
}

async function withReview<T>(review: ChangeReview | undefined, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; tries < MAX_TRIES; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof NotCompiledYet)) throw error
      await review?.workOut()
    }
  }
  throw protocolError(409, '40001', 'could not serialize access due to concurrent update')
}

/** The store of a resource that is a single table. */
export function tableStore(table: string, columns: readonly Column[]): Store {
  return {
    async insert(trx: Db, row: Row) {
      await asDynamic(trx).insertInto(table).values(encode(columns, row)).execute()
      return row
    },
    async update(trx: Db, before: Row, after: Row) {
      const changed = columns.filter(({ name }) => !isSame(before[name], after[name]))
      await pipeline(
        trx,
        asDynamic(trx)
          .updateTable(table)
          .set(encode(changed, after))
          .where(PRIMARY_KEY, '=', before[PRIMARY_KEY]),
      )
    },
    async remove(trx: Db, before: Row) {
      await asDynamic(trx).deleteFrom(table).where(PRIMARY_KEY, '=', before[PRIMARY_KEY]).execute()
    },
  }
}

/** Converts values for the engine. */
export function encode(columns: readonly Column[], row: Row): Row {
  return Object.fromEntries(
    columns.map(({ name, type }) => [name, type === 'json' ? JSON.stringify(row[name]) : row[name]]),
  )
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b))
}

/** After this many rows of a transaction the event loop gets a turn. */
const ROWS_PER_TURN = 50

/** `rows` is null if they are too many to be in memory at once. */
export interface LockedRows {
  keys: string[]
  rows: Row[] | null
}

/** Changes rows of one resource for one caller inside one transaction, each with its audit event. */
export class RowWriter {
  readonly #resource: Resource
  readonly #trx: Db
  readonly #engine: Engine
  readonly #caller: Caller
  /** The changes so far, for the review of the whole write. */
  readonly changes: RowChange[] = []

  constructor(resource: Resource, trx: Db, engine: Engine, caller: Caller) {
    this.#resource = resource
    this.#trx = trx
    this.#engine = engine
    this.#caller = caller
  }

  async insert(input: Row): Promise<Row> {
    const row = completeRow(this.#resource, input)
    const stored = await this.#guarded(row, () => this.#resource.store.insert(this.#trx, row, this.#caller))
    await this.#audit('insert', null, stored)
    return stored
  }

  async update(before: Row, input: Row): Promise<Row> {
    const merged = { ...before, ...this.#withoutOwnKey(before, input) }
    merged[this.#resource.versionColumn] = nextTimestamp(before[this.#resource.versionColumn])
    const after = checkRow(this.#resource, merged)
    await this.#guarded(after, () => this.#resource.store.update(this.#trx, before, after, this.#caller))
    await this.#audit('update', before, after)
    return after
  }

  async remove(before: Row): Promise<Row> {
    await this.#resource.store.remove(this.#trx, before, this.#caller)
    await this.#audit('delete', before, null)
    return before
  }

  /** The row with these values, locked until the transaction ends. */
  async find(values: Row): Promise<Row | null> {
    let query = this.#whole(this.#source())
    for (const [name, value] of Object.entries(values)) {
      query = query.where(`${this.#resource.name}.${name}`, '=', value)
    }
    return (await query.executeTakeFirst()) ?? null
  }

  /**
   * The matching rows in the requested order, locked so that they still match when they change. Up to `few` are
   * returned whole; of more, only the keys; of more than allowed, one too many.
   */
  async lock(query: Query, few: number): Promise<LockedRows> {
    const matching = this.#matching(query)
    const key = `${this.#resource.name}.${PRIMARY_KEY}`
    // Rows are locked in key order, to avoid deadlocks, and sorted afterwards.
    const rows = await this.#whole(matching)
      .orderBy(key)
      .limit(few + 1)
      .execute()
    if (rows.length < 2) return { keys: keysOf(rows), rows }
    const isFew = rows.length <= few
    const all = isFew
      ? rows
      : await locked(
          this.#trx,
          matching
            .select(key)
            .orderBy(key)
            .limit(CHANGED_ROWS + 1),
        ).execute()
    if (all.length > CHANGED_ROWS) return { keys: keysOf(all), rows: null }
    const taken = new Set(keysOf(all))
    const ordered = applyOrder(this.#resource, this.#engine, matching, query.order)
    const keys = keysOf(await ordered.select(key).execute()).filter((found) => taken.has(found))
    return { keys, rows: isFew ? inOrder(keys, rows) : null }
  }

  /** The rows with these keys, in the same order. */
  async load(keys: readonly string[]): Promise<Row[]> {
    const source = this.#source().where(`${this.#resource.name}.${PRIMARY_KEY}`, 'in', keys)
    return inOrder(keys, await this.#whole(source).execute())
  }

  #source(): Source {
    return this.#resource.source(asDynamic(this.#trx))
  }

  #matching(query: Query): Source {
    return applyWhere(this.#resource, this.#engine, this.#source(), query)
  }

  #whole(source: Source) {
    const columns = readableColumns(this.#resource).map(({ name }) => `${this.#resource.name}.${name}`)
    return locked(this.#trx, source.select(columns))
  }

  /** A row that was read may be sent back whole, but its key cannot change. */
  #withoutOwnKey(before: Row, input: Row): Row {
    const change = { ...input }
    for (const { name, write } of this.#resource.columns) {
      if (write !== 'create' || !Object.hasOwn(change, name)) continue
      if (change[name] !== before[name]) {
        throw protocolError(400, '428C9', `column "${name}" can only be updated to DEFAULT`)
      }
      delete change[name]
    }
    return change
  }

  async #guarded<T>(row: Row, write: () => Promise<T>): Promise<T> {
    try {
      return await write()
    } catch (error) {
      throw toProtocolError(this.#resource, row, error)
    }
  }

  async #audit(verb: 'insert' | 'update' | 'delete', before: Row | null, after: Row | null): Promise<void> {
    this.changes.push({ before, after })
    if (this.changes.length % ROWS_PER_TURN === 0) await setImmediate()
    if (this.#resource.store.keepsOwnAudit) return
    await recordAudit(this.#trx, {
      ...auditActor(this.#caller),
      action: `${this.#resource.name}.${verb}`,
      subject: String((after ?? before)?.[PRIMARY_KEY]),
      ...(before === null ? {} : { before: this.#public(before) }),
      ...(after === null ? {} : { after: this.#public(after) }),
    })
  }

  /** The audit trail says that a secret was set, not its value. */
  #public(row: Row): Row {
    const shown: Row = {}
    for (const { name, read, reviewed } of this.#resource.columns) {
      if (reviewed) continue
      if (read !== false) shown[name] = row[name]
      else if (row[name] !== undefined) shown[`${name}_set`] = row[name] !== null
    }
    return shown
  }
}

function keysOf(rows: readonly unknown[]): string[] {
  return rows.map((row) => String((row as Row)[PRIMARY_KEY]))
}
