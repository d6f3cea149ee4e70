import type { FastifyRequest } from 'fastify'
import { DAY_MS } from '#contract/durations.ts'
import type { PixelRow } from '#contract/pixel-columns.ts'
import { type RestoredPixel, TRASH_DAYS, type Trash } from '#contract/pixel-history.ts'
import { POLICY_FULL, TAG_REFUSED } from '#contract/tag-status.ts'
import { withoutForeign } from '../conversions/sending-rules.ts'
import type { DataService } from '../data/data-service.ts'
import { readCall } from '../data/request.ts'
import { type DynamicDb, type Resource, readableColumns, type Source } from '../data/resource.ts'
import { runChange } from '../data/row-writer.ts'
import type { Db } from '../db/database.ts'
import { nextTimestamp } from '../db/time.ts'
import { AppError } from '../http/errors.ts'

const MAX_LISTED = 200

/** Deleted pixels that can be restored, newest first. */
export async function readTrash(db: Db): Promise<Trash> {
  const deleted = db.selectFrom('tracking_pixels').where('deleted_at', 'is not', null)
  const [rows, { total }] = await Promise.all([
    deleted
      .select(['id', 'name', 'type', 'pixel_id', 'active_when_deleted', 'deleted_at', 'deleted_by'])
      .orderBy('deleted_at', 'desc')
      .limit(MAX_LISTED)
      .execute(),
    deleted.select((eb) => eb.fn.countAll<number | string>().as('total')).executeTakeFirstOrThrow(),
  ])
  return {
    pixels: rows.map(({ active_when_deleted, deleted_at, deleted_by, ...pixel }) => ({
      ...pixel,
      was_active: active_when_deleted ?? false,
      deleted_at: deleted_at ?? '',
      deleted_by: deleted_by ?? '',
      kept_until: new Date(Date.parse(deleted_at ?? '') + TRASH_DAYS * DAY_MS).toISOString(),
    })),
    total: Number(total),
  }
}

/** Why a pixel cannot be active now; other errors are returned as they are. */
const CANNOT_RUN: Readonly<Record<string, string>> = {
  [TAG_REFUSED]: 'O código dele não é mais aceito. Edite o código e ative o pixel.',
  [POLICY_FULL]: 'O site chegou ao limite de domínios. Desative outra tag e ative o pixel.',
}

/**
 * Restores a pixel with its counts, hosts and history, active if it was. A pixel that can no longer run is restored
 * switched off and checked again when it is switched on.
 */
export async function restorePixel(
  service: DataService,
  resource: Resource,
  request: FastifyRequest,
  pixelId: string,
): Promise<RestoredPixel> {
  const { review, ...unreviewed } = { ...resource, source: (db: DynamicDb) => trashOf(db, resource) }
  const restore = (into: Resource, runs: boolean) =>
    runChange(service, readCall(request, into), async (writer) => {
      // Read and locked in the writing transaction: it may be restored, saved and deleted meanwhile.
      const [pixel] = await writer.load([pixelId])
      if (pixel === undefined)
        throw new AppError(404, 'not_found', 'Este pixel não está mais na lixeira. Recarregue a lista.')
      const is_active = runs && pixel.is_active === true
      const destination = withoutForeign(pixel as PixelRow)
      const updated_at = nextTimestamp(pixel.updated_at)
      return { rows: [await writer.insert({ ...pixel, is_active, destination, updated_at })] }
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

/** The rows in the trash, each with its former switch. */
function trashOf(db: DynamicDb, resource: Resource): Source {
  const columns = readableColumns(resource).map(({ name }) => name)
  const rows = db
    .selectFrom(resource.name)
    .select(columns.filter((name) => name !== 'is_active'))
    .select('active_when_deleted as is_active')
    .where('deleted_at', 'is not', null)
  return db.selectFrom(rows.as(resource.name)) as unknown as Source
}
