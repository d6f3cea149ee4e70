import { OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import { isSameVisit, type StoredChoice } from '../ledger/fold-choices.ts'
import type { Choice } from './count-subject.ts'

/** What one record changes in the counts of visits that chose. */
export interface VisitChange {
  counted: Choice
  /** What an earlier record of the same visit had counted. */
  takenBack: Choice | null
  /** When the visit made its first choice, which is where it is counted. */
  at: string
}

interface Visit {
  choice: Choice
  at: string
}

/** The records of one consent id, oldest first, as visits: each counts once, by its last choice. */
export function foldVisits(records: readonly StoredChoice[]): Map<string, VisitChange> {
  const changes = new Map<string, VisitChange>()
  let previous: { record: StoredChoice; visit: Visit } | null = null
  for (const record of records) {
    const choice = choiceOf(record)
    const known: Visit | null =
      previous !== null && isSameVisit(previous.record, record) ? previous.visit : null
    const visit: Visit = { choice, at: known?.at ?? record.created_at }
    previous = { record, visit }
    if (known?.choice !== choice)
      changes.set(record.id, { counted: choice, takenBack: known?.choice ?? null, at: visit.at })
  }
  return changes
}

function choiceOf({ categories }: StoredChoice): Choice {
  const granted = OPTIONAL_CATEGORIES.filter((category) => categories.includes(category)).length
  if (granted === 0) return 'refused'
  return granted === OPTIONAL_CATEGORIES.length ? 'accepted' : 'partial'
}
