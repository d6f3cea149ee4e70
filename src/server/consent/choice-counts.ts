import type { ConsentCount, ConsentProofRecord, ConsentState, OptionalCategory } from '#contract/consent.ts'
import { type ConsentAction, OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import { DAY_MS } from '#contract/durations.ts'
import { siteDate, startOfSiteDay } from '#contract/site.ts'
import type { ManifestTag } from '#contract/tag-manifest.ts'
import type { Db } from '../db/database.ts'
import { containsText } from '../db/dialect.ts'
import { RegularFlush } from '../db/transactions/flush.ts'
import type { Logger } from '../http/logging/logger.ts'
import { readCounts, type Stats } from '../stats/counts.ts'
import { type Choice, VISIT_GAP_MS } from '../stats/series.ts'
import { stateOf } from './proof/canonical.ts'

/** Choices of one visit may be hours apart in short gaps; earlier ones are not looked at. */
const LOOK_BACK_MS = DAY_MS

/** While the database cannot be read, at most this many choices are kept in memory. */
const MAX_KEPT = 10_000

/** Consent ids in one statement. */
const IDS_PER_STATEMENT = 500

/** Enough for any visitor. Forged records beyond this number are only miscounted. */
const MAX_RECORDS = 5_000

/** Sets that a process remembers to have noted. */
const MAX_NOTED = 1_000

/** A choice whose record was just stored. */
interface RefusalBufferChoice {
  recordId: string
  consentId: string
  version: string
  createdAt: string
}

interface KeptChoice extends RefusalBufferChoice {
  /** The set that ran when the choice was made; null if no tag ran. */
  set: RunSet | null
  /** False when this process no longer knows the tag set that the page names. */
  isKnownSet: boolean
}

/** The tags of one version of the page. */
interface ServedTags {
  version: string | null
  tags: readonly ManifestTag[]
}

interface RunSet extends ServedTags {
  version: string
}

interface RefusalBufferDeps {
  db: Db
  flushMs?: number | undefined
  stats: Stats
  tags: { readonly current: ServedTags; readonly recent: readonly ServedTags[] }
  log: Pick<Logger, 'warn'>
}

/**
 * Counts refused visits per tag set, and visits by choice, from consent records alone, so that the page sends nothing
 * more. Choices are kept for a second and compared with the earlier records of their visit, many at once.
 */
export class ChoiceCounts {
  readonly #deps: RefusalBufferDeps
  readonly #flush: RegularFlush
  #kept: KeptChoice[] = []
  /** The last day for which each set was noted. */
  readonly #noted = new Map<string, string>()

  constructor(deps: RefusalBufferDeps) {
    this.#deps = deps
    this.#flush = new RegularFlush({
      what: 'refusals',
      write: () => this.#write(),
      log: deps.log,
      everyMs: deps.flushMs,
    })
  }

  /** Call it after the record was stored. */
  add(choice: RefusalBufferChoice): void {
    if (this.#kept.length >= MAX_KEPT) return
    const { current, recent } = this.#deps.tags
    const known = recent.find(({ version }) => version === choice.version)
    const { version, tags } = known ?? current
    // A page without a tag set offered no tags.
    const set = choice.version === '' || version === null ? null : { version, tags }
    this.#kept.push({ ...choice, set, isKnownSet: known !== undefined })
  }

  /** Resolves when the counts are stored, or could not be. */
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
      await this.#noteSets(batch)
      this.#kept.splice(0, batch.length)
      for (const choice of batch) this.#count(choice, records.get(choice.consentId) ?? [])
    }
  }

  /** Stores which pixels a set holds, before refusals of it are counted: at most once a day by each process. */
  async #noteSets(batch: readonly KeptChoice[]): Promise<void> {
    for (const { set, createdAt } of batch) {
      const day = new Date(startOfSiteDay(Date.parse(createdAt))).toISOString()
      if (set === null || (this.#noted.get(set.version) ?? '') >= day) continue
      await noteSet(this.#deps.db, set, day)
      this.#noted.delete(set.version)
      this.#noted.set(set.version, day)
      for (const oldest of this.#noted.keys()) if (this.#noted.size > MAX_NOTED) this.#noted.delete(oldest)
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
    const { set } = choice
    if (set === null) return
    const count = (category: OptionalCategory, at: string, by: number) => {
      if (categoriesOf(set.tags).has(category))
        stats.add({ series: 'set.refusal', subject: set.version, key: category, at: Date.parse(at), by })
    }
    for (const category of refusals?.counted ?? []) count(category, choice.createdAt, 1)
    if (!choice.isKnownSet) return
    for (const { category, at } of refusals?.takenBack ?? []) count(category, at, -1)
  }
}

const knownCategories = new WeakMap<readonly ManifestTag[], ReadonlySet<string>>()

/** Found once per set: a choice looks at no pixel. */
function categoriesOf(tags: readonly ManifestTag[]): ReadonlySet<string> {
  const known = knownCategories.get(tags)
  if (known !== undefined) return known
  const found = new Set(tags.map(({ category }) => category))
  knownCategories.set(tags, found)
  return found
}

async function noteSet(db: Db, { version, tags }: RunSet, day: string): Promise<void> {
  const rows = OPTIONAL_CATEGORIES.flatMap((category) => {
    const ids = tags.filter((tag) => tag.category === category).map(({ id }) => id)
    return ids.length === 0 ? [] : [{ version, category, pixel_ids: ids.join(' '), used_at: day }]
  })
  if (rows.length === 0) return
  await db
    .insertInto('tag_sets')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['version', 'category'])
        .doUpdateSet((eb) => ({ used_at: eb.ref('excluded.used_at') }))
        // Another process noted it today.
        .whereRef('tag_sets.used_at', '<', 'excluded.used_at'),
    )
    .execute()
}

/** Visits that refused the category of a pixel while it was on the page, by hour or day. */
export async function readRefusals(
  db: Db,
  pixelId: string,
  { step, from, to }: { step: 'hour' | 'day'; from: number; to: number },
): Promise<{ at: string; count: number }[]> {
  const [sets, counts] = await Promise.all([
    db
      .selectFrom('tag_sets')
      .select(['version', 'category'])
      .where('used_at', '>=', new Date(startOfSiteDay(from)).toISOString())
      .where((eb) => containsText(db, eb.ref('pixel_ids'), pixelId))
      .execute(),
    readCounts(db, { series: 'set.refusal', resolution: step, from, to }),
  ])
  const held = new Set(sets.map(({ version, category }) => `${version} ${category}`))
  return counts.filter(({ subject, key }) => held.has(`${subject} ${key}`))
}

/** Records by consent id, oldest first. */
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

/** The change that one record makes to the counts of visits. */
interface VisitChange {
  counted: Choice
  /** What an earlier record of the same visit had counted, to be subtracted. */
  takenBack: Choice | null
  /** When the visit made its first choice: the visit is counted there. */
  at: string
}

interface Visit {
  choice: Choice
  at: string
}

/** Groups the records of one consent id, oldest first, into visits. Each visit counts once, by its last choice. */
export function countVisitsByChoice(records: readonly StoredChoice[]): Map<string, VisitChange> {
  const changes = new Map<string, VisitChange>()
  let previous: { record: StoredChoice; visit: Visit } | null = null
  for (const record of records) {
    const choice = stateOf(record.categories)
    const known: Visit | null =
      previous !== null && isSameVisit(previous.record, record) ? previous.visit : null
    const visit: Visit = { choice, at: known?.at ?? record.created_at }
    previous = { record, visit }
    if (known?.choice !== choice)
      changes.set(record.id, { counted: choice, takenBack: known?.choice ?? null, at: visit.at })
  }
  return changes
}

/** The fields of a consent record that counting refusals needs. */
export interface StoredChoice {
  id: string
  action: string
  categories: readonly string[]
  tag_set_version: string
  created_at: string
}

/** The change that one record makes to the counts of refusals. */
interface Refusals {
  counted: OptionalCategory[]
  /** Counted at an earlier record of the same visit and granted since: to be subtracted. */
  takenBack: { category: OptionalCategory; at: string }[]
}

/** Refused and counted at that time; `elsewhere`: granted, and counted by the reports of tags that ran. */
type Counted = { refusedAt: string } | 'elsewhere'

/**
 * Groups the records of one consent id, oldest first, into refusals: each category once per visit. A category that was
 * granted and then withdrawn has run and is counted by reports. A category that stays refused after a withdrawal was
 * counted before.
 */
export function countRefusalsByVisit(records: readonly StoredChoice[]): Map<string, Refusals> {
  const changes = new Map<string, Refusals>()
  let counted = new Map<OptionalCategory, Counted>()
  let previous: StoredChoice | null = null
  for (const record of records) {
    if (previous === null || !isSameVisit(previous, record)) counted = new Map()
    previous = record
    const refusals: Refusals = { counted: [], takenBack: [] }
    changes.set(record.id, refusals)
    for (const category of OPTIONAL_CATEGORIES) {
      const before = counted.get(category)
      if (record.categories.includes(category)) {
        if (before !== undefined && before !== 'elsewhere')
          refusals.takenBack.push({ category, at: before.refusedAt })
        counted.set(category, 'elsewhere')
      } else if (before === undefined) {
        const isRevoked = record.action === 'revoke'
        if (!isRevoked) refusals.counted.push(category)
        counted.set(category, isRevoked ? 'elsewhere' : { refusedAt: record.created_at })
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

/** Counts records in the transaction that gives them their leaves, so that each counts once. */
export async function countChoices(trx: Db, records: readonly ConsentProofRecord[]): Promise<void> {
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

/**
 * Anybody can send any version: versions that were never served are counted as 0. Records without a hash are from the
 * first version.
 */
function knownVersion({ version, hash }: ConsentProofRecord['notice']): number {
  const isKnown = hash === undefined ? version === 1 : hash !== null
  return isKnown ? version : 0
}

/** Choices with a checkpoint, by day of the site, both days included (`2026-11-16`). Erasure does not change them. */
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
