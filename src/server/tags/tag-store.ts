import { createHash } from 'node:crypto'
import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logger.ts'
import type { PreparedResponse } from '../http/prepared-response.ts'
import type { Headers } from '../http/security-headers.ts'
import { type CompiledTag, compileTag, type TagSource } from './compile-tag.ts'
import { type ActivePixel, composeTagSet, type TagSet } from './compose-tag-set.ts'
import { TagFiles } from './tag-files.ts'

interface Compilation {
  key: string
  tag: CompiledTag
}

interface TagStoreOptions {
  db: Db
  log: Logger
  ownHosts: ReadonlySet<string>
  headers: Headers
  /** Puts the set on the page; when it resolves, the next request gets the new one. */
  swapPage: (set: TagSet) => Promise<void>
}

const EMPTY = composeTagSet([], new Set())
const NOT_LOADED = -1

/** The tags that run now, in memory. Whoever changes one awaits `refresh`, and the page has changed. */
export class TagStore {
  readonly #options: TagStoreOptions
  readonly #files: TagFiles
  #compiled = new Map<string, Compilation>()
  #current = EMPTY
  #previous = EMPTY
  #version = NOT_LOADED
  #running: Promise<void> | null = null
  #next: Promise<void> | null = null

  constructor(options: TagStoreOptions) {
    this.#options = options
    this.#files = new TagFiles(options.headers)
  }

  get current(): TagSet {
    return this.#current
  }

  /** Reports of a page that was loaded before the last change still name its tags. */
  get recent(): readonly TagSet[] {
    return [this.#current, this.#previous]
  }

  /** What the code of an active pixel became, paused or not; null when it is not active. */
  compilationOf(pixelId: string): CompiledTag | null {
    return this.#compiled.get(pixelId)?.tag ?? null
  }

  file(path: string): PreparedResponse | undefined {
    return this.#files.get(path)
  }

  /** Resolves when the page shows what the database held after this call began; calls at once share one run. */
  refresh(): Promise<void> {
    if (this.#running === null) return this.#start()
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = null
        return this.#start()
      })
    return this.#next
  }

  /** Does nothing when this process already shows `version`. */
  async refreshIfNotAt(version: number): Promise<void> {
    if (version !== this.#version) await this.refresh()
  }

  #start(): Promise<void> {
    this.#running = this.#load().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #load(): Promise<void> {
    const { db, ownHosts, swapPage } = this.#options
    // The version is read first: a change that falls between the two reads is then seen as news by the next look.
    const state = await db
      .selectFrom('site_state')
      .select(['tags_version', 'tags_paused_at'])
      .executeTakeFirstOrThrow()
    const active = await this.#readActive()
    const set = composeTagSet(state.tags_paused_at === null ? active : [], ownHosts)
    await this.#files.add(set.files)
    if (
      set.version !== this.#current.version ||
      this.#version === NOT_LOADED ||
      !sameSources(set, this.#current)
    ) {
      await swapPage(set)
      this.#previous = this.#current
    }
    this.#current = set
    this.#version = state.tags_version
    this.#files.retireOthers(set.files)
  }

  async #readActive(): Promise<ActivePixel[]> {
    const rows = await this.#options.db
      .selectFrom('tracking_pixels')
      .select(['id', 'type', 'pixel_id', 'code', 'allowed_hosts', 'consent_category'])
      .where('is_active', '=', true)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    const compiled = new Map<string, Compilation>()
    const active = rows.flatMap((row) => {
      const compilation = this.#compile(row)
      if (compilation === null) return []
      compiled.set(row.id, compilation)
      return [{ ...row, compiled: compilation.tag }]
    })
    this.#compiled = compiled
    return active
  }

  #compile(row: TagSource & { id: string }): Compilation | null {
    const { type, pixel_id, consent_category, code } = row
    const key = createHash('sha256')
      .update(JSON.stringify([type, pixel_id, consent_category, code]))
      .digest('base64')
    const known = this.#compiled.get(row.id)
    if (known?.key === key) return known
    try {
      return { key, tag: compileTag(row, this.#options.ownHosts) }
    } catch (error) {
      // One tag that we cannot read must never take the page or the other tags with it.
      this.#options.log.error({ err: error, pixel: row.id }, 'a tag could not be compiled')
      return null
    }
  }
}

function sameSources(a: TagSet, b: TagSet): boolean {
  return JSON.stringify(a.sources) === JSON.stringify(b.sources)
}
