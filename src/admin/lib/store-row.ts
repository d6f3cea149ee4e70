import type { PostgrestError } from '@supabase/postgrest-js'
import { ChangedElsewhereError } from './changed-elsewhere-error.ts'
import { RequestError } from './request-error.ts'
import { unwrap } from './unwrap.ts'

type Answer<Row> = PromiseLike<{ data: Row[] | null; error: PostgrestError | null; status: number }>

interface StoreRow<Row> {
  /** `updated_at` of the row as it was opened; null once the person chose to replace somebody else's change. */
  unchangedSince: string | null
  /** Stores the change in the row, only while it is unchanged when that is asked for, and answers with what it stored. */
  update: (unchangedSince: string | null) => Answer<Row>
  read: () => Answer<Row>
  /** Said when somebody else deleted it. */
  gone: string
}

/** Changes a row that somebody else may have open too: nobody's work is replaced without their knowing. */
export async function storeRow<Row>({ unchangedSince, update, read, gone }: StoreRow<Row>): Promise<Row> {
  // No row matches when `updated_at` has moved on: somebody saved in between.
  const [saved] = await unwrap(update(unchangedSince))
  if (saved !== undefined) return saved
  const [theirs] = await unwrap(read())
  throw theirs === undefined
    ? new RequestError({ status: 404, message: gone })
    : new ChangedElsewhereError<Row>(theirs)
}
