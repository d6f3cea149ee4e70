import type { EvidenceNotice, EvidencePartiesContent } from '#contract/consent-evidence.ts'
import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logger.ts'
import { canonicalHash, canonicalJson } from './canonical.ts'
import { RECORD_SCHEMA_VERSION } from './to-record.ts'

/** What a choice is made on: the words as this build renders them. */
type NoticeWords = Pick<EvidenceNotice, 'version' | 'language' | 'text' | 'html'>

interface PremisesDeps {
  db: Db
  log: Pick<Logger, 'warn'>
  notice: NoticeWords
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
  readonly #noticeHash: string
  /** Hash of the parties by version of the tag set, as far as this process has served it. */
  readonly #parties = new Map<string, string>()
  /** What could not be stored yet, by hash. */
  readonly #owed = new Map<string, EvidencePartiesContent>()

  constructor(deps: PremisesDeps) {
    this.#deps = deps
    this.#noticeHash = canonicalHash(deps.notice)
  }

  /** Before the first page is served. */
  async keepNotice(now = Date.now()): Promise<void> {
    const { db, notice } = this.#deps
    await db
      .insertInto('consent_notices')
      .values({ ...notice, hash: this.#noticeHash, first_served_at: new Date(now).toISOString() })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .execute()
  }

  /** Before a page with this tag set is served. A database that is away must not keep the page from changing. */
  async keepParties(content: EvidencePartiesContent): Promise<void> {
    const hash = canonicalHash(content)
    const isNews = this.#parties.get(content.tag_set_version) !== hash
    this.#parties.delete(content.tag_set_version)
    this.#parties.set(content.tag_set_version, hash)
    for (const version of this.#parties.keys())
      if (this.#parties.size > KEPT_SETS) this.#parties.delete(version)
    if (!isNews) return
    this.#owed.set(hash, content)
    await this.storeOwed().catch((error) =>
      this.#deps.log.warn({ err: error }, 'the parties of a tag set are stored with the next seal'),
    )
  }

  async storeOwed(now = Date.now()): Promise<void> {
    for (const [hash, content] of this.#owed) {
      await this.#deps.db
        .insertInto('consent_parties')
        .values({
          hash,
          tag_set_version: content.tag_set_version,
          content: canonicalJson(content),
          first_served_at: new Date(now).toISOString(),
        })
        .onConflict((conflict) => conflict.column('hash').doNothing())
        .execute()
      this.#owed.delete(hash)
    }
  }

  /** For a choice on a page that was asked in these words, with these tags. Reads only what this process never served. */
  async premisesOf(textVersion: number, tagSetVersion: string): Promise<ChoicePremises> {
    const { notice, retentionDays } = this.#deps
    return {
      schema_version: RECORD_SCHEMA_VERSION,
      notice_hash: textVersion === notice.version ? this.#noticeHash : await this.#findNotice(textVersion),
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
