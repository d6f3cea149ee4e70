import type { FastifyRequest } from 'fastify'
import { AppError } from '#server/http/app-error.ts'
import type { Caller } from '#server/http/caller.ts'
import { type DataService, readCall } from '../data-service.ts'
import type { Resource } from '../resource.ts'
import { runChange } from '../run-change.ts'

/** Brings a pixel back from the trash as it was, with its counts, hosts and history; on the page too if it was active. */
export async function restorePixel(
  service: DataService,
  resource: Resource,
  { request, caller }: { request: FastifyRequest; caller: Caller },
  pixelId: string,
): Promise<void> {
  const row = await service.db
    .selectFrom('tracking_pixels')
    .selectAll()
    .where('id', '=', pixelId)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst()
  if (row === undefined) throw new AppError(404, 'not_found', 'Este pixel não está mais na lixeira.')
  const { deleted_at: _at, deleted_by: _by, active_when_deleted, ...pixel } = row
  await runChange(service, readCall(request, resource, caller), async (writer) => ({
    // The id is free for whoever writes it again: of two who restore at once, the second finds it taken.
    rows: [
      await writer.insert({
        ...pixel,
        is_active: active_when_deleted ?? false,
        updated_at: new Date().toISOString(),
      }),
    ],
  })).catch((error: unknown) => {
    if (error instanceof AppError && error.code === '23505')
      throw new AppError(409, 'already_restored', 'Este pixel já foi restaurado.', { cause: error })
    throw error
  })
}
