import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { type Insertable, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { asRepeated } from '../db/engines/sqlite-driver.ts'
import { isUnavailable } from '../db/errors.ts'
import type { Deliveries } from '../db/schema/outbox.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { Claim, JobKind } from './queue.ts'

interface EncryptedJob {
  kind: JobKind
  /** Stored as JSON that nobody who reads the database can read. */
  content: unknown
  /** At once unless told. */
  dueAt?: number
  /** From then on it is of no use. */
  expiresAt: number
}

/**
 * Stores a job in the transaction that causes it: it is durable when that is, and every process that runs the outbox
 * finds it within a second.
 * @example
 * await change(db, async (trx) => {
 *   await storePassword(trx)
 *   await enqueueEncrypted(trx, secrets, { kind: 'mail', content: email, expiresAt })
 * })
 */
export async function enqueueEncrypted(
  trx: Db,
  secrets: Secrets,
  { kind, content, dueAt, expiresAt }: EncryptedJob,
  now = Date.now(),
): Promise<void> {
  const id = randomUUID()
  const sealed = await secrets.seal(trx, contentPlace(id), JSON.stringify(content))
  await trx
    .insertInto('deliveries')
    .values({
      id,
      kind,
      payload: '{}',
      sealed,
      next_attempt_at: new Date(dueAt ?? now).toISOString(),
      created_at: new Date(now).toISOString(),
      expires_at: new Date(expiresAt).toISOString(),
    })
    .execute()
}

/** What `enqueueEncrypted` was given. */
export async function decryptContent<Content>(
  secrets: Secrets,
  { id, sealed }: Pick<Claim, 'id' | 'sealed'>,
): Promise<Content> {
  return JSON.parse(await secrets.open(contentPlace(id), sealed ?? '')) as Content
}

const contentPlace = (row: string) => ({ table: 'deliveries', column: 'sealed', row })

/** What an event's row is made of, with the types that PostgreSQL reads them as. */
const COLUMNS = {
  id: 'uuid',
  kind: 'text',
  pixel_id: 'uuid',
  event_id: 'uuid',
  event: 'text',
  consent_id: 'uuid',
  category: 'text',
  payload: 'text',
  email_hash: 'text',
  next_attempt_at: 'timestamptz',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
} as const satisfies Partial<Record<keyof Deliveries, string>>
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]

export type EventRow = Required<Pick<Insertable<Deliveries>, keyof typeof COLUMNS>>

/** Rows of one statement: it holds the write lock for some milliseconds. */
const MAX_ROWS = 500
/** Statements begin no closer together: each is a wait for the disk, and wakes whoever is answered. */
const APART_MS = 5
const ANSWERS_PER_TURN = 16

interface Waiting {
  rows: readonly EventRow[]
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * Stores events of many visitors in one statement. What comes while one is being stored waits for the next, and the
 * busier it is the less each costs; whoever comes alone is stored at once.
 */
export class EventWriter {
  readonly #db: Db
  #waiting: Waiting[] = []
  #isWriting = false
  #begunAt = Number.NEGATIVE_INFINITY

  constructor(db: Db) {
    this.#db = db
  }

  /** Resolves when the rows are durable. An event that is stored already changes nothing. */
  insert(rows: readonly EventRow[]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ rows, resolve, reject })
    if (!this.#isWriting) {
      this.#isWriting = true
      void this.#writeAll()
    }
    return promise
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const early = APART_MS - (performance.now() - this.#begunAt)
      // Those of one turn of the loop go together, and when there are many those of some milliseconds.
      if (early > 0) await sleep(early)
      else await nextTurn()
      this.#begunAt = performance.now()
      await this.#writeSome(this.#takeSome())
    }
    this.#isWriting = false
  }

  #takeSome(): Waiting[] {
    let rows = 0
    const end = this.#waiting.findIndex((each) => {
      rows += each.rows.length
      return rows > MAX_ROWS
    })
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : Math.max(1, end))
  }

  async #writeSome(some: readonly Waiting[]): Promise<void> {
    try {
      await insertEvents(
        this.#db,
        some.flatMap(({ rows }) => rows),
      )
      void answerInTurns(some)
    } catch (error) {
      const [only] = some
      if (some.length === 1) only?.reject(error)
      else if (isUnavailable(error)) for (const { reject } of some) reject(error)
      else {
        // One that cannot be stored, as when its pixel was deleted just now, is refused alone.
        const middle = Math.ceil(some.length / 2)
        await this.#writeSome(some.slice(0, middle))
        await this.#writeSome(some.slice(middle))
      }
    }
  }
}

/** A few, and then whoever else waits for the loop: each answer is work, and hundreds become due in one moment. */
async function answerInTurns(some: readonly Waiting[]): Promise<void> {
  for (const [index, { resolve }] of some.entries()) {
    if (index > 0 && index % ANSWERS_PER_TURN === 0) await nextTurn()
    resolve()
  }
}

export async function insertEvents(db: Db, rows: readonly EventRow[]): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  if (engineOf(db) === 'postgres') return insertOnPostgres(db, rows)
  const insert = db
    .insertInto('deliveries')
    // Its keys give the parameters their order.
    .values(Object.fromEntries(NAMES.map((name) => [name, first[name]])) as EventRow)
    .onConflict((conflict) => conflict.columns(['pixel_id', 'event_id']).doNothing())
  const parameterSets = rows.map((row) => NAMES.map((name) => row[name]))
  await db.executeQuery(asRepeated(insert.compile(), parameterSets))
}

/** One parameter for all rows: a statement with thousands of them takes longer to compose than to run. */
async function insertOnPostgres(db: Db, rows: readonly EventRow[]): Promise<void> {
  const list = JSON.stringify(rows.map((row) => NAMES.map((name) => row[name])))
  const cells = NAMES.map((name, index) => sql.raw(`(cell ->> ${index})::${COLUMNS[name]}`))
  const source = sql<EventRow>`(select ${sql.join(cells)} from json_array_elements(${list}::json) as cell)`
  await db
    .insertInto('deliveries')
    .columns(NAMES)
    .expression((eb) => eb.selectFrom(source.as('rows')).selectAll())
    .onConflict((conflict) => conflict.columns(['pixel_id', 'event_id']).doNothing())
    .execute()
}
