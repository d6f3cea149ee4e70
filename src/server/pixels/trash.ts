import type { FastifyRequest } from 'fastify'
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

const DAY_MS = 86_400_000

/** What was deleted and can still be brought back, the newest first. */
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
  request: FastifyRequest,
  pixelId: string,
): Promise<RestoredPixel> {
  const { review, ...unreviewed } = { ...resource, source: (db: DynamicDb) => trashOf(db, resource) }
  const restore = (into: Resource, runs: boolean) =>
    runChange(service, readCall(request, into), async (writer) => {
      // Read and locked where it is written: somebody may restore, save and delete it meanwhile.
      const [pixel] = await writer.load([pixelId])
      if (pixel === undefined) throw new AppError(404, 'not_found', 'Este pixel não está mais na lixeira.')
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
