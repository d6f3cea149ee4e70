import { setImmediate } from 'node:timers/promises'
import { recordAudit } from '../activity/trail.ts'
import type { Db } from '../db/database.ts'
import { type Engine, locked } from '../db/dialect.ts'
import { nextTimestamp } from '../db/time.ts'
import { change } from '../db/transactions/change.ts'
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

/** A key that is still taken after so many tries is another row's, and the answer says so. */
const UPSERT_RETRIES = 3

/** More than one round only for a row that somebody else changed between two tries. */
const MAX_TRIES = 4

/** Takes a transaction back whose rows have to be worked out first. */
class NotCompiledYet extends Error {}

/** Takes a transaction back because that is what the client asked for; the answer says what would have happened. */
class RolledBack<T> extends Error {
  readonly result: T

  constructor(result: T) {
    super('tx=rollback')
    this.result = result
  }
}

/** One transaction; then, when it has changed something, what follows a change; then the answer. */
export async function runChange<T extends { rows: readonly unknown[] }>(
  service: DataService,
  call: Call,
  work: (writer: RowWriter) => Promise<T>,
): Promise<T> {
  const { resource, request, preferences } = call
  const review = resource.review?.()
  const runOnce = () =>
    change(
      service.db,
      async (trx) => {
        const caller = await service.recheck(trx, call.caller)
        if (!isAdministrator(caller)) throw missingProof(`table ${resource.name}`, caller, request)
        const writer = new RowWriter(resource, trx, service.engine, caller)
        const done = await work(writer)
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
    throw error
  }
  if (result.rows.length > 0) {
    await review?.committed()
    try {
      await resource.afterChange?.()
    } catch (error) {
      // The change is made and cannot be taken back: the answer must say so, and the log why its effect is late.
      request.log.error(
        { err: error, resource: resource.name },
        'the effect of a change could not be applied',
      )
    }
  }
  return result
}

/**
 * Of two that put in the same new row, one finds its key taken when it inserts; when it looks again, the row is there.
 */
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

/** The store of a resource that is one table and nothing more. */
export function tableStore(table: string, columns: readonly Column[]): Store {
  return {
    async insert(trx: Db, row: Row) {
      await asDynamic(trx).insertInto(table).values(encode(columns, row)).execute()
      return row
    },
    async update(trx: Db, before: Row, after: Row) {
      const changed = columns.filter(({ name }) => !isSame(before[name], after[name]))
      await asDynamic(trx)
        .updateTable(table)
        .set(encode(changed, after))
        .where(PRIMARY_KEY, '=', before[PRIMARY_KEY])
        .execute()
    },
    async remove(trx: Db, before: Row) {
      await asDynamic(trx).deleteFrom(table).where(PRIMARY_KEY, '=', before[PRIMARY_KEY]).execute()
    },
  }
}

/** Values as the engine takes them. */
export function encode(columns: readonly Column[], row: Row): Row {
  return Object.fromEntries(
    columns.map(({ name, type }) => [name, type === 'json' ? JSON.stringify(row[name]) : row[name]]),
  )
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b))
}

/** Between so many rows of one transaction the event loop gets its turn. */
const ROWS_PER_TURN = 50

/** The rows of one resource as one caller changes them inside one transaction, each change with its audit row. */
export class RowWriter {
  readonly #resource: Resource
  readonly #trx: Db
  readonly #engine: Engine
  readonly #caller: Caller
  /** What was written so far, for whoever reviews the write as a whole. */
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

  /** The row that holds these values, locked until the transaction ends. */
  async find(values: Row): Promise<Row | null> {
    let query = this.#whole(this.#source())
    for (const [name, value] of Object.entries(values)) {
      query = query.where(`${this.#resource.name}.${name}`, '=', value)
    }
    return (await query.executeTakeFirst()) ?? null
  }

  /**
   * The rows that match, in the order asked for, locked so that they still match when they change. Up to `few` come
   * whole; of more, the keys alone, and of more than may change, one too many.
   */
  async lock(query: Query, few: number): Promise<{ keys: string[]; rows: Row[] | null }> {
    const matching = this.#matching(query)
    const key = `${this.#resource.name}.${PRIMARY_KEY}`
    // Everyone locks in one order, the key's, so that no two wait for each other; the order asked for comes after.
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

  /** The rows with these keys, in the keys' order. */
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

  /** A row that was read may be sent back whole; its key may not become another's. */
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

  /** Of a secret the trail says that it was set, and not what it is. */
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
