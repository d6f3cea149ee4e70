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

/** For all snippets of one write. */
const WRITE_MS = 10_000

/** A row of `tracking_pixels` before and after a change; null if there is none. */
interface PixelChange {
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

interface ReviewOptions extends BudgetOptions {
  compiler: TagCompiler
}

/**
 * Every write of pixels passes through here. `apply` is the last step of the transaction: it stores the compiled code,
 * raises the tags version and refuses a change that the policy has no space for. If code is not compiled yet it returns
 * false: the transaction is rolled back, `workOut` compiles outside of it, and the write is repeated. A row that
 * changed meanwhile has another hash and is compiled again.
 */
export class PixelReview {
  readonly #options: ReviewOptions
  readonly #compiled = new Map<string, EncodedTag>()
  readonly #missing = new Map<string, TagSource>()
  readonly #endsAt: number

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
    // It locks a row that every change locks, so nothing after it may wait for another lock.
    await raiseTagsVersion(
      trx,
      changes.map(({ before, after }) => String((after ?? before)?.id)),
    )
    if (changes.some(mayAddHosts)) await assertPolicyFits(trx, this.#options)
    return true
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
    // Switched on: the result exists, unless the row was written by SQL.
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

/**
 * A pixel with a syntax error would wait forever for visits that run it, and a program that stored it would not be
 * told.
 */
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

/** A change that only removes hosts is never refused, so that there is a way back from a policy that is too large. */
function mayAddHosts({ before, after }: PixelChange): boolean {
  if (after === null || after.is_active !== true) return false
  if (before === null || before.is_active !== true) return true
  return (
    !isSameSource(toSource(before), toSource(after)) ||
    before.runs_in !== after.runs_in ||
    JSON.stringify(before.allowed_hosts) !== JSON.stringify(after.allowed_hosts)
  )
}
