import type { OptionalCategory } from '#contract/consent.ts'
import { OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'

/** A stored consent record, as far as refusals are counted from it. */
export interface StoredChoice {
  id: string
  action: string
  categories: readonly string[]
  tag_set_version: string
  created_at: string
}

/** What one record changes in the counts of refusals. */
export interface Refusals {
  counted: OptionalCategory[]
  /** Counted at an earlier record of the same visit, and granted since. */
  takenBack: { category: OptionalCategory; at: string }[]
}

/** Records of one consent id that follow each other within this are one visit, as long as the page names the same tags. */
const VISIT_GAP_MS = 30 * 60_000

/** Refused at that moment and counted; or told otherwise, by the reports of tags that ran. */
type Told = { refusedAt: string } | 'elsewhere'

/**
 * The records of one consent id, oldest first, as refusals: each category once per visit. What was granted and then taken
 * back has run, and is in the reports; what a revocation leaves refused was refused before.
 */
export function foldChoices(records: readonly StoredChoice[]): Map<string, Refusals> {
  const changes = new Map<string, Refusals>()
  let told = new Map<OptionalCategory, Told>()
  let previous: StoredChoice | null = null
  for (const record of records) {
    if (previous === null || !isSameVisit(previous, record)) told = new Map()
    previous = record
    const refusals: Refusals = { counted: [], takenBack: [] }
    changes.set(record.id, refusals)
    for (const category of OPTIONAL_CATEGORIES) {
      const before = told.get(category)
      if (record.categories.includes(category)) {
        if (before !== undefined && before !== 'elsewhere')
          refusals.takenBack.push({ category, at: before.refusedAt })
        told.set(category, 'elsewhere')
      } else if (before === undefined) {
        const isRevoked = record.action === 'revoke'
        if (!isRevoked) refusals.counted.push(category)
        told.set(category, isRevoked ? 'elsewhere' : { refusedAt: record.created_at })
      }
    }
  }
  return changes
}

export function isSameVisit(before: StoredChoice, after: StoredChoice): boolean {
  return (
    before.tag_set_version === after.tag_set_version &&
    Date.parse(after.created_at) - Date.parse(before.created_at) < VISIT_GAP_MS
  )
}
