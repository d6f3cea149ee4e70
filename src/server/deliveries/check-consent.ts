import type { Db } from '../db/database.ts'
import type { Job } from './job.ts'

/** The page sends the record of a choice and its first event at the same moment: the record may come second. */
const RECORD_GRACE_MS = 2 * 60_000
/** SQLite takes at most 500 parts of one statement. */
const IDS_PER_STATEMENT = 100

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
  const newest = new Map<string, readonly string[]>()
  for (let at = 0; at < ids.length; at += IDS_PER_STATEMENT)
    for (const { consent_id, categories } of await readNewest(db, ids.slice(at, at + IDS_PER_STATEMENT)))
      newest.set(consent_id, categories)
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

/** One row for each id, found by index: anybody can have made thousands of records in the name of one. */
async function readNewest(db: Db, ids: readonly string[]) {
  const newestOf = (id: string) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom('consent_records')
          .select(['consent_id', 'categories'])
          .where('consent_id', '=', id)
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(1)
          .as('newest'),
      )
      .selectAll()
  const [first, ...others] = ids.map(newestOf)
  if (first === undefined) return []
  return others.reduce((query, other) => query.unionAll(other), first).execute()
}
