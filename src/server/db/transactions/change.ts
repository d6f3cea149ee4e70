import { setTimeout as wait } from 'node:timers/promises'
import type { Compilable, QueryResult } from 'kysely'
import type { Db } from '../database.ts'
import { asPipelined, ThreadConnection } from '../engines/sqlite-driver.ts'

/** PostgreSQL's "deadlock detected" and "could not serialize": everything was rolled back, and a retry may succeed. */
const RETRIABLE = ['40P01', '40001']

const ATTEMPTS = 8

const FIRST_PAUSE_MS = 25

interface ChangeOptions {
  /** Further errors that a retry can solve, such as a key that was free when it was checked. */
  isRetriable?: (error: unknown, attempt: number) => boolean
}

const afterCommits = new WeakMap<Db, (() => void)[]>()

/**
 * Runs `work` once the transaction of `change` is committed: never after a rollback, and once however often it was
 * tried. At once without such a transaction.
 * @example
 * await change(db, async (trx) => {
 *   await storeChange(trx)
 *   afterCommit(trx, () => metrics.count(entry))
 * })
 */
export function afterCommit(db: Db, work: () => void): void {
  const list = afterCommits.get(db)
  if (list === undefined) work()
  else list.push(work)
}

/**
 * The one way to change what was read: `work` locks the rows that it reads (`locked`), writes them, and records the
 * audit event, all in one transaction. It may run more than once, so it must only use the database; other effects wait
 * for `afterCommit`.
 */
export async function change<T>(
  db: Db,
  work: (trx: Db) => Promise<T>,
  { isRetriable = () => false }: ChangeOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const committed: (() => void)[] = []
      const result = await db.transaction().execute((trx) => {
        afterCommits.set(trx, committed)
        return work(trx)
      })
      for (const each of committed) each()
      return result
    } catch (error) {
      if (attempt === ATTEMPTS || !(isConflict(error) || isRetriable(error, attempt))) throw error
      // Two that collided would do so again at the same moment; the delay grows with the attempts.
      await wait(Math.random() * FIRST_PAUSE_MS * 2 ** attempt)
    }
  }
}

function isConflict(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && RETRIABLE.includes(code)
}

interface Pipelined<Row> {
  /** Settled when the transaction is. Awaiting it inside the transaction waits for the statement. */
  answer: Promise<QueryResult<Row>>
}

/**
 * Sends a statement of a transaction whose result the next statement does not need. On SQLite it is pipelined: each
 * answer costs a round trip between two threads, and other writes wait while a transaction is open. If it fails, the
 * transaction fails with its error. On PostgreSQL, and outside of a transaction, it has run when this resolves. Values
 * are returned as stored.
 */
export async function pipeline<Row>(trx: Db, statement: Compilable<Row>): Promise<Pipelined<Row>> {
  const query = statement.compile()
  return trx.getExecutor().provideConnection(async (connection) => {
    const isPipelined = trx.isTransaction && connection instanceof ThreadConnection
    const answer = connection.executeQuery<Row>(isPipelined ? asPipelined(query) : query)
    // The transaction reports its failure.
    if (isPipelined) answer.catch(() => {})
    else await answer
    return { answer }
  })
}
