import type { Selectable } from 'kysely'
import type { Db } from '#server/db/database.ts'
import type { Schema } from '#server/db/schema/index.ts'
import { AppError } from '#server/http/errors.ts'

type PixelRow = Selectable<Schema['tracking_pixels']>

/** Columns of a pixel that is not in the trash. Throws a 404 if there is none. */
export async function readPixel<Column extends keyof PixelRow>(
  db: Db,
  id: string,
  columns: readonly Column[],
): Promise<Pick<PixelRow, Column>> {
  const pixel = await db
    .selectFrom('tracking_pixels')
    .select(columns as readonly (keyof PixelRow)[])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (pixel === undefined) throw pixelIsGone()
  return pixel as PixelRow
}

export const pixelIsGone = () =>
  new AppError(404, 'not_found', 'Este pixel não existe mais. Veja se ele está na lixeira.')
