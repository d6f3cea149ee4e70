import { sql } from 'kysely'
import type { ConsentRecipients, EvidenceNotice, EvidencePartiesContent } from '#contract/consent.ts'
import type { Db } from '../db/database.ts'
import { inBatches } from '../db/sweep.ts'
import type { Logger } from '../http/logging/logger.ts'
import { canonicalHash, canonicalJson, hashText, RECORD_SCHEMA_VERSION } from './proof/canonical.ts'

/** What a choice is made on: the words as this build renders them. */
export type NoticeWords = Pick<EvidenceNotice, 'version' | 'language' | 'text' | 'html'>

interface NoticeDeps {
  db: Db
  log: Pick<Logger, 'warn'>
  /** Every wording that this build can ask with. */
  notices: readonly NoticeWords[]
  retentionDays: number
}

/** What is stored beside a choice. */
interface ChoiceNotice {
  schema_version: number
  notice_hash: string | null
  parties_hash: string | null
  retention_days: number
}

/** Pages of older tag sets go on sending choices for as long as they are open. */
const KEPT_SETS = 100

/** For so long after it was last served or named, a set that no record names is kept for pages that are still open. */
const KEPT_UNNAMED_MS = 30 * 86_400_000

/** For so long a set is named without noting it again: far less than it is kept. */
const NOTED_MS = 60 * 60_000

/**
 * Which words and which parties a choice was made on. Both are stored when they are first served, by whichever process
 * comes first, and a record names them by their hashes: what a page was told when it was loaded, and not what is so now.
 */
export class ConsentNotices {
  readonly #deps: NoticeDeps
  readonly #notices: ReadonlyMap<number, NoticeWords & { hash: string }>
  /** Hash of the parties by version of the tag set, and until when the database is known to keep them. */
  readonly #parties = new Map<string, { hash: string; notedAt: number }>()
  /** On the page now. */
  #current: { hash: string; tag_set_version: string; content: string } | null = null
  readonly #served = new Set<number>()
  /** Versions of notices that are not stored yet. */
  readonly #owedNotices = new Set<number>()
  /** Parties that are not stored yet, by hash. */
  readonly #owed = new Map<string, { tag_set_version: string; content: string }>()

  constructor(deps: NoticeDeps) {
    this.#deps = deps
    this.#notices = new Map(
      deps.notices.map((notice) => [notice.version, { ...notice, hash: canonicalHash(notice) }]),
    )
  }

  /** Before a page that asks in these words is served. */
  async keepNotice(version: number): Promise<void> {
    if (this.#served.has(version)) return
    this.#served.add(version)
    this.#owedNotices.add(version)
    await this.#tryToStore()
  }

  /** Before a page with this tag set is served. */
  async keepParties(content: EvidencePartiesContent): Promise<void> {
    const { tag_set_version: version } = content
    const text = spellRecipients(content)
    const hash = hashText(text)
    const isNews = this.#current?.hash !== hash
    this.#remember(version, hash, Date.now())
    this.#current = { hash, tag_set_version: version, content: text }
    if (!isNews) return
    this.#owed.set(hash, { tag_set_version: version, content: text })
    await this.#tryToStore()
  }

  #remember(version: string, hash: string, notedAt: number): void {
    this.#parties.delete(version)
    this.#parties.set(version, { hash, notedAt })
    for (const oldest of this.#parties.keys())
      if (this.#parties.size > KEPT_SETS) this.#parties.delete(oldest)
  }

  /** Notes what is on the page, and removes what no record names and nobody has served or named for a month. */
  async sweepParties(signal?: AbortSignal, now = Date.now()): Promise<{ consent_parties: number }> {
    if (this.#current !== null) {
      const { hash, ...parties } = this.#current
      this.#owed.set(hash, parties)
    }
    await this.storeOwed(now)
    const upTo = new Date(now - KEPT_UNNAMED_MS).toISOString()
    const lastServed = sql<string>`coalesce(last_served_at, first_served_at)`
    const consent_parties = await inBatches(async (rows) => {
      const { numDeletedRows } = await this.#deps.db
        .deleteFrom('consent_parties')
        .where('hash', 'in', (eb) =>
          eb
            .selectFrom('consent_parties')
            .select('hash')
            .where(lastServed, '<', upTo)
            .where(({ not, exists, selectFrom }) =>
              not(
                exists(
                  selectFrom('consent_records')
                    .select('consent_records.id')
                    .whereRef('consent_records.parties_hash', '=', 'consent_parties.hash'),
                ),
              ),
            )
            .limit(rows),
        )
        // Again, for the row itself: a choice may have named it since it was found.
        .where(lastServed, '<', upTo)
        .executeTakeFirstOrThrow()
      return numDeletedRows
    }, signal)
    return { consent_parties }
  }

  /** Whatever could not be stored when it was first served. */
  async storeOwed(now = Date.now()): Promise<void> {
    const { db } = this.#deps
    const first_served_at = new Date(now).toISOString()
    for (const version of this.#owedNotices) {
      const notice = this.#notices.get(version)
      if (notice !== undefined)
        await db
          .insertInto('consent_notices')
          .values({ ...notice, first_served_at })
          .onConflict((conflict) => conflict.column('hash').doNothing())
          .execute()
      this.#owedNotices.delete(version)
    }
    for (const [hash, parties] of this.#owed) {
      await db
        .insertInto('consent_parties')
        .values({ hash, ...parties, first_served_at, last_served_at: first_served_at })
        .onConflict((conflict) => conflict.column('hash').doUpdateSet({ last_served_at: first_served_at }))
        .execute()
      this.#owed.delete(hash)
    }
  }

  /** A database that takes no writes must keep neither the page from changing nor the site from starting. */
  async #tryToStore(): Promise<void> {
    try {
      await this.storeOwed()
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'what choices are made on is stored with the next seal')
    }
  }

  /** For a choice on a page that was asked in these words, with these tags. Reads only what this process never served. */
  async premisesOf(textVersion: number, tagSetVersion: string, now = Date.now()): Promise<ChoiceNotice> {
    const { retentionDays } = this.#deps
    return {
      schema_version: RECORD_SCHEMA_VERSION,
      notice_hash: this.#served.has(textVersion)
        ? (this.#notices.get(textVersion)?.hash ?? null)
        : await this.#findNotice(textVersion),
      parties_hash: await this.#findParties(tagSetVersion, now),
      retention_days: retentionDays,
    }
  }

  async #findNotice(version: number): Promise<string | null> {
    const row = await this.#deps.db
      .selectFrom('consent_notices')
      .select('hash')
      .where('version', '=', version)
      .orderBy('first_served_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row?.hash ?? null
  }

  /** What a record names is noted as named within the hour, so that no sweep removes it before the record is stored. */
  async #findParties(version: string, now: number): Promise<string | null> {
    const known = this.#parties.get(version)
    const isKept =
      known !== undefined && (known.hash === this.#current?.hash || now - known.notedAt < NOTED_MS)
    if (isKept) return known.hash
    const row = await this.#deps.db
      .updateTable('consent_parties')
      .set({ last_served_at: new Date(now).toISOString() })
      .where('hash', '=', (eb) =>
        eb
          .selectFrom('consent_parties')
          .select('hash')
          .where('tag_set_version', '=', version)
          .orderBy('first_served_at', 'desc')
          .limit(1),
      )
      .returning('hash')
      .executeTakeFirst()
    if (row === undefined) this.#parties.delete(version)
    else this.#remember(version, row.hash, now)
    return row?.hash ?? null
  }
}

/** Spelled once for as long as they are the same objects. */
const spelled = new WeakMap<object, string>()

/** As `canonicalJson` spells it, at the price of what is new: a set of ten thousand tags changes one at a time. */
export function spellRecipients(content: EvidencePartiesContent): string {
  const parts: Record<keyof EvidencePartiesContent, string> = {
    controller: canonicalJson(content.controller),
    recipients: `[${content.recipients.map(spellOnce).join()}]`,
    tag_set_version: canonicalJson(content.tag_set_version),
  }
  const entries = Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`
}

function spellOnce(value: object): string {
  const known = spelled.get(value)
  if (known !== undefined) return known
  const text = canonicalJson(value)
  spelled.set(value, text)
  return text
}

/** Every wording that was ever served, oldest first: as many as there were releases that changed it. */
export async function readNotices(db: Db): Promise<EvidenceNotice[]> {
  const rows = await db.selectFrom('consent_notices').selectAll().orderBy('first_served_at').execute()
  return rows.map((row) => ({ '@type': 'ConsentNotice', ...row }))
}

/** Who was behind the tag sets that are named by these hashes. */
export async function readRecipients(db: Db, hashes: readonly string[]): Promise<ConsentRecipients[]> {
  if (hashes.length === 0) return []
  const rows = await db
    .selectFrom('consent_parties')
    .select(['hash', 'content', 'first_served_at'])
    .where('hash', 'in', hashes)
    .orderBy('first_served_at')
    .orderBy('hash')
    .execute()
  return rows.map(({ content, ...row }) => ({
    '@type': 'ConsentParties',
    ...row,
    content: JSON.parse(content),
  }))
}
