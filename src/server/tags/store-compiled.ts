import type { Db } from '../db/database.ts'
import { COMPILER_VERSION, type EncodedTag } from './compiled-tag.ts'

export interface NewCompilation {
  pixel_id: string
  source_hash: string
  tag: EncodedTag
}

const ROWS_PER_STATEMENT = 50

/** The results and the vendors of these pixels, inside the transaction that knows the rows to be those that were compiled. */
export async function storeCompiled(trx: Db, compilations: readonly NewCompilation[]): Promise<void> {
  for (let at = 0; at < compilations.length; at += ROWS_PER_STATEMENT) {
    await trx
      .insertInto('compiled_tags')
      .values(
        compilations
          .slice(at, at + ROWS_PER_STATEMENT)
          .map(({ pixel_id, source_hash, tag: { vendor: _vendor, ...tag } }) => ({
            pixel_id,
            source_hash,
            compiler_version: COMPILER_VERSION,
            ...tag,
          })),
      )
      .onConflict((conflict) =>
        conflict.column('pixel_id').doUpdateSet((eb) => ({
          source_hash: eb.ref('excluded.source_hash'),
          compiler_version: eb.ref('excluded.compiler_version'),
          added_hosts: eb.ref('excluded.added_hosts'),
          sources: eb.ref('excluded.sources'),
          body: eb.ref('excluded.body'),
        })),
      )
      .execute()
  }
  await storeVendors(trx, compilations)
}

/** One statement for each vendor: the rows of one write may be hundreds. */
async function storeVendors(trx: Db, compilations: readonly NewCompilation[]): Promise<void> {
  for (const [vendor, some] of Map.groupBy(compilations, ({ tag }) => tag.vendor)) {
    for (let at = 0; at < some.length; at += ROWS_PER_STATEMENT) {
      await trx
        .updateTable('tracking_pixels')
        .set({ vendor })
        .where(
          'id',
          'in',
          some.slice(at, at + ROWS_PER_STATEMENT).map(({ pixel_id }) => pixel_id),
        )
        .where('vendor', 'is distinct from', vendor)
        .execute()
    }
  }
}

interface CompiledMark {
  source_hash: string
  compiler_version: number
}

/** Which of these pixels have a result, of which code, by which compiler. */
export async function readCompiledMarks(db: Db, ids: readonly string[]): Promise<Map<string, CompiledMark>> {
  const marks = new Map<string, CompiledMark>()
  for (let at = 0; at < ids.length; at += ROWS_PER_STATEMENT) {
    const rows = await db
      .selectFrom('compiled_tags')
      .select(['pixel_id', 'source_hash', 'compiler_version'])
      .where('pixel_id', 'in', ids.slice(at, at + ROWS_PER_STATEMENT))
      .execute()
    for (const row of rows) marks.set(row.pixel_id, row)
  }
  return marks
}

/** True when nothing is left to do for that code: this compiler has done it, or a newer one. */
export function isCurrent(mark: CompiledMark | undefined, sourceHash: string): boolean {
  return mark !== undefined && mark.source_hash === sourceHash && mark.compiler_version >= COMPILER_VERSION
}
