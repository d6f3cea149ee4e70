import { setImmediate } from 'node:timers/promises'
import type { Db } from '#server/db/database.ts'
import { engineOf } from '#server/db/dialect.ts'
import { change } from '#server/db/transactions/change.ts'
import { AppError } from '#server/http/errors.ts'
import type { Logger } from '#server/http/logging/logger.ts'
import type { PreparedPixel, PreparedTags } from '../serve/tag-store.ts'
import { raiseTagsVersion } from '../serve/tag-version.ts'
import {
  hashSource,
  isCurrent,
  type NewCompilation,
  readCompiledMarks,
  storeCompiled,
  type TagSource,
} from './compiled-tag.ts'
import type { TagCompiler } from './compiler.ts'

const ROWS_PER_STATEMENT = 50
/**
 * After this time, results are stored and shown before the rest is compiled, so that a slow snippet delays no other.
 */
const STEP_MS = 1_000

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
 * Finds active rows whose stored result is outdated (after an upgrade, a restore, an import or a change by SQL),
 * compiles them one by one and stores the results if the rows are unchanged. Code that cannot be compiled is tried
 * again only when it changes, or after a restart.
 */
export class Recompiler {
  readonly #options: RecompilerOptions
  /** By row: its `updated_at` when it was last found to match its result. */
  readonly #checked = new Map<string, string>()
  readonly #refusals = new Map<string, Refusal>()
  #stopped = false

  constructor(options: RecompilerOptions) {
    this.#options = options
  }

  /** True if the code cannot be compiled and the stored result belongs to other code. */
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

  stop(): void {
    this.#stopped = true
  }

  #isStale(id: string, pixel: PreparedPixel): boolean {
    return this.#checked.get(id) !== pixel.updatedAt || (!pixel.isCurrent && !this.#refusals.has(id))
  }

  /** Compiles outdated rows for a while. Returns how many were looked at, and whether the tags must be read again. */
  async step(pixels: PreparedTags): Promise<{ looked: number; isNews: boolean }> {
    for (const id of this.#checked.keys()) if (!pixels.has(id)) this.#checked.delete(id)
    for (const id of this.#refusals.keys()) if (!pixels.has(id)) this.#refusals.delete(id)
    const stale: string[] = []
    for (const [id, pixel] of pixels) if (this.#isStale(id, pixel)) stale.push(id)
    const refusals = this.#refusals.size
    const compilations: NewCompilation[] = []
    const endsAt = performance.now() + STEP_MS
    let looked = 0
    for await (const row of this.#sources(stale)) {
      if (this.#stopped || performance.now() > endsAt) break
      const compilation = await this.#look(row, pixels.get(row.id))
      if (compilation !== null) compilations.push(compilation)
      this.#checked.set(row.id, row.updated_at)
      looked++
    }
    await this.#store(compilations, pixels)
    return { looked, isNews: compilations.length > 0 || this.#refusals.size !== refusals }
  }

  async *#sources(ids: readonly string[]): AsyncGenerator<SourceRow> {
    for (let at = 0; at < ids.length; at += ROWS_PER_STATEMENT) {
      yield* await readSources(this.#options.db, ids.slice(at, at + ROWS_PER_STATEMENT))
      await setImmediate()
    }
  }

  async #look(
    { id, updated_at, ...source }: SourceRow,
    pixel?: PreparedPixel,
  ): Promise<NewCompilation | null> {
    const source_hash = hashSource(source)
    if (pixel?.isCurrent === true && pixel.sourceHash === source_hash) return null
    const tag = await this.#compile(id, source_hash, source)
    return tag === null ? null : { pixel_id: id, source_hash, tag }
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

  async #store(compilations: readonly NewCompilation[], pixels: PreparedTags): Promise<void> {
    if (compilations.length === 0) return
    const { db, log } = this.#options
    await change(db, async (trx) => {
      const rows = await readSources(
        trx,
        compilations.map(({ pixel_id }) => pixel_id),
        engineOf(db) === 'postgres',
      )
      const hashes = new Map(rows.map(({ id, updated_at, ...source }) => [id, hashSource(source)]))
      // Another process may have compiled it meanwhile. Unreadable results are replaced.
      const marks = await readCompiledMarks(trx, [...hashes.keys()])
      const wanted = compilations.filter(
        ({ pixel_id, source_hash }) =>
          hashes.get(pixel_id) === source_hash &&
          (!isCurrent(marks.get(pixel_id), source_hash) || pixels.get(pixel_id)?.isCurrent === false),
      )
      await storeCompiled(trx, wanted)
      if (wanted.length > 0)
        await raiseTagsVersion(
          trx,
          wanted.map(({ pixel_id }) => pixel_id),
        )
    })
    log.info({ tags: compilations.length }, 'tags recompiled')
  }
}

type SourceRow = TagSource & { id: string; updated_at: string }

function readSources(db: Db, ids: readonly string[], locked = false): Promise<SourceRow[]> {
  return (
    db
      .selectFrom('tracking_pixels')
      .select(['id', 'type', 'pixel_id', 'code', 'updated_at'])
      .where('id', 'in', ids)
      // In one order, so that two processes do not deadlock.
      .orderBy('id')
      .$if(locked, (query) => query.forUpdate())
      .execute()
  )
}
