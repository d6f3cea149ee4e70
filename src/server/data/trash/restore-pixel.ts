import type { FastifyRequest } from 'fastify'
import type { RestoredPixel } from '#contract/pixel-history.ts'
import { POLICY_FULL, TAG_REFUSED } from '#contract/tag-status.ts'
import { nextTimestamp } from '#server/db/next-timestamp.ts'
import { AppError } from '#server/http/app-error.ts'
import type { Caller } from '#server/http/caller.ts'
import { type DataService, readCall } from '../data-service.ts'
import { type DynamicDb, type Resource, readableColumns, type Source } from '../resource.ts'
import { runChange } from '../run-change.ts'

/** Why a pixel that ran cannot do so now; what else is wrong is said as it is. */
const CANNOT_RUN: Readonly<Record<string, string>> = {
  [TAG_REFUSED]: 'O código dele não é mais aceito como está. Edite o código para ativá-lo.',
  [POLICY_FULL]: 'Os endereços dele não cabem mais na política da página. Desative outra tag e ative-o.',
}

/**
 * Brings a pixel back from the trash as it was, with its counts, hosts and history; on the page too if it was active. One
 * that can no longer run comes back switched off, and is judged again when somebody switches it on.
 */
export async function restorePixel(
  service: DataService,
  resource: Resource,
  { request, caller }: { request: FastifyRequest; caller: Caller },
  pixelId: string,
): Promise<RestoredPixel> {
  const { review, ...unreviewed } = { ...resource, source: (db: DynamicDb) => trashOf(db, resource) }
  const restore = (into: Resource, runs: boolean) =>
    runChange(service, readCall(request, into, caller), async (writer) => {
      // Read and locked where it is written: somebody may restore, save and delete it meanwhile.
      const [pixel] = await writer.load([pixelId])
      if (pixel === undefined) throw new AppError(404, 'not_found', 'Este pixel não está mais na lixeira.')
      const is_active = runs && pixel.is_active === true
      return {
        rows: [await writer.insert({ ...pixel, is_active, updated_at: nextTimestamp(pixel.updated_at) })],
      }
    })
  try {
    await restore({ ...unreviewed, ...(review === undefined ? {} : { review }) }, true)
    return { warning: null }
  } catch (error) {
    const warning = error instanceof AppError ? CANNOT_RUN[error.code] : undefined
    if (warning === undefined) throw error
    await restore(unreviewed, false)
    return { warning }
  }
}

/** What lies in the trash, each row with the switch that it had. */
function trashOf(db: DynamicDb, resource: Resource): Source {
  const columns = readableColumns(resource).map(({ name }) => name)
  const rows = db
    .selectFrom(resource.name)
    .select(columns.filter((name) => name !== 'is_active'))
    .select('active_when_deleted as is_active')
    .where('deleted_at', 'is not', null)
  return db.selectFrom(rows.as(resource.name)) as unknown as Source
}
