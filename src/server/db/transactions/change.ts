import { setTimeout as wait } from 'node:timers/promises'
import type { Compilable, QueryResult } from 'kysely'
import type { Db } from '../database.ts'
import { asPosted, ThreadConnection } from '../engines/sqlite-driver.ts'

/** PostgreSQL's "deadlock detected" and "could not serialize": it undid everything, and another try may succeed. */
const RETRIABLE = ['40P01', '40001']

const ATTEMPTS = 8

const FIRST_PAUSE_MS = 25

interface ChangeOptions {
  /** Further failures that another try can find gone, such as a key that was free when it was looked for. */
  isRetriable?: (error: unknown, attempt: number) => boolean
}

const afterCommits = new WeakMap<Db, (() => void)[]>()

/**
 * Runs `work` once the transaction of `change` is durable: never after a rollback, and once however often the change was
 * tried. At once where there is no such transaction.
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
 * audit event, all in one transaction. It may run more than once, so it does nothing but ask the
 * database; what else a change causes, such as a mail, waits for `afterCommit`.
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
      // Two that collided once would do so again if both came back at the same moment; the more there are, the wider apart.
      await wait(Math.random() * FIRST_PAUSE_MS * 2 ** attempt)
    }
  }
}

function isConflict(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && RETRIABLE.includes(code)
}

interface Posted<Row> {
  /** Settled by the time the transaction is. Within it, waiting for this is waiting for the statement. */
  answer: Promise<QueryResult<Row>>
}

/**
 * Sends a statement of a transaction whose answer its next statement does not need. On the embedded engine nobody waits
 * for it: each answer costs a journey between two threads, and while a transaction is open nobody else writes. When it
 * fails, so does the transaction, with that error. PostgreSQL, and either engine outside of a transaction, has answered
 * when this resolves. Values come as they are stored, not as queries give them.
 */
export async function post<Row>(trx: Db, statement: Compilable<Row>): Promise<Posted<Row>> {
  const query = statement.compile()
  return trx.getExecutor().provideConnection(async (connection) => {
    const isPosted = trx.isTransaction && connection instanceof ThreadConnection
    const answer = connection.executeQuery<Row>(isPosted ? asPosted(query) : query)
    // Of what was posted the transaction tells the failure, and nobody has to wait for this.
    if (isPosted) answer.catch(() => {})
    else await answer
    return { answer }
  })
}
