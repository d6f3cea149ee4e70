import type { PixelType } from '#contract/pixel.ts'
import type { Db } from '#server/db/database.ts'
import { assertPolicyFits, type BudgetOptions } from '../hosts/budget.ts'
import { raiseTagsVersion } from '../serve/tag-version.ts'
import {
  decodeTag,
  type EncodedTag,
  hashSource,
  isCurrent,
  type NewCompilation,
  readCompiledMarks,
  storeCompiled,
  type TagSource,
} from './compiled-tag.ts'
import { refuseScript, type TagCompiler, tooMuchAtOnce } from './compiler.ts'

/** For all the snippets of one write together. */
const WRITE_MS = 10_000

/** A row of `tracking_pixels` before and after a change; null where there is none. */
interface PixelChange {
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

interface ReviewOptions extends BudgetOptions {
  compiler: TagCompiler
  /** Told of each committed change: the version that it made, and its rows. */
  noteChange?: (version: number, ids: readonly string[]) => void
}

/**
 * What every write of pixels goes through, whoever makes it. `apply` is the last part of its transaction: it stores what
 * each new code became, counts the change and refuses one that the policy has no room for. Code that nobody has compiled
 * yet makes it return false; the transaction is then taken back, `workOut` compiles outside of any, and the write is tried
 * again. A row that was changed meanwhile has another hash, and so is compiled again too.
 */
export class PixelReview {
  readonly #options: ReviewOptions
  readonly #compiled = new Map<string, EncodedTag>()
  readonly #missing = new Map<string, TagSource>()
  readonly #endsAt: number
  #applied: { version: Promise<number>; ids: readonly string[] } | null = null

  constructor(options: ReviewOptions, { writeMs = WRITE_MS }: { writeMs?: number } = {}) {
    this.#options = options
    this.#endsAt = performance.now() + writeMs
  }

  async apply(trx: Db, changes: readonly PixelChange[]): Promise<boolean> {
    const compilations = await this.#compilations(trx, changes)
    if (this.#missing.size > 0) return false
    await storeCompiled(trx, compilations)
    const vendors = new Map(compilations.map(({ pixel_id, tag }) => [pixel_id, tag.vendor]))
    for (const { after } of changes)
      if (after !== null && vendors.has(String(after.id))) after.vendor = vendors.get(String(after.id))
    // It locks one row that every change locks, and whoever holds that must wait for nobody else.
    const { version } = await raiseTagsVersion(trx)
    if (changes.some(mayAddHosts)) await assertPolicyFits(trx, this.#options)
    this.#applied = {
      version,
      ids: changes.map(({ before, after }) => String((after ?? before)?.id)),
    }
    return true
  }

  async committed(): Promise<void> {
    if (this.#applied !== null) this.#options.noteChange?.(await this.#applied.version, this.#applied.ids)
  }

  async workOut(): Promise<void> {
    for (const [hash, source] of this.#missing) {
      const withinMs = this.#endsAt - performance.now()
      if (withinMs <= 0) throw tooMuchAtOnce()
      const tag = await this.#options.compiler.compile(source, { withinMs })
      refuseSyntaxErrors(tag)
      this.#compiled.set(hash, tag)
      this.#missing.delete(hash)
    }
  }

  async #compilations(trx: Db, changes: readonly PixelChange[]): Promise<NewCompilation[]> {
    const compilations: NewCompilation[] = []
    const unsure = new Map<string, TagSource>()
    for (const { before, after } of changes) {
      if (after === null) continue
      const id = String(after.id)
      const source = toSource(after)
      if (before === null || !isSameSource(toSource(before), source)) {
        this.#take(id, source, compilations)
      } else if (after.is_active === true && before.is_active !== true) unsure.set(id, source)
    }
    // Switched on: its result was stored with it, unless another hand wrote the row.
    const marks = await readCompiledMarks(trx, [...unsure.keys()])
    for (const [id, source] of unsure) {
      if (!isCurrent(marks.get(id), hashSource(source))) this.#take(id, source, compilations)
    }
    return compilations
  }

  #take(pixel_id: string, source: TagSource, compilations: NewCompilation[]): void {
    const source_hash = hashSource(source)
    const tag = this.#compiled.get(source_hash)
    if (tag === undefined) this.#missing.set(source_hash, source)
    else compilations.push({ pixel_id, source_hash, tag })
  }
}

/** Stored, it would wait for visits that it never makes; a program that writes would hear nothing of it. */
function refuseSyntaxErrors(tag: EncodedTag): void {
  const fault = decodeTag(tag)?.warnings.find(({ code }) => code === 'does_not_parse')
  if (fault !== undefined) throw refuseScript(fault.message)
}

function toSource(row: Record<string, unknown>): TagSource {
  return {
    type: row.type as PixelType,
    pixel_id: row.pixel_id === null ? null : String(row.pixel_id),
    code: String(row.code),
  }
}

function isSameSource(a: TagSource, b: TagSource): boolean {
  return a.type === b.type && a.pixel_id === b.pixel_id && a.code === b.code
}

/** What only takes away is never refused, so that there is a way back from a policy that is too large. */
function mayAddHosts({ before, after }: PixelChange): boolean {
  if (after === null || after.is_active !== true) return false
  if (before === null || before.is_active !== true) return true
  return (
    !isSameSource(toSource(before), toSource(after)) ||
    before.runs_in !== after.runs_in ||
    JSON.stringify(before.allowed_hosts) !== JSON.stringify(after.allowed_hosts)
  )
}
