import type { PixelHistory, PixelVersion } from '#contract/pixel-history.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/app-error.ts'
import { readPageCursor, toPageCursor } from '#server/http/page-cursor.ts'
import type { Row } from '../resource.ts'
import { CONTENT_COLUMNS, changesOf, differs, kindOf, type PixelEvent } from './describe-version.ts'

const PAGE = 20
const ACTIONS = [
  'tracking_pixels.insert',
  'tracking_pixels.update',
  'tracking_pixels.delete',
  'tags.allow_host',
  'tags.revoke_host',
]

/** Every version of a pixel for as long as the audit trail is kept, the newest first, a page at a time. */
export async function readHistory(db: Db, pixelId: string, cursor: unknown): Promise<PixelHistory> {
  const now = await db
    .selectFrom('tracking_pixels')
    .select([...CONTENT_COLUMNS])
    .where('id', '=', pixelId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (now === undefined) throw new AppError(404, 'not_found', 'Pixel não encontrado.')
  const { at, id } = readPageCursor(cursor)
  const events = (await db
    .selectFrom('audit_events')
    .select(['id', 'actor', 'action', 'before', 'after', 'created_at'])
    .where('subject', '=', pixelId)
    .where('action', 'in', ACTIONS)
    .where((eb) => eb.or([eb('created_at', '<', at), eb.and([eb('created_at', '=', at), eb('id', '<', id)])]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    // One more, to know whether a version before it was a deletion, and whether there are more.
    .limit(PAGE + 1)
    .execute()) as PixelEvent[]
  const versions = events.slice(0, PAGE).map((event, index): PixelVersion => {
    const kind = kindOf(event)
    const cameBack = kind === 'created' && events[index + 1]?.action === 'tracking_pixels.delete'
    return {
      id: event.id,
      at: event.created_at,
      by: event.actor,
      kind: cameBack ? 'restored' : kind,
      changes: changesOf(event),
      restorable: event.action.startsWith('tracking_pixels.') && differs(event.after, now as Row),
    }
  })
  const last = events[PAGE - 1]
  return { versions, next: events.length > PAGE && last ? toPageCursor(last) : null }
}
