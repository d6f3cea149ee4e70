import { sql } from 'kysely'
import type { Db } from '#server/db/database.ts'
import { engineOf } from '#server/db/dialect.ts'
import { pipeline } from '#server/db/transactions/change.ts'

/**
 * Raises the tags version inside the transaction of the change. With the changed pixels, other processes read only
 * those; without, they read all. An empty list changes no pixel, like the pause of all tags.
 */
export async function raiseTagsVersion(trx: Db, pixelIds: readonly string[] | null = null): Promise<void> {
  const raise = trx.updateTable('site_state').set((eb) => ({ tags_version: eb('tags_version', '+', 1) }))
  const ids = pixelIds === null || pixelIds.length > MAX_CHANGED ? null : pixelIds.join(' ')
  if (ids === null) {
    await pipeline(trx, raise)
    return
  }
  const changed = { pixel_ids: sql.val(ids), changed_at: sql.val(new Date().toISOString()) }
  const COLUMNS = ['version', 'pixel_ids', 'changed_at'] as const
  if (engineOf(trx) === 'postgres') {
    // One round trip: every other change waits for the row until this transaction ends.
    await trx
      .with('raised', () => raise.returning('tags_version'))
      .insertInto('tag_changes')
      .columns(COLUMNS)
      .expression((eb) =>
        eb
          .selectFrom('raised')
          .select([
            'tags_version',
            changed.pixel_ids.as('pixel_ids'),
            sql<string>`${changed.changed_at}::timestamptz`.as('changed_at'),
          ]),
      )
      .execute()
    return
  }
  await pipeline(trx, raise)
  await pipeline(
    trx,
    trx
      .insertInto('tag_changes')
      .columns(COLUMNS)
      .expression((eb) =>
        eb
          .selectFrom('site_state')
          .select(['tags_version', changed.pixel_ids.as('pixel_ids'), changed.changed_at.as('changed_at')]),
      ),
  )
}

/** Beyond these numbers, reading everything costs no more. */
const MAX_STEPS = 50
const MAX_CHANGED = 200

interface TagChange {
  version: number
  pixel_ids: string
}

/** The first changes after a version. */
export function readTagChanges(db: Db, after: number): Promise<TagChange[]> {
  return db
    .selectFrom('tag_changes')
    .select(['version', 'pixel_ids'])
    .where('version', '>', after)
    .orderBy('version')
    .limit(MAX_STEPS)
    .execute()
}

/** The pixels that changed between two versions, by the changes after the first; null if anything may have changed. */
export function findChangedPixels(
  changes: readonly TagChange[],
  after: number,
  upTo: number,
): string[] | null {
  if (upTo < after) return null
  const between = changes.filter(({ version }) => version <= upTo)
  // A missing one was written by an older release, or may concern every pixel.
  if (between.length < upTo - after) return null
  const ids = new Set(between.flatMap(({ pixel_ids }) => pixel_ids.split(' ').filter((id) => id !== '')))
  return ids.size > MAX_CHANGED ? null : [...ids]
}

export async function readTagsVersion(db: Db): Promise<number> {
  const row = await db.selectFrom('site_state').select('tags_version').executeTakeFirstOrThrow()
  return row.tags_version
}

interface WatchOptions {
  db: Db
  /** Called when a read failed; watching continues. */
  onProblem: (error: unknown) => void
  /** Called with the version at each read, changed or not. */
  onVersion: (version: number) => Promise<void>
  pollMs?: number
}

/** A change must reach every process within a second, and switching one of 10,000 pixels takes up to 0.44 s. */
const POLL_MS = 500

interface TagsWatch {
  /** Resolves when a look that began after this call is done; rejects if it failed. Costs no statement of its own. */
  nextLook(): Promise<void>
  stop(): Promise<void>
}

/** Watches for tag changes of other processes. */
export function watchTagsVersion(options: WatchOptions): TagsWatch {
  const { db, onProblem, onVersion, pollMs = POLL_MS } = options
  let looking: Promise<void> | null = null
  let next: PromiseWithResolvers<void> | null = null
  const look = async () => {
    const waiting = next
    next = null
    try {
      await onVersion(await readTagsVersion(db))
      waiting?.resolve()
    } catch (error) {
      onProblem(error)
      waiting?.reject(error)
    }
  }
  const timer = setInterval(() => {
    looking ??= look().finally(() => {
      looking = null
    })
  }, pollMs).unref()
  return {
    nextLook: () => {
      if (next === null) {
        next = Promise.withResolvers()
        // Each caller handles it.
        next.promise.catch(() => {})
      }
      return next.promise
    },
    stop: async () => {
      clearInterval(timer)
      await looking
      next?.resolve()
    },
  }
}
