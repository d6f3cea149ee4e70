import { sql } from 'kysely'
import type { ConsentNotice, ConsentRecipients, RecipientsContent } from '#contract/consent.ts'
import { DAY_MS, HOUR_MS } from '#contract/durations.ts'
import type { Db } from '../db/database.ts'
import { inBatches } from '../db/sweep.ts'
import type { Logger } from '../http/logging/logger.ts'
import { canonicalHash, canonicalJson, hashText, RECORD_SCHEMA_VERSION } from './proof/canonical.ts'

/** The wording of a notice, as this build renders it. */
export type NoticeWords = Pick<ConsentNotice, 'version' | 'language' | 'text' | 'html'>

interface NoticeDeps {
  db: Db
  log: Pick<Logger, 'warn'>
  /** All wordings that this build can show. */
  notices: readonly NoticeWords[]
  retentionDays: number
}

/** What a consent record refers to. */
interface ChoiceNotice {
  schema_version: number
  notice_hash: string | null
  parties_hash: string | null
  retention_days: number
}

/** Pages of older tag sets send choices for as long as they are open. */
const KEPT_SETS = 100

/** How long a set that no record names is kept after it was last served or named, for pages that are still open. */
const KEPT_UNNAMED_MS = 30 * DAY_MS

/** How long a set is used without noting it again; much shorter than it is kept. */
const NOTED_MS = HOUR_MS

/**
 * Knows which wording and recipients a visitor was shown. Both are stored when they are first served, by the first
 * process that does so. A record names them by hash: what the page showed when it was loaded, not what it shows now.
 */
export class ConsentNotices {
  readonly #deps: NoticeDeps
  readonly #notices: ReadonlyMap<number, NoticeWords & { hash: string }>
  /** Hash of the recipients by version of the tag set, and when the database last noted them. */
  readonly #recipients = new Map<string, { hash: string; notedAt: number }>()
  /** The set on the page now. */
  #current: { hash: string; tag_set_version: string; content: string } | null = null
  readonly #served = new Set<number>()
  /** Versions of notices that are not stored yet. */
  readonly #owedNotices = new Set<number>()
  /** Recipients that are not stored yet, by hash. */
  readonly #owed = new Map<string, { tag_set_version: string; content: string }>()

  constructor(deps: NoticeDeps) {
    this.#deps = deps
    this.#notices = new Map(
      deps.notices.map((notice) => [notice.version, { ...notice, hash: canonicalHash(notice) }]),
    )
  }

  /** Call it before a page with this wording is served. */
  async keepNotice(version: number): Promise<void> {
    if (this.#served.has(version)) return
    this.#served.add(version)
    this.#owedNotices.add(version)
    await this.#tryToStore()
  }

  /** Call it before a page with this tag set is served. */
  async keepRecipients(content: RecipientsContent): Promise<void> {
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
    this.#recipients.delete(version)
    this.#recipients.set(version, { hash, notedAt })
    for (const oldest of this.#recipients.keys())
      if (this.#recipients.size > KEPT_SETS) this.#recipients.delete(oldest)
  }

  /** Notes the set on the page, and deletes sets that no record names and that were not served or named for a month. */
  async sweepRecipients(signal?: AbortSignal, now = Date.now()): Promise<{ consent_parties: number }> {
    if (this.#current !== null) {
      const { hash, ...recipients } = this.#current
      this.#owed.set(hash, recipients)
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
        // The condition again, for the row itself: a choice may have named it since.
        .where(lastServed, '<', upTo)
        .executeTakeFirstOrThrow()
      return numDeletedRows
    }, signal)
    return { consent_parties }
  }

  /** Stores what could not be stored when it was first served. */
  async storeOwed(now = Date.now()): Promise<void> {
    const { db } = this.#deps
    const first_served_at = new Date(now).toISOString()
    const noteAgainBefore = new Date(now - NOTED_MS).toISOString()
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
    for (const [hash, recipients] of this.#owed) {
      // Every process serves the set: one stores it, and the others send nothing.
      const noted = await db
        .selectFrom('consent_parties')
        .select('hash')
        .where('hash', '=', hash)
        .where('last_served_at', '>', noteAgainBefore)
        .executeTakeFirst()
      if (noted === undefined)
        await db
          .insertInto('consent_parties')
          .values({ hash, ...recipients, first_served_at, last_served_at: first_served_at })
          .onConflict((conflict) =>
            conflict
              .column('hash')
              .doUpdateSet({ last_served_at: first_served_at })
              // Another process stored it since the look.
              .where((eb) =>
                eb.or([
                  eb('consent_parties.last_served_at', 'is', null),
                  eb('consent_parties.last_served_at', '<=', noteAgainBefore),
                ]),
              ),
          )
          .execute()
      this.#owed.delete(hash)
    }
  }

  /** If the database accepts no writes, the page still changes and the site still starts. */
  async #tryToStore(): Promise<void> {
    try {
      await this.storeOwed()
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'consent: notice not stored, will retry with the next checkpoint')
    }
  }

  /** Finds notice and recipients for a choice. Reads the database only for sets that this process never served. */
  async noticeOf(textVersion: number, tagSetVersion: string, now = Date.now()): Promise<ChoiceNotice> {
    const { retentionDays } = this.#deps
    return {
      schema_version: RECORD_SCHEMA_VERSION,
      notice_hash: this.#served.has(textVersion)
        ? (this.#notices.get(textVersion)?.hash ?? null)
        : await this.#findNotice(textVersion),
      parties_hash: await this.#findRecipients(tagSetVersion, now),
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

  /** Notes the set as named at least once an hour, so that no sweep deletes it before the record is stored. */
  async #findRecipients(version: string, now: number): Promise<string | null> {
    const known = this.#recipients.get(version)
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
    if (row === undefined) this.#recipients.delete(version)
    else this.#remember(version, row.hash, now)
    return row?.hash ?? null
  }
}

/** Canonical JSON per object, computed once. */
const spelled = new WeakMap<object, string>()

/** Like `canonicalJson`, but only new parts are computed: a set of ten thousand tags changes one tag at a time. */
export function spellRecipients(content: RecipientsContent): string {
  const parts: Record<keyof RecipientsContent, string> = {
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

/** Every wording that was ever served, oldest first. */
export async function readNotices(db: Db): Promise<ConsentNotice[]> {
  const rows = await db.selectFrom('consent_notices').selectAll().orderBy('first_served_at').execute()
  return rows.map((row) => ({ '@type': 'ConsentNotice', ...row }))
}

/** The recipients of the tag sets with these hashes. */
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
