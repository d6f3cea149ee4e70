const MAX_LISTS = 16
const MAX_BYTES = 256_000

export interface CachedList {
  count: number
  body: Buffer
}

/**
 * The last lists that were asked for, as they were sent, each good for as long as nothing in the database has changed:
 * a dashboard asks for the same list again and again, and pixels change a few times a day.
 */
export class ListCache {
  readonly #lists = new Map<string, CachedList>()
  #mark: string | null = null

  /** `mark` is what the database says now; anything else than what it said before empties the cache. */
  get(key: string, mark: string | null): CachedList | undefined {
    if (mark === null) return undefined
    if (mark !== this.#mark) {
      this.#lists.clear()
      this.#mark = mark
    }
    return this.#lists.get(key)
  }

  /** `mark` was read before the list was: a write in between leaves the list under a mark that is no longer asked for. */
  set(key: string, mark: string | null, list: CachedList): void {
    if (mark === null || mark !== this.#mark || list.body.length > MAX_BYTES) return
    if (this.#lists.size >= MAX_LISTS) this.#lists.clear()
    this.#lists.set(key, list)
  }
}
