import type { Compilable, QueryResult } from 'kysely'
import type { Db } from './database.ts'
import { asPosted, ThreadConnection } from './sqlite-driver.ts'

export interface Posted<Row> {
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
