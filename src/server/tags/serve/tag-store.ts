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

interface TagStoreOptions extends BudgetOptions {
  db: Db
  log: Logger
  compiler: TagCompiler
  headers: Headers
  /** Makes files that are already served smaller. */
  compressFile?: CompressText
  /** Left out where no isolated tag is ever served. */
  renderRoom?: RenderFrame
  /** Puts the set on the page; when it resolves, the next request gets the new one. */
  swapPage: (set: TagSet, tagsVersion: number) => Promise<void>
  /** Told of every set before a page shows it. */
  noteSet?: (set: TagSet) => Promise<void>
}

/** Of a room's address, what names its document. */
const ROOM = new RegExp(`^${FRAMES_PATH}[\\w-]+/`)

const NOT_LOADED = -1

/** Past these, reading everything costs no more. */
const MAX_STEPS = 50

const MAX_CHANGED = 200

/** Few pages are open longer than this. */
const LONG_SHOWN_MS = 600_000

/**
 * The tags that run now, in memory, as the database holds them compiled. Whoever changes one awaits `refresh`, and the
 * page has changed. What was not compiled by this version is served as it was, and compiled beside the requests.
 */
export class TagStore {
  readonly #options: TagStoreOptions
  readonly #files: TagFiles
  readonly #recompiler: Recompiler
  #prepared: PreparedTags = new Map()
  #active: ReadonlyMap<string, PreparedTag> = new Map()
  #current = EMPTY_TAG_SET
  /** The newest, from before a page shows it, and the one before. */
  #recent: readonly TagSet[] = []
  #shownSince = 0
  #version = NOT_LOADED
  #running: Promise<void> | null = null
  #next: Promise<void> | null = null
  /** Which rows each version changed, as far as this process made it. */
  readonly #changes = new Map<number, readonly string[]>()
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

  /** Reports of a page that was loaded before the last change still name its tags. */
  get recent(): readonly TagSet[] {
    return this.#recent
  }

  /** Whether whatever page reports now ran this pixel as it is now: it stood in the set before too, or long enough. */
  isLongShown(pixelId: string | null, now = Date.now()): boolean {
    if (now - this.#shownSince > LONG_SHOWN_MS) return true
    const [newest, before] = this.#recent.map(({ members }) => members.find(({ tag }) => tag.id === pixelId))
    return newest !== undefined && newest.codeHash === before?.codeHash
  }

  /** What each active pixel became, paused or not, as far as it could be compiled. */
  get prepared(): ReadonlyMap<string, PreparedTag> {
    return this.#active
  }

  /** Why an active pixel's code could not be compiled, in Portuguese; null when it could. */
  refusalOf(pixelId: string): string | null {
    return this.#recompiler.refusalOf(pixelId)
  }

  file(path: string): PreparedResponse | undefined {
    return this.#files.get(ROOM.exec(path)?.[0] ?? path)
  }

  /** What a change that this process committed was about: `refresh` then looks at those rows alone. */
  noteChange(version: number, ids: readonly string[]): void {
    this.#changes.set(version, ids)
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

  /** From now on, once the server listens, whatever is found stale is compiled in the background. */
  startRecompiling(): void {
    this.#recompiles = true
    this.#recompileInBackground()
  }

  /** Compiles whatever this version has not compiled, and resolves when the page shows it. */
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
      this.#options.log.warn({ err: error }, 'tags could not be compiled anew; the next change tries again')
    })
  }

  /** null when anything may have changed: somebody else did something, or this process has just begun. */
  #changedSince(version: number): string[] | null {
    const made = version - this.#version
    if (this.#version === NOT_LOADED || made < 1 || made > MAX_STEPS) return null
    const ids = new Set<string>()
    for (let step = this.#version + 1; step <= version; step++) {
      const change = this.#changes.get(step)
      if (change === undefined) return null
      for (const id of change) ids.add(id)
    }
    return ids.size > MAX_CHANGED ? null : [...ids]
  }

  #start(): Promise<void> {
    this.#running = this.#load().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #load(): Promise<void> {
    const { db, swapPage, ownHosts, measureHead, renderRoom } = this.#options
    // The version is read first: a change that falls between the two reads is then seen as news by the next look.
    const state = await db
      .selectFrom('site_state')
      .select(['tags_version', 'tags_paused_at'])
      .executeTakeFirstOrThrow()
    const changed = this.#changedSince(state.tags_version)
    this.#prepared = await readPreparedTags(db, ownHosts, this.#prepared, changed, renderRoom)
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
    const { rooms } = set
    await this.#files.add(set.files)
    const documents = new Map<string, string>()
    for (const [path, { html }] of rooms) documents.set(path, html)
    await this.#files.add(documents, (path) => rooms.get(path)?.headers ?? {})
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
    for (const version of this.#changes.keys()) if (version <= this.#version) this.#changes.delete(version)
    this.#files.retireOthers({ has: (path) => set.files.has(path) || rooms.has(path) })
    this.#recompileInBackground()
  }
}

/** A verification or structured data runs nothing and tells nobody: it stays in the HTML while a tag is paused. */
function headOnly(prepared: PreparedTag): PreparedTag {
  return { ...prepared, tag: { ...prepared.tag, steps: [] }, isTold: false, sendsEmail: false }
}

/** The manifest names the rest; whom our server alone tells stands in the cookie policy. */
function isSamePage(a: TagSet, b: TagSet): boolean {
  const shown = ({ sources, head, hasRooms, sendsEmail, recipients }: TagSet) =>
    JSON.stringify([
      sources,
      head,
      hasRooms,
      sendsEmail,
      recipients.filter(({ isTold }) => isTold).map(({ tag, marks }) => [tag.type, tag.category, marks]),
    ])
  return shown(a) === shown(b)
}

/** An active pixel as this process knows it. */
export interface PreparedPixel {
  /** Everything that its share of the tag set is made of. */
  key: string
  createdAt: string
  updatedAt: string
  /** Of the code that was compiled; null when nothing was. */
  sourceHash: string | null
  /** True when this compiler, or a newer one, has made it. */
  isCurrent: boolean
  /** Paused by itself, because it failed. */
  isTripped: boolean
  /** null when there is nothing to serve. */
  tag: PreparedTag | null
}

/** By the pixel's id, in the order in which the tags run. */
export type PreparedTags = ReadonlyMap<string, PreparedPixel>

const RESULTS_PER_STATEMENT = 200

/**
 * The active pixels, oldest first. What has not changed since `known` is not made again; when it is told which rows can
 * have changed, the others are not even looked at.
 */
async function readPreparedTags(
  db: Db,
  ownHosts: ReadonlySet<string>,
  known: PreparedTags,
  changed: readonly string[] | null = null,
  renderRoom?: RenderFrame,
): Promise<PreparedTags> {
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
  // What could not be read is read again: it may have been replaced by what can.
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
          : prepareTag({ ...row, compiled: withoutOwnHosts(compiled, ownHosts) }, ownHosts, renderRoom),
    })
  }
  return changed === null ? prepared : replace(known, changed, prepared)
}

/** Those that were read take their places by age; the order of all others stands. */
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

/** As the rows are read: by time, then by id. */
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

/** None of the parts has a line break. The time of change is not among them: a switch that was thrown twice is no news. */
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
