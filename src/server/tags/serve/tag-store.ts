import type { ConversionLabels } from '#contract/conversions.ts'
import { FRAMES_PATH } from '#contract/isolated-frame.ts'
import type { Db } from '#server/db/database.ts'
import type { Logger } from '#server/http/logging/logger.ts'
import type { Headers } from '#server/http/security/headers.ts'
import type { CompressText, PreparedResponse } from '#server/http/static/responses.ts'
import { COMPILER_VERSION, decodeTag, withoutOwnHosts } from '../compile/compiled-tag.ts'
import type { TagCompiler } from '../compile/compiler.ts'
import { Recompiler } from '../compile/recompile.ts'
import type { BudgetOptions } from '../hosts/budget.ts'
import type { RenderFrame } from './isolated-frame.ts'
import { type PreparedTag, prepareTag } from './prepare-tag.ts'
import { TagFiles } from './tag-files.ts'
import { composeTagSet, EMPTY_TAG_SET, type TagSet } from './tag-set.ts'
import { findChangedPixels, readTagChanges } from './tag-version.ts'

interface TagStoreOptions extends BudgetOptions {
  db: Db
  log: Logger
  compiler: TagCompiler
  headers: Headers
  /** Compresses files that are already served. */
  compressFile?: CompressText
  /** Omitted where isolated tags are never served. */
  renderFrame?: RenderFrame
  /** Puts the set on the page; resolves when the next request gets it. */
  swapPage: (set: TagSet, tagsVersion: number) => Promise<void>
  /** Called with every set before a page shows it. */
  noteSet?: (set: TagSet) => Promise<void>
}

/** The part of a frame's address that names its document. */
const FRAME = new RegExp(`^${FRAMES_PATH}[\\w-]+/`)

const NOT_LOADED = -1

/** Few pages are open longer than this. */
const LONG_SHOWN_MS = 600_000

/**
 * The active tags in memory, as compiled in the database. After a change, `refresh` resolves when the page shows it.
 * Results of another compiler version are served as they are and recompiled in the background.
 */
export class TagStore {
  readonly #options: TagStoreOptions
  readonly #files: TagFiles
  readonly #recompiler: Recompiler
  #prepared: PreparedTags = new Map()
  #active: ReadonlyMap<string, PreparedTag> = new Map()
  #current = EMPTY_TAG_SET
  /** The newest set, from before a page shows it, and the one before. */
  #recent: readonly TagSet[] = []
  #shownSince = 0
  #version = NOT_LOADED
  #running: Promise<void> | null = null
  #next: Promise<void> | null = null
  #recompiles = false
  #recompiling: Promise<void> | null = null

  constructor(options: TagStoreOptions) {
    this.#options = options
    this.#files = new TagFiles(options.headers, options.compressFile)
    this.#recompiler = new Recompiler(options)
  }

  get current(): TagSet {
    return this.#current
  }

  /** Pages loaded before the last change still report its tags. */
  get recent(): readonly TagSet[] {
    return this.#recent
  }

  /** True if every open page runs this pixel as it is now: it was in the set before too, or for long enough. */
  isLongShown(pixelId: string | null, now = Date.now()): boolean {
    if (now - this.#shownSince > LONG_SHOWN_MS) return true
    const [newest, before] = this.#recent.map(({ memberOf }) => memberOf.get(pixelId ?? ''))
    return newest !== undefined && newest.codeHash === before?.codeHash
  }

  /** Every active pixel, paused or not, as far as it could be compiled. */
  get prepared(): ReadonlyMap<string, PreparedTag> {
    return this.#active
  }

  /** Why an active pixel's code could not be compiled, in Portuguese; null if it could. */
  refusalOf(pixelId: string): string | null {
    return this.#recompiler.refusalOf(pixelId)
  }

  file(path: string): PreparedResponse | undefined {
    return this.#files.get(FRAME.exec(path)?.[0] ?? path)
  }

  /** Resolves when the page shows what the database held when this was called; concurrent calls share one run. */
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
    // A run under way may show it. Another one would compose everything again.
    if (version !== this.#version) await this.#running?.catch(() => {})
    if (version !== this.#version) await this.refresh()
  }

  /** Call it once the server listens: outdated results are recompiled in the background. */
  startRecompiling(): void {
    this.#recompiles = true
    this.#recompileInBackground()
  }

  /** Recompiles outdated results, and resolves when the page shows them. */
  recompile(): Promise<void> {
    this.#recompiling ??= this.#recompileAll().finally(() => {
      this.#recompiling = null
    })
    return this.#recompiling
  }

  async stop(): Promise<void> {
    this.#recompiles = false
    this.#recompiler.stop()
    await this.#recompiling?.catch(() => {})
  }

  async #recompileAll(): Promise<void> {
    let looked = 0
    do {
      const step = await this.#recompiler.step(this.#prepared)
      looked = step.looked
      if (step.isNews) await this.refresh()
    } while (looked > 0 && this.#recompiler.hasWork(this.#prepared))
  }

  #recompileInBackground(): void {
    if (!this.#recompiles || this.#recompiling !== null) return
    if (!this.#recompiler.hasWork(this.#prepared)) return
    this.recompile().catch((error) => {
      this.#options.log.warn({ err: error }, 'tags not recompiled, will retry with the next change')
    })
  }

  #start(): Promise<void> {
    this.#running = this.#load().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #load(): Promise<void> {
    const { db, swapPage, ownHosts, measureHead, renderFrame } = this.#options
    const since = this.#version
    // The version is read before the pixels: a change in between is then found by the next refresh.
    const [state, changes] = await Promise.all([
      db.selectFrom('site_state').select(['tags_version', 'tags_paused_at']).executeTakeFirstOrThrow(),
      since === NOT_LOADED ? [] : readTagChanges(db, since),
    ])
    // Null if everything must be read.
    const changed = since === NOT_LOADED ? null : findChangedPixels(changes, since, state.tags_version)
    this.#prepared = await readPreparedTags(db, ownHosts, this.#prepared, changed, renderFrame)
    const active = new Map<string, PreparedTag>()
    const running: PreparedTag[] = []
    for (const [id, pixel] of this.#prepared) {
      if (pixel.tag === null || this.#recompiler.isReplacedByRefused(id, pixel)) continue
      active.set(id, pixel.tag)
      if (!pixel.isTripped && state.tags_paused_at === null) running.push(pixel.tag)
      else if (pixel.tag.compiled.head.length > 0) running.push(headOnly(pixel.tag))
    }
    this.#active = active
    const set = composeTagSet(running, measureHead)
    await this.#options.noteSet?.(set)
    const { frames } = set
    await this.#files.add(set.files)
    const documents = new Map<string, string>()
    for (const [path, { html }] of frames) documents.set(path, html)
    await this.#files.add(documents, (path) => frames.get(path)?.headers ?? {})
    if (
      set.version !== this.#current.version ||
      this.#version === NOT_LOADED ||
      !isSamePage(set, this.#current)
    ) {
      this.#recent = [set, this.#current]
      this.#shownSince = Date.now()
      await swapPage(set, state.tags_version)
    } else this.#recent = [set, ...this.#recent.slice(1)]
    this.#current = set
    this.#version = state.tags_version
    this.#files.retireOthers({ has: (path) => set.files.has(path) || frames.has(path) })
    this.#recompileInBackground()
  }
}

/** Verification metas and structured data run nothing: they stay in the HTML while a tag is paused. */
function headOnly(prepared: PreparedTag): PreparedTag {
  return { ...prepared, tag: { ...prepared.tag, steps: [] }, isSentByServer: false, emailRecipient: null }
}

/** The manifest names the rest; tags that only our server sends are in the cookie policy. */
function isSamePage(a: TagSet, b: TagSet): boolean {
  const shown = ({ sources, head, hasFrames, textVersion, recipients }: TagSet) =>
    JSON.stringify([
      sources,
      head,
      hasFrames,
      textVersion,
      recipients
        .filter(({ sentBy }) => sentBy.includes('server'))
        .map(({ prepared: { tag, marks } }) => [tag.type, tag.category, marks]),
    ])
  return shown(a) === shown(b)
}

/** An active pixel in this process. */
export interface PreparedPixel {
  /** Everything that its part of the tag set depends on. */
  key: string
  createdAt: string
  updatedAt: string
  /** Hash of the compiled code; null if there is none. */
  sourceHash: string | null
  /** True if this or a newer compiler made it. */
  isCurrent: boolean
  /** Paused by the breaker. */
  isTripped: boolean
  /** Null if there is nothing to serve. */
  tag: PreparedTag | null
}

/** By pixel id, in the order in which the tags run. */
export type PreparedTags = ReadonlyMap<string, PreparedPixel>

const RESULTS_PER_STATEMENT = 200

/**
 * The active pixels, oldest first. Unchanged ones are reused from `known`; if the changed rows are given, only those
 * are read.
 */
async function readPreparedTags(
  db: Db,
  ownHosts: ReadonlySet<string>,
  known: PreparedTags,
  changed: readonly string[] | null = null,
  renderFrame?: RenderFrame,
): Promise<PreparedTags> {
  if (changed?.length === 0) return known
  const rows = await db
    .selectFrom('tracking_pixels as pixel')
    .leftJoin('compiled_tags as compiled', 'compiled.pixel_id', 'pixel.id')
    .leftJoin('tag_breakers as breaker', (join) =>
      join.onRef('breaker.pixel_id', '=', 'pixel.id').on('breaker.state', '=', 'paused'),
    )
    .select([
      'pixel.id',
      'pixel.type',
      'pixel.pixel_id',
      'pixel.allowed_hosts',
      'pixel.consent_category',
      'pixel.conversion_labels',
      'pixel.delivery',
      'pixel.destination',
      'pixel.send_hashed_email',
      'pixel.runs_in',
      'pixel.created_at',
      'pixel.updated_at',
      'compiled.source_hash',
      'compiled.compiler_version',
      'breaker.state as tripped',
    ])
    .where('pixel.is_active', '=', true)
    .$if(changed !== null, (query) => query.where('pixel.id', 'in', changed ?? []))
    .orderBy('pixel.created_at')
    .orderBy('pixel.id')
    .execute()
  const keys = new Map(rows.map((row) => [row.id, keyOf(row)]))
  // Unreadable results are read again, because they may have been replaced.
  const isKnown = (id: string) => known.get(id)?.key === keys.get(id) && known.get(id)?.tag !== null
  const news = rows.filter((row) => row.source_hash !== null && !isKnown(row.id))
  const results = await readResults(
    db,
    news.map(({ id }) => id),
  )
  const prepared = new Map<string, PreparedPixel>()
  for (const row of rows) {
    const key = keys.get(row.id) ?? ''
    const old = known.get(row.id)
    if (old !== undefined && isKnown(row.id)) {
      prepared.set(row.id, {
        ...old,
        createdAt: row.created_at,
        updatedAt: row.updated_at,
        isTripped: row.tripped !== null,
      })
      continue
    }
    const result = results.get(row.id)
    const compiled = result === undefined ? null : decodeTag(result)
    prepared.set(row.id, {
      key,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      isTripped: row.tripped !== null,
      sourceHash: compiled === null ? null : row.source_hash,
      isCurrent:
        (row.compiler_version ?? 0) > COMPILER_VERSION ||
        (compiled !== null && row.compiler_version === COMPILER_VERSION),
      tag:
        compiled === null
          ? null
          : prepareTag({ ...row, compiled: withoutOwnHosts(compiled, ownHosts) }, ownHosts, renderFrame),
    })
  }
  return changed === null ? prepared : replace(known, changed, prepared)
}

/** Puts the rows that were read at their place by age; the order of the others stays. */
function replace(known: PreparedTags, changed: readonly string[], read: PreparedTags): PreparedTags {
  const gone = new Set(changed)
  const news = [...read]
  const all = new Map<string, PreparedPixel>()
  let next = 0
  for (const entry of known) {
    for (let candidate = news[next]; candidate !== undefined; candidate = news[next]) {
      if (!isOlder(candidate, entry)) break
      all.set(...candidate)
      next++
    }
    if (!gone.has(entry[0])) all.set(...entry)
  }
  for (const entry of news.slice(next)) all.set(...entry)
  return all
}

/** The order of the query: by time, then by id. */
function isOlder([a, first]: [string, PreparedPixel], [b, second]: [string, PreparedPixel]): boolean {
  return first.createdAt === second.createdAt ? a < b : first.createdAt < second.createdAt
}

interface KeyParts {
  type: string
  pixel_id: string | null
  allowed_hosts: readonly string[]
  consent_category: string
  conversion_labels: ConversionLabels
  delivery: string
  destination: string | null
  send_hashed_email: boolean
  runs_in: string
  source_hash: string | null
  compiler_version: number | null
}

/** No part contains a line break. The time of change is left out: switching off and on again changes nothing. */
function keyOf(row: KeyParts): string {
  return `${row.source_hash}\n${row.compiler_version}\n${row.type}\n${row.pixel_id}\n${row.consent_category}\n${row.delivery}\n${row.destination}\n${row.runs_in}\n${row.send_hashed_email}\n${row.allowed_hosts.join()}\n${JSON.stringify(row.conversion_labels)}`
}

async function readResults(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, { sources: string; body: string }>> {
  const results = new Map<string, { sources: string; body: string }>()
  for (let at = 0; at < ids.length; at += RESULTS_PER_STATEMENT) {
    const rows = await db
      .selectFrom('compiled_tags')
      .select(['pixel_id', 'sources', 'body'])
      .where('pixel_id', 'in', ids.slice(at, at + RESULTS_PER_STATEMENT))
      .execute()
    for (const row of rows) results.set(row.pixel_id, row)
  }
  return results
}
