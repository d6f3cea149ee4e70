import { ACTIVITY_ACTORS } from '#contract/activity.ts'
import type { Db } from '../db/database.ts'
import { jsonField } from '../db/json-field.ts'

const IDS_PER_STATEMENT = 200
const isTrue = (value: string | number | boolean | null) => value === true || value === 1 || value === 'true'

/** Who last switched each pixel on, or added it switched on, as far as the trail goes back. */
export async function readAuthorisations(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, { by: string; at: string }>> {
  const found = new Map<string, { by: string; at: string }>()
  for (let from = 0; from < ids.length; from += IDS_PER_STATEMENT) {
    const rows = await db
      .selectFrom('audit_events')
      .select(['subject', 'actor', 'created_at'])
      .select([
        jsonField(db, 'before', 'is_active').as('was_active'),
        jsonField(db, 'after', 'is_active').as('now_active'),
      ])
      .where('subject', 'in', ids.slice(from, from + IDS_PER_STATEMENT))
      .where('action', 'in', ['tracking_pixels.insert', 'tracking_pixels.update'])
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    for (const { subject, actor, created_at, was_active, now_active } of rows)
      if (subject !== null && isTrue(now_active) && !isTrue(was_active))
        found.set(subject, { by: ACTIVITY_ACTORS[actor] ?? actor, at: created_at })
  }
  return found
}
