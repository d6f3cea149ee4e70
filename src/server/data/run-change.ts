import { change } from '../db/change.ts'
import { AppError } from '../http/app-error.ts'
import { isAdministrator } from '../http/caller.ts'
import type { Call, DataService } from './data-service.ts'
import { missingProof } from './missing-proof.ts'
import { protocolError } from './protocol-errors.ts'
import type { ChangeReview } from './resource.ts'
import { RowWriter } from './write-rows.ts'

/** A key that is still taken after so many tries is another row's, and the answer says so. */
const UPSERT_RETRIES = 3

/** More than one round only for a row that somebody else changed between two tries. */
const MAX_TRIES = 4

/** Takes a transaction back whose rows have to be worked out first. */
class NotWorkedOut extends Error {}

/** Takes a transaction back because that is what the client asked for; the answer says what would have happened. */
class TakenBack<T> extends Error {
  readonly result: T

  constructor(result: T) {
    super('tx=rollback')
    this.result = result
  }
}

/** One transaction; then, when it has changed something, what follows a change; then the answer. */
export async function runChange<T extends { rows: readonly unknown[] }>(
  service: DataService,
  call: Call,
  work: (writer: RowWriter) => Promise<T>,
): Promise<T> {
  const { resource, request, preferences } = call
  const review = resource.review?.()
  const runOnce = () =>
    change(
      service.db,
      async (trx) => {
        const caller = await service.recheck(trx, call.caller)
        if (!isAdministrator(caller)) throw missingProof(`table ${resource.name}`, caller, request)
        const writer = new RowWriter(resource, trx, service.engine, caller)
        const done = await work(writer)
        if (done.rows.length > 0 && (await review?.apply(trx, writer.changes)) === false)
          throw new NotWorkedOut()
        if (preferences.rollback) throw new TakenBack(done)
        return done
      },
      {
        isRetriable: (error, attempt) =>
          preferences.resolution !== null && attempt <= UPSERT_RETRIES && isTakenKey(error),
      },
    )
  let result: T
  try {
    result = await withReview(review, runOnce)
  } catch (error) {
    if (error instanceof TakenBack) return error.result
    throw error
  }
  if (result.rows.length > 0) {
    await review?.committed()
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

/**
 * Of two that put in the same new row, one finds its key taken when it inserts; when it looks again, the row is there.
 */
function isTakenKey(error: unknown): boolean {
  return error instanceof AppError && error.code === '23505'
}

async function withReview<T>(review: ChangeReview | undefined, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; tries < MAX_TRIES; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof NotWorkedOut)) throw error
      await review?.workOut()
    }
  }
  throw protocolError(409, '40001', 'could not serialize access due to concurrent update')
}
