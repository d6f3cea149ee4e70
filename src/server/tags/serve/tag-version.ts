import type { Db } from '#server/db/database.ts'
import { post } from '#server/db/transactions/change.ts'

/**
 * Marks the tag set as changed, inside the transaction that changes it. The version that it made is known when the
 * transaction is.
 */
export async function raiseTagsVersion(db: Db): Promise<{ version: Promise<number> }> {
  const { answer } = await post(
    db,
    db
      .updateTable('site_state')
      .set((eb) => ({ tags_version: eb('tags_version', '+', 1) }))
      .returning('tags_version'),
  )
  const version = answer.then(({ rows }) => rows[0]?.tags_version ?? Number.NaN)
  // The transaction fails with it.
  version.catch(() => {})
  return { version }
}

export async function readTagsVersion(db: Db): Promise<number> {
  const row = await db.selectFrom('site_state').select('tags_version').executeTakeFirstOrThrow()
  return row.tags_version
}

interface WatchOptions {
  db: Db
  /** A look that failed does not end the watch. */
  onProblem: (error: unknown) => void
  /** Called with the version at each look, changed or not. */
  onVersion: (version: number) => Promise<void>
  pollMs?: number
}

/** A change must be on every process within a second, and a switch of 10,000 pixels takes up to 0.44 s. */
const POLL_MS = 500

/** Looks for changes that other processes made to the tags. */
export function watchTagsVersion(options: WatchOptions): { stop(): Promise<void> } {
  const { db, onProblem, onVersion, pollMs = POLL_MS } = options
  let looking: Promise<void> | null = null
  const timer = setInterval(() => {
    looking ??= readTagsVersion(db)
      .then(onVersion)
      .catch(onProblem)
      .finally(() => {
        looking = null
      })
  }, pollMs).unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await looking
    },
  }
}
