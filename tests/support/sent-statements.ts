import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { vi } from 'vitest'

interface Statement {
  sql: string
  parameters: (string | number)[]
}

/** The statements that reach the SQLite thread while the work is done. */
export async function sentStatements(work: () => Promise<unknown>): Promise<Statement[]> {
  const posts = vi.spyOn(Worker.prototype, 'postMessage')
  try {
    await work()
    const sent = posts.mock.calls.flatMap(([batch]) => (Array.isArray(batch) ? (batch as Statement[]) : []))
    // Those that begin or end a transaction have no text.
    return sent.filter(({ sql }) => sql !== '')
  } finally {
    posts.mockRestore()
  }
}

/** How SQLite would find the rows of a statement, step by step. */
export function explain(file: string, { sql, parameters }: Statement): string[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const plan = database.prepare(`explain query plan ${sql}`).all(...parameters)
    return plan.map((step) => String(step.detail))
  } finally {
    database.close()
  }
}
