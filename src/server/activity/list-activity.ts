import * as z from 'zod/mini'
import { ACTIVITY_KINDS, type ActivityEvent } from '#contract/activity.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/app-error.ts'
import { readPageCursor, toPageCursor } from '../http/page-cursor.ts'
import { type EventWish, readEvents } from './read-events.ts'

const PAGE = 50
/** What is looked for is looked for among so many events for one answer; the next one goes on from there. */
const SEARCHED = 1_000

const querySchema = z.object({
  search: z.optional(z.string().check(z.maxLength(200))),
  by: z.optional(z.string().check(z.maxLength(254))),
  kind: z.optional(z.enum(ACTIVITY_KINDS)),
  before: z.optional(z.string()),
})

interface ActivityQuery extends Omit<EventWish, 'limit'> {
  /** Whether an event is among those that are looked for. */
  matches: (event: ActivityEvent) => boolean
  isSearch: boolean
}

export function readActivityQuery(query: unknown): ActivityQuery {
  const parsed = querySchema.safeParse(query)
  if (!parsed.success) throw new AppError(400, 'bad_request', 'Pedido inválido.')
  const { search = '', by, kind, before } = parsed.data
  const words = plain(search).split(/\s+/).filter(Boolean)
  return {
    by,
    before: readPageCursor(before),
    isSearch: words.length > 0 || kind !== undefined,
    matches: (event) => {
      if (kind !== undefined && event.kind !== kind) return false
      const sentence = plain(`${event.by} ${event.text}`)
      return words.every((word) => sentence.includes(word))
    },
  }
}

/** A page of events, and where the next begins. The sentence is what is searched, as people read it. */
export async function listActivity(
  db: Db,
  query: ActivityQuery,
): Promise<{ events: ActivityEvent[]; next: string | null }> {
  const limit = query.isSearch ? SEARCHED : PAGE
  const seen = await readEvents(db, { ...query, limit: limit + 1 })
  const looked = seen.slice(0, limit)
  const found = query.isSearch ? looked.filter(query.matches) : looked
  const events = found.slice(0, PAGE)
  const last = found.length > PAGE ? events.at(-1) : seen.length > limit ? looked.at(-1) : undefined
  return { events, next: last === undefined ? null : toPageCursor({ created_at: last.at, id: last.id }) }
}

/** Without accents and capitals. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim()
}
