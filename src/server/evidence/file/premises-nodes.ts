import type { EvidenceNotice, EvidenceParties, EvidenceRecord } from '#contract/consent.ts'
import type { Db } from '#server/db/database.ts'
import { readNotices } from '../read-notices.ts'
import { readParties } from '../read-parties.ts'

/** The words and the parties that records name, each before the first record that does. */
export class PremisesNodes {
  readonly #db: Db
  readonly #given = new Set<string>()
  #notices: Promise<EvidenceNotice[]> | null = null

  constructor(db: Db) {
    this.#db = db
  }

  async newFor(records: readonly EvidenceRecord[]): Promise<(EvidenceNotice | EvidenceParties)[]> {
    const notices = this.#take(records.map(({ notice }) => notice.hash))
    const parties = this.#take(records.map(({ parties }) => parties.hash))
    this.#notices ??= readNotices(this.#db)
    return [
      ...(await this.#notices).filter(({ hash }) => notices.includes(hash)),
      ...(await readParties(this.#db, parties)),
    ]
  }

  #take(hashes: readonly (string | null | undefined)[]): string[] {
    const news = [...new Set(hashes)].filter((hash): hash is string => !!hash && !this.#given.has(hash))
    for (const hash of news) this.#given.add(hash)
    return news
  }
}
