import * as z from 'zod/mini'
import type { PixelConflict } from '#contract/pixel-history.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/app-error.ts'
import type { Row } from '../resource.ts'
import { CONTENT_COLUMNS, changesOf } from './describe-version.ts'

/** As a form has it; it is only compared, and stored by nobody. */
export const compareSchema = z.object({
  name: z.string(),
  type: z.string(),
  pixel_id: z.nullable(z.string()),
  code: z.string(),
  is_active: z.boolean(),
  consent_category: z.string(),
  conversion_labels: z.record(z.string(), z.string()),
})

/** What somebody typed, beside what is saved, and who saved it. */
export async function compareVersion(
  db: Db,
  pixelId: string,
  typed: z.output<typeof compareSchema>,
): Promise<PixelConflict> {
  const [saved, event] = await Promise.all([
    db
      .selectFrom('tracking_pixels')
      .select([...CONTENT_COLUMNS, 'is_active', 'updated_at'])
      .where('id', '=', pixelId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst(),
    db
      .selectFrom('audit_events')
      .select('actor')
      .where('subject', '=', pixelId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),
  ])
  if (saved === undefined) throw new AppError(404, 'not_found', 'Pixel não encontrado.')
  return {
    saved_by: event?.actor ?? null,
    saved_at: saved.updated_at,
    changes: changesOf({ before: saved as Row, after: typed }),
  }
}
