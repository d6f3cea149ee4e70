import type { EvidenceNotice, EvidencePartiesContent } from '#contract/consent-evidence.ts'
import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logger.ts'
import { canonicalHash, hashText } from './canonical.ts'
import { spellParties } from './spell-parties.ts'
import { RECORD_SCHEMA_VERSION } from './to-record.ts'

/** What a choice is made on: the words as this build renders them. */
export type NoticeWords = Pick<EvidenceNotice, 'version' | 'language' | 'text' | 'html'>

interface PremisesDeps {
  db: Db
  log: Pick<Logger, 'warn'>
  /** Every wording that this build can ask with. */
  notices: readonly NoticeWords[]
  retentionDays: number
}

/** What is stored beside a choice. */
interface ChoicePremises {
  schema_version: number
  notice_hash: string | null
  parties_hash: string | null
  retention_days: number
}

/** Pages of older tag sets go on sending choices for as long as they are open. */
const KEPT_SETS = 100

/**
 * Which words and which parties a choice was made on. Both are stored when they are first served, by whichever process
 * comes first, and a record names them by their hashes: what a page was told when it was loaded, and not what is so now.
 */
export class ConsentPremises {
  readonly #deps: PremisesDeps
  readonly #notices: ReadonlyMap<number, NoticeWords & { hash: string }>
  /** Hash of the parties by version of the tag set, as far as this process has served it. */
  readonly #parties = new Map<string, string>()
  readonly #served = new Set<number>()
  /** Versions of notices that are not stored yet. */
  readonly #owedNotices = new Set<number>()
  /** Parties that are not stored yet, by hash. */
  readonly #owed = new Map<string, { tag_set_version: string; content: string }>()

  constructor(deps: PremisesDeps) {
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
    const text = spellParties(content)
    const hash = hashText(text)
    const isNews = this.#parties.get(version) !== hash
    this.#parties.delete(version)
    this.#parties.set(version, hash)
    for (const oldest of this.#parties.keys())
      if (this.#parties.size > KEPT_SETS) this.#parties.delete(oldest)
    if (!isNews) return
    this.#owed.set(hash, { tag_set_version: version, content: text })
    await this.#tryToStore()
  }

  /** Whatever could not be stored when it was first served. */
  async storeOwed(): Promise<void> {
    const { db } = this.#deps
    const first_served_at = new Date().toISOString()
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
        .values({ hash, ...parties, first_served_at })
        .onConflict((conflict) => conflict.column('hash').doNothing())
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
  async premisesOf(textVersion: number, tagSetVersion: string): Promise<ChoicePremises> {
    const { retentionDays } = this.#deps
    return {
      schema_version: RECORD_SCHEMA_VERSION,
      notice_hash: this.#served.has(textVersion)
        ? (this.#notices.get(textVersion)?.hash ?? null)
        : await this.#findNotice(textVersion),
      parties_hash: this.#parties.get(tagSetVersion) ?? (await this.#findParties(tagSetVersion)),
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

  async #findParties(version: string): Promise<string | null> {
    const row = await this.#deps.db
      .selectFrom('consent_parties')
      .select('hash')
      .where('tag_set_version', '=', version)
      .orderBy('first_served_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row?.hash ?? null
  }
}
