import type { ConsentOverview } from '#contract/consent.ts'
import type { Db } from '#server/db/database.ts'
import { listSeals } from '../list-seals.ts'
import { readNotices } from '../read-notices.ts'
import { readSealState } from '../read-seal-state.ts'
import { summarizeConsent } from '../summarize-consent.ts'
import type { DayRange } from './read-day-range.ts'

const RECENT_SEALS = 15

export async function readConsentOverview(
  db: Db,
  range: DayRange,
  keptDays: number,
): Promise<ConsentOverview> {
  const [counts, notices, seals, recent] = await Promise.all([
    summarizeConsent(db, range),
    readNotices(db),
    readSealState(db),
    listSeals(db, { limit: RECENT_SEALS }),
  ])
  return {
    ...range,
    counts,
    notices: notices
      .map(({ version, hash, first_served_at, text }) => ({ version, hash, first_served_at, text }))
      .reverse(),
    seals,
    recent: recent.map(({ sequence, sealed_at, leaf_count }) => ({ sequence, sealed_at, leaf_count })),
    kept_days: keptDays,
  }
}
