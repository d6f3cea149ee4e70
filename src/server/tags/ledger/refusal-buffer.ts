import type { ManifestTag } from '#contract/tag-manifest.ts'
import type { Db } from '#server/db/database.ts'
import type { Logger } from '#server/http/logger.ts'
import { RegularFlush } from '#server/http/regular-flush.ts'
import { foldVisits } from '../today/fold-visits.ts'
import type { SiteCounts } from '../today/site-counts.ts'
import { foldChoices, type StoredChoice } from './fold-choices.ts'

/** Choices of one visit may be spread over hours by short gaps; no longer chain is followed. */
const LOOK_BACK_MS = 86_400_000
/** While nothing can be read, this many choices are kept in memory, and no more. */
const MAX_KEPT = 10_000
/** Consent ids in one statement. */
const IDS_PER_STATEMENT = 500
/** A visitor makes a few choices; whoever forges thousands under one id only miscounts them. */
const MAX_RECORDS = 5_000

/** One choice that was just put on record. */
interface Choice {
  recordId: string
  consentId: string
  version: string
  createdAt: string
}

interface KeptChoice extends Choice {
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
  reports: {
    addRefusals: (pixelId: string, at: string, refusals: number) => void
    flush: () => Promise<void>
  }
  counts: SiteCounts
  tags: { readonly current: ServedTags; readonly recent: readonly ServedTags[] }
  log: Pick<Logger, 'warn'>
}

/**
 * Counts refused visits per pixel, and visits that chose, from the records of choices alone: the page sends nothing more.
 * Choices are kept for a second and compared with the earlier records of their visit, many at once; what remains are
 * counts.
 */
export class RefusalBuffer {
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
  add(choice: Choice): void {
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
    await Promise.all([this.#deps.reports.flush(), this.#deps.counts.flush()])
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
    const { reports, counts } = this.#deps
    const visit = foldVisits(records).get(choice.recordId)
    if (visit !== undefined) {
      const at = Date.parse(visit.at)
      counts.add(`choice:${visit.counted}`, at)
      if (visit.takenBack !== null) counts.add(`choice:${visit.takenBack}`, at, -1)
    }
    const refusals = foldChoices(records).get(choice.recordId)
    for (const category of refusals?.counted ?? [])
      for (const tag of choice.tags)
        if (tag.category === category) reports.addRefusals(tag.id, choice.createdAt, 1)
    if (!choice.isKnownSet) return
    for (const { category, at } of refusals?.takenBack ?? [])
      for (const tag of choice.tags) if (tag.category === category) reports.addRefusals(tag.id, at, -1)
  }
}

/** By consent id, oldest first. */
async function readRecords(db: Db, batch: readonly Choice[]): Promise<Map<string, StoredChoice[]>> {
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
