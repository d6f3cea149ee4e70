import * as z from 'zod/mini'
import { type ColumnFacts, PIXEL_COLUMNS } from '#contract/pixel-columns.ts'
import type { PixelConflict } from '#contract/pixel-history.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/app-error.ts'
import type { Row } from '../resource.ts'
import { changesOf, SHOWN_COLUMNS } from './describe-version.ts'

const VALUES = {
  uuid: z.string(),
  text: z.string(),
  boolean: z.boolean(),
  timestamp: z.string(),
  json: z.union([z.array(z.string()), z.record(z.string(), z.string())]),
} satisfies Record<ColumnFacts['type'], z.ZodMiniType>

/** Every column of the conflict box that a form may hold; it is only compared, and stored by nobody. */
export const compareSchema = z.partial(
  z.object(
    Object.fromEntries(
      SHOWN_COLUMNS.filter((name) => PIXEL_COLUMNS[name].write === 'always').map((name) => {
        const facts: ColumnFacts = PIXEL_COLUMNS[name]
        return [name, facts.nullable ? z.nullable(VALUES[facts.type]) : VALUES[facts.type]]
      }),
    ),
  ),
)

/** What somebody typed, beside what is saved, and who saved it. */
export async function compareVersion(
  db: Db,
  pixelId: string,
  typed: z.output<typeof compareSchema>,
): Promise<PixelConflict> {
  const [saved, event] = await Promise.all([
    db
      .selectFrom('tracking_pixels')
      .select([...SHOWN_COLUMNS, 'updated_at'])
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
