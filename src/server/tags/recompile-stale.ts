import { setImmediate } from 'node:timers/promises'
import { bumpTagsVersion } from '../db/changes.ts'
import { engineOf } from '../db/column-types.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/app-error.ts'
import type { Logger } from '../http/logger.ts'
import { hashSource, type TagSource } from './compiled-tag.ts'
import type { PreparedPixel, PreparedTags } from './read-prepared-tags.ts'
import { isCurrent, type NewCompilation, readCompiledMarks, storeCompiled } from './store-compiled.ts'
import type { TagCompiler } from './tag-compiler.ts'

const ROWS_PER_STEP = 50

interface RecompilerOptions {
  db: Db
  log: Logger
  compiler: TagCompiler
}

interface Refusal {
  sourceHash: string
  message: string
}

/**
 * Finds active rows whose stored result is not of their code or not of this compiler (after an upgrade, a restore, an
 * import, a change by another hand), compiles them one after the other and stores the results where the rows are still the
 * same. One that cannot be compiled is remembered, and tried again only when it has changed or the process is another.
 */
export class Recompiler {
  readonly #options: RecompilerOptions
  /** When each row was last found to be what was compiled, by its own time of change. */
  readonly #checked = new Map<string, string>()
  readonly #refusals = new Map<string, Refusal>()
  #running: Promise<boolean> | null = null
  #stopped = false

  constructor(options: RecompilerOptions) {
    this.#options = options
  }

  /** True when the code cannot be compiled, and the result that is stored is another code's. */
  isReplacedByRefused(id: string, { sourceHash }: PreparedPixel): boolean {
    const refusal = this.#refusals.get(id)
    return refusal !== undefined && refusal.sourceHash !== sourceHash
  }

  refusalOf(id: string): string | null {
    return this.#refusals.get(id)?.message ?? null
  }

  hasWork(pixels: PreparedTags): boolean {
    for (const [id, pixel] of pixels) if (this.#isStale(id, pixel)) return true
    return false
  }

  /** True when something was found out, so that the tags have to be read again. */
  run(pixels: PreparedTags): Promise<boolean> {
    this.#running ??= this.#work(pixels).finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running?.catch(() => {})
  }

  #isStale(id: string, pixel: PreparedPixel): boolean {
    return this.#checked.get(id) !== pixel.updatedAt || (!pixel.isCurrent && !this.#refusals.has(id))
  }

  async #work(pixels: PreparedTags): Promise<boolean> {
    for (const id of [...this.#checked.keys()]) if (!pixels.has(id)) this.#checked.delete(id)
    for (const id of [...this.#refusals.keys()]) if (!pixels.has(id)) this.#refusals.delete(id)
    const stale = [...pixels].filter(([id, pixel]) => this.#isStale(id, pixel))
    const refusals = this.#refusals.size
    let stored = 0
    for (let at = 0; at < stale.length && !this.#stopped; at += ROWS_PER_STEP) {
      stored += await this.#step(new Map(stale.slice(at, at + ROWS_PER_STEP)))
      await setImmediate()
    }
    if (stored > 0) this.#options.log.info({ tags: stored }, 'tags compiled anew')
    return stored > 0 || this.#refusals.size !== refusals
  }

  async #step(pixels: PreparedTags): Promise<number> {
    const rows = await readSources(this.#options.db, [...pixels.keys()])
    const compilations: NewCompilation[] = []
    for (const { id, updated_at, ...source } of rows) {
      if (this.#stopped) break
      const pixel = pixels.get(id)
      const source_hash = hashSource(source)
      const isDone = pixel?.isCurrent === true && pixel.sourceHash === source_hash
      const tag = isDone ? null : await this.#compile(id, source_hash, source)
      if (tag !== null) compilations.push({ pixel_id: id, source_hash, tag })
      this.#checked.set(id, updated_at)
    }
    return this.#store(compilations)
  }

  async #compile(id: string, sourceHash: string, source: TagSource) {
    if (this.#refusals.get(id)?.sourceHash === sourceHash) return null
    this.#refusals.delete(id)
    try {
      return await this.#options.compiler.compile(source)
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 400) throw error
      this.#refusals.set(id, { sourceHash, message: error.message })
      this.#options.log.error({ err: error, pixel: id }, 'a tag could not be compiled')
      return null
    }
  }

  async #store(compilations: readonly NewCompilation[]): Promise<number> {
    if (compilations.length === 0) return 0
    const { db } = this.#options
    return db.transaction().execute(async (trx) => {
      const rows = await readSources(
        trx,
        compilations.map(({ pixel_id }) => pixel_id),
        engineOf(db) === 'postgres',
      )
      const hashes = new Map(rows.map(({ id, updated_at, ...source }) => [id, hashSource(source)]))
      // Another process may have done the same, or a newer one better.
      const marks = await readCompiledMarks(trx, [...hashes.keys()])
      const wanted = compilations.filter(
        ({ pixel_id, source_hash }) =>
          hashes.get(pixel_id) === source_hash && !isCurrent(marks.get(pixel_id), source_hash),
      )
      await storeCompiled(trx, wanted)
      if (wanted.length > 0) await bumpTagsVersion(trx)
      return compilations.length
    })
  }
}

function readSources(
  db: Db,
  ids: readonly string[],
  locked = false,
): Promise<(TagSource & { id: string; updated_at: string })[]> {
  return (
    db
      .selectFrom('tracking_pixels')
      .select(['id', 'type', 'pixel_id', 'code', 'updated_at'])
      .where('id', 'in', ids)
      // In one order, so that two processes that do this at once wait for each other and not in a circle.
      .orderBy('id')
      .$if(locked, (query) => query.forUpdate())
      .execute()
  )
}
