const MAX_LISTS = 16
const MAX_BYTES = 256_000

export interface CachedList {
  /** What the database said when the list was read. */
  mark: string
  count: number
  body: Buffer
}

/**
 * The last lists that were asked for, as they were sent. Each is good for as long as the database gives the same mark:
 * a dashboard asks for the same list again and again, and pixels change a few times a day.
 */
export class ListCache {
  readonly #lists = new Map<string, CachedList>()

  get(key: string): CachedList | undefined {
    return this.#lists.get(key)
  }

  set(key: string, list: CachedList): void {
    this.#lists.delete(key)
    if (list.body.length > MAX_BYTES) return
    const [oldest] = this.#lists.keys()
    if (this.#lists.size >= MAX_LISTS && oldest !== undefined) this.#lists.delete(oldest)
    this.#lists.set(key, list)
  }
}
