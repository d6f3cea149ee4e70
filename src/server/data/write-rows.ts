import { setImmediate } from 'node:timers/promises'
import { recordAudit } from '../db/audit.ts'
import type { Engine } from '../db/column-types.ts'
import type { Db } from '../db/database.ts'
import { locked } from '../db/locked.ts'
import { nextTimestamp } from '../db/next-timestamp.ts'
import { auditActor, type Caller } from '../http/caller.ts'
import { CHANGED_ROWS } from '../http/limits.ts'
import { checkRow, completeRow } from './complete-row.ts'
import { toProtocolError } from './database-errors.ts'
import type { Query } from './grammar/query.ts'
import { protocolError } from './protocol-errors.ts'
import { applyOrder, applyWhere } from './read-plan.ts'
import {
  asDynamic,
  inOrder,
  PRIMARY_KEY,
  type Resource,
  type Row,
  type RowChange,
  readableColumns,
  type Source,
} from './resource.ts'

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
