import type { ConsentCount, ConsentState, EvidenceRecord, OptionalCategory } from '#contract/consent.ts'
import { type ConsentAction, OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import { siteDate } from '#contract/site.ts'
import type { ManifestTag } from '#contract/tag-manifest.ts'
import type { Db } from '../db/database.ts'
import { RegularFlush } from '../db/transactions/flush.ts'
import type { Logger } from '../http/logging/logger.ts'
import type { Stats } from '../stats/counts.ts'
import type { Choice } from '../stats/series.ts'

/** Choices of one visit may be spread over hours by short gaps; no longer chain is followed. */
const LOOK_BACK_MS = 86_400_000

/** While nothing can be read, this many choices are kept in memory, and no more. */
const MAX_KEPT = 10_000

/** Consent ids in one statement. */
const IDS_PER_STATEMENT = 500

/** A visitor makes a few choices; whoever forges thousands under one id only miscounts them. */
const MAX_RECORDS = 5_000

/** One choice that was just put on record. */
interface RefusalBufferChoice {
  recordId: string
  consentId: string
  version: string
  createdAt: string
}

interface KeptChoice extends RefusalBufferChoice {
  /** The tags that ran when the choice was made. */
  tags: readonly ManifestTag[]
  /** False when the page names a set of which this process knows nothing any more. */
  isKnownSet: boolean
}

/** The tags of one version of the page. */
interface ServedTags {
  version: string | null
  tags: readonly ManifestTag[]
}

interface RefusalBufferDeps {
  db: Db
  flushMs?: number | undefined
  stats: Stats
  tags: { readonly current: ServedTags; readonly recent: readonly ServedTags[] }
  log: Pick<Logger, 'warn'>
}

/**
 * Counts refused visits per pixel, and visits that chose, from the records of choices alone: the page sends nothing more.
 * Choices are kept for a second and compared with the earlier records of their visit, many at once; what remains are
 * counts.
 */
export class ChoiceCounts {
  readonly #deps: RefusalBufferDeps
  readonly #flush: RegularFlush
  #kept: KeptChoice[] = []

  constructor(deps: RefusalBufferDeps) {
    this.#deps = deps
    this.#flush = new RegularFlush({
      what: 'refusals',
      write: () => this.#write(),
      log: deps.log,
      everyMs: deps.flushMs,
    })
  }

  /** The record must be stored by now. */
  add(choice: RefusalBufferChoice): void {
    if (this.#kept.length >= MAX_KEPT) return
    const { current, recent } = this.#deps.tags
    const known = recent.find(({ version }) => version === choice.version)
    // A page without tags offers none.
    const tags = choice.version === '' ? [] : (known ?? current).tags
    this.#kept.push({ ...choice, tags, isKnownSet: known !== undefined })
  }

  /** Resolves when the counts are in the database, or could not be written. */
  async flush(): Promise<void> {
    await this.#flush.now()
    await this.#deps.stats.flush()
  }

  stop(): Promise<void> {
    return this.#flush.stop()
  }

  async #write(): Promise<void> {
    while (this.#kept.length > 0) {
      const batch = this.#kept.slice(0, IDS_PER_STATEMENT)
      const records = await readRecords(this.#deps.db, batch)
      this.#kept.splice(0, batch.length)
      for (const choice of batch) this.#count(choice, records.get(choice.consentId) ?? [])
    }
  }

  #count(choice: KeptChoice, records: readonly StoredChoice[]): void {
    const { stats } = this.#deps
    const visit = countVisitsByChoice(records).get(choice.recordId)
    if (visit !== undefined) {
      const at = Date.parse(visit.at)
      stats.add({ series: 'site', key: `choice:${visit.counted}`, at })
      if (visit.takenBack !== null)
        stats.add({ series: 'site', key: `choice:${visit.takenBack}`, at, by: -1 })
    }
    const refusals = countRefusalsByVisit(records).get(choice.recordId)
    const count = (category: OptionalCategory, at: string, by: number) => {
      for (const tag of choice.tags)
        if (tag.category === category)
          stats.add({ series: 'tag.result', subject: tag.id, key: 'not_consented', at: Date.parse(at), by })
    }
    for (const category of refusals?.counted ?? []) count(category, choice.createdAt, 1)
    if (!choice.isKnownSet) return
    for (const { category, at } of refusals?.takenBack ?? []) count(category, at, -1)
  }
}

/** By consent id, oldest first. */
async function readRecords(
  db: Db,
  batch: readonly RefusalBufferChoice[],
): Promise<Map<string, StoredChoice[]>> {
  const first = Math.min(...batch.map(({ createdAt }) => Date.parse(createdAt)))
  const rows = await db
    .selectFrom('consent_records')
    .select(['id', 'consent_id', 'action', 'categories', 'tag_set_version', 'created_at'])
    .where('consent_id', 'in', [...new Set(batch.map(({ consentId }) => consentId))])
    .where('created_at', '>=', new Date(first - LOOK_BACK_MS).toISOString())
    .limit(MAX_RECORDS)
    .execute()
  const records = new Map<string, StoredChoice[]>()
  for (const { consent_id, ...record } of rows.sort((a, b) => (a.created_at < b.created_at ? -1 : 1))) {
    records.set(consent_id, [...(records.get(consent_id) ?? []), record])
  }
  return records
}

/** What one record changes in the counts of visits that chose. */
interface VisitChange {
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
export function countVisitsByChoice(records: readonly StoredChoice[]): Map<string, VisitChange> {
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

/** A stored consent record, as far as refusals are counted from it. */
export interface StoredChoice {
  id: string
  action: string
  categories: readonly string[]
  tag_set_version: string
  created_at: string
}

/** What one record changes in the counts of refusals. */
interface Refusals {
  counted: OptionalCategory[]
  /** Counted at an earlier record of the same visit, and granted since. */
  takenBack: { category: OptionalCategory; at: string }[]
}

/** Records of one consent id that follow each other within this are one visit, as long as the page names the same tags. */
const VISIT_GAP_MS = 30 * 60_000

/** Refused at that moment and counted; or told otherwise, by the reports of tags that ran. */
type Counted = { refusedAt: string } | 'elsewhere'

/**
 * The records of one consent id, oldest first, as refusals: each category once per visit. What was granted and then taken
 * back has run, and is in the reports; what a revocation leaves refused was refused before.
 */
export function countRefusalsByVisit(records: readonly StoredChoice[]): Map<string, Refusals> {
  const changes = new Map<string, Refusals>()
  let told = new Map<OptionalCategory, Counted>()
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

function isSameVisit(before: StoredChoice, after: StoredChoice): boolean {
  return (
    before.tag_set_version === after.tag_set_version &&
    Date.parse(after.created_at) - Date.parse(before.created_at) < VISIT_GAP_MS
  )
}

/** In the transaction that gives these records their leaves: each is counted as often as it is sealed, which is once. */
export async function countChoices(trx: Db, records: readonly EvidenceRecord[]): Promise<void> {
  const counts = new Map<string, { day: string; text_version: number; action: string; choice: string }[]>()
  for (const { recorded_at, notice, event, state } of records) {
    const row = {
      day: siteDate(Date.parse(recorded_at)),
      text_version: knownVersion(notice),
      action: event,
      choice: state,
    }
    const key = Object.values(row).join()
    counts.set(key, [...(counts.get(key) ?? []), row])
  }
  const rows = [...counts.values()].flatMap((same) =>
    same.slice(0, 1).map((row) => ({ ...row, count: same.length })),
  )
  await trx
    .insertInto('consent_counts')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['day', 'text_version', 'action', 'choice']).doUpdateSet((eb) => ({
        count: eb('consent_counts.count', '+', eb.ref('excluded.count')),
      })),
    )
    .execute()
}

/** Anyone can name any version; those that were never served are counted together, as 0. Records without a hash are of the first. */
function knownVersion({ version, hash }: EvidenceRecord['notice']): number {
  const isKnown = hash === undefined ? version === 1 : hash !== null
  return isKnown ? version : 0
}

/** Sealed choices by day of the site, both days included (`2026-11-16`). Erasure does not change them. */
export async function summarizeConsent(
  db: Db,
  { from, to }: { from: string; to: string },
): Promise<ConsentCount[]> {
  const rows = await db
    .selectFrom('consent_counts')
    .selectAll()
    .where('day', '>=', from)
    .where('day', '<=', to)
    .orderBy('day')
    .orderBy('text_version')
    .orderBy('action')
    .orderBy('choice')
    .execute()
  return rows.map((row) => ({
    ...row,
    action: row.action as ConsentAction,
    choice: row.choice as ConsentState,
  }))
}
