import type { FastifyRequest } from 'fastify'
import type { RestoredPixel } from '#contract/pixel-history.ts'
import { POLICY_FULL, TAG_REFUSED } from '#contract/tag-status.ts'
import { AppError } from '#server/http/app-error.ts'
import type { Caller } from '#server/http/caller.ts'
import { type DataService, readCall } from '../data-service.ts'
import type { Resource } from '../resource.ts'
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
  const row = await service.db
    .selectFrom('tracking_pixels')
    .selectAll()
    .where('id', '=', pixelId)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst()
  if (row === undefined) throw new AppError(404, 'not_found', 'Este pixel não está mais na lixeira.')
  const { deleted_at: _at, deleted_by: _by, active_when_deleted, ...pixel } = row
  const insert = (into: Resource, is_active: boolean) =>
    runChange(service, readCall(request, into, caller), async (writer) => ({
      // The id is free for whoever writes it again: of two who restore at once, the second finds it taken.
      rows: [await writer.insert({ ...pixel, is_active, updated_at: new Date().toISOString() })],
    })).catch((error: unknown) => {
      if (error instanceof AppError && error.code === '23505')
        throw new AppError(409, 'already_restored', 'Este pixel já foi restaurado.', { cause: error })
      throw error
    })
  try {
    await insert(resource, active_when_deleted ?? false)
    return { warning: null }
  } catch (error) {
    const warning = error instanceof AppError ? CANNOT_RUN[error.code] : undefined
    if (warning === undefined) throw error
    const { review: _review, ...unreviewed } = resource
    await insert(unreviewed, false)
    return { warning }
  }
}
