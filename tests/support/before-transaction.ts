import { AsyncLocalStorage } from 'node:async_hooks'
import type { Db } from '#server/db/database.ts'

/**
 * Runs `request`, and `meanwhile` just before the first transaction that it opens on this database, when its decisions
 * are as old as possible. Other transactions, such as those of queues, are left alone.
 */
export async function beforeTransaction<T>(
  db: Db,
  request: () => Promise<T>,
  meanwhile: () => Promise<unknown>,
): Promise<T> {
  const inRequest = new AsyncLocalStorage<boolean>()
  const begin = db.transaction
  let hasRun = false
  db.transaction = function (this: Db) {
    const builder = begin.call(db)
    if (hasRun || inRequest.getStore() !== true) return builder
    hasRun = true
    const execute = builder.execute.bind(builder)
    builder.execute = async (work) => {
      await meanwhile()
      return execute(work)
    }
    return builder
  }
  try {
    const answer = await inRequest.run(true, request)
    if (!hasRun) throw new Error('the request opened no transaction')
    return answer
  } finally {
    db.transaction = begin
  }
}
