import type { Db } from '../db/database.ts'
import type { Job } from './job.ts'

/** The page sends the record of a choice and its first event at the same moment: the record may come second. */
const RECORD_GRACE_MS = 2 * 60_000

export interface Checked {
  granted: Job[]
  /** The newest record of the choice does not allow it, or there is none. */
  withheld: Job[]
  /** No record yet. */
  early: Job[]
}

/** Asks, right before sending, what each visitor's newest recorded choice is. What a cookie said is not enough. */
export async function checkConsent(db: Db, jobs: readonly Job[], now: number): Promise<Checked> {
  const ids = [...new Set(jobs.map(({ consent_id }) => consent_id))]
  const records =
    ids.length === 0
      ? []
      : await db
          .selectFrom('consent_records')
          .select(['consent_id', 'categories'])
          .where('consent_id', 'in', ids)
          .orderBy('created_at')
          .orderBy('id')
          .execute()
  const newest = new Map(records.map(({ consent_id, categories }) => [consent_id, categories]))
  const checked: Checked = { granted: [], withheld: [], early: [] }
  for (const job of jobs) {
    const categories = newest.get(job.consent_id)
    if (categories?.includes(job.category)) checked.granted.push(job)
    else if (categories === undefined && now - Date.parse(job.created_at) < RECORD_GRACE_MS)
      checked.early.push(job)
    else checked.withheld.push(job)
  }
  return checked
}
