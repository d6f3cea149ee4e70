import { change } from '../db/change.ts'
import { AppError } from '../http/app-error.ts'
import type { Call, DataService } from './data-service.ts'
import { RowWriter } from './write-rows.ts'

/** A key that is still taken after so many tries is another row's, and the answer says so. */
const UPSERT_RETRIES = 3

/** One transaction; then, when it has changed something, what follows a change; then the answer. */
export async function runChange<T extends { rows: readonly unknown[] }>(
  service: DataService,
  { resource, caller, request, preferences }: Call,
  work: (writer: RowWriter) => Promise<T>,
): Promise<T> {
  const result = await change(
    service.db,
    async (trx) => {
      const done = await work(new RowWriter(resource, trx, service.engine, caller))
      // Last of all: it locks one row that every change locks, and whoever holds that must wait for nothing else.
      if (done.rows.length > 0) await resource.withChange?.(trx)
      return done
    },
    {
      isRetriable: (error, attempt) =>
        preferences.resolution !== null && attempt <= UPSERT_RETRIES && isTakenKey(error),
    },
  )
  if (result.rows.length > 0) {
    try {
      await resource.afterChange?.()
    } catch (error) {
      // The change is made and cannot be taken back: the answer must say so, and the log why its effect is late.
      request.log.error(
        { err: error, resource: resource.name },
        'the effect of a change could not be applied',
      )
    }
  }
  return result
}

/** Of two that put in the same new row, one finds its key taken at the last moment; when it looks again, the row is there. */
function isTakenKey(error: unknown): boolean {
  return error instanceof AppError && error.code === '23505'
}
