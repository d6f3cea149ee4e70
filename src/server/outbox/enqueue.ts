import crypto, { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { Db } from '../db/database.ts'
import { asTable, engineOf } from '../db/dialect.ts'
import { asRepeated } from '../db/engines/sqlite-driver.ts'
import type { Deliveries } from '../db/schema/outbox.ts'
import { GroupWriter } from '../db/transactions/group-writer.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { Claim, JobKind } from './queue.ts'

interface EncryptedJob {
  kind: JobKind
  /** Stored as encrypted JSON. */
  content: unknown
  /** Defaults to now. */
  dueAt?: number
  /** After this time it has no use. */
  expiresAt: number
}

/**
 * Stores a job in the transaction that causes it. Every process that runs the outbox finds it within a second.
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
  const encrypted = await secrets.encrypt(trx, contentPlace(id), JSON.stringify(content))
  await trx
    .insertInto('deliveries')
    .values({
      id,
      kind,
      payload: '{}',
      sealed: encrypted,
      next_attempt_at: new Date(dueAt ?? now).toISOString(),
      created_at: new Date(now).toISOString(),
      expires_at: new Date(expiresAt).toISOString(),
    })
    .execute()
}

/** Decrypts what `enqueueEncrypted` stored. */
export async function decryptContent<Content>(
  secrets: Secrets,
  { id, sealed: encrypted }: Pick<Claim, 'id' | 'sealed'>,
): Promise<Content> {
  return JSON.parse(await secrets.decrypt(contentPlace(id), encrypted ?? '')) as Content
}

const contentPlace = (row: string) => ({ table: 'deliveries', column: 'sealed', row })

/** The columns of an event's row, with their PostgreSQL types. */
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

/**
 * Ordered ids keep new rows together in the index, so that a commit writes few pages. Node has UUIDs of version 7 from
 * 24.16 on; any UUID works before.
 */
export const makeRowId = crypto.randomUUIDv7 ?? randomUUID

/** Stores events of many visitors in one statement. Storing the same event again changes nothing. */
export class EventWriter {
  readonly #writer: GroupWriter<EventRow, void>

  constructor(db: Db) {
    this.#writer = new GroupWriter((rows) => insertEvents(db, rows))
  }

  /** Resolves when the rows are stored. */
  insert(rows: readonly EventRow[]): Promise<void> {
    return this.#writer.write(rows)
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

async function insertOnPostgres(db: Db, rows: readonly EventRow[]): Promise<void> {
  await db
    .insertInto('deliveries')
    .columns(NAMES)
    .expression((eb) => eb.selectFrom(asTable(db, COLUMNS, rows)).selectAll())
    .onConflict((conflict) => conflict.columns(['pixel_id', 'event_id']).doNothing())
    .execute()
}
