import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from './database.ts'

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
