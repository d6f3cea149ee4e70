import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { ACTIVITY_ACTORS, ACTIVITY_KINDS, type ActivityEvent, type ActivityPage } from '#contract/activity.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/errors.ts'
import { readPageCursor, toCsvLine, toPageCursor } from '../http/requests.ts'
import { auditActor } from '../http/security/administrators.ts'
import { type EventFilter, readEvents } from './events.ts'
import { recordAudit } from './trail.ts'

interface ActivityDeps {
  db: Db
  /** Days that events are kept, for the screen. */
  retention: { readonly auditDays: number; readonly failedLoginDays: number }
}

/** Routes of "Atividade"; every administrator may read it. */
export function registerActivity(scope: FastifyInstance, deps: ActivityDeps): void {
  const { db, retention } = deps
  /** A page of the audit trail as sentences. Query: `search`, `by`, `kind`, `before`. */
  scope.get('/admin/api/activity', async (request): Promise<ActivityPage> => {
    const page = await listActivity(db, readActivityQuery(request.query))
    return {
      ...page,
      kept_days: retention.auditDays,
      failed_login_days: retention.failedLoginDays,
      people: await readPeople(db),
    }
  })

  /** The audit trail as CSV, with the same query. The download is recorded. */
  scope.get('/admin/api/activity/export', async (request, reply) => {
    const { caller } = request
    const query = readActivityQuery(request.query)
    await recordAudit(db, { ...auditActor(caller), action: 'activity.export' })
    reply.type('text/csv; charset=utf-8').header('cache-control', 'no-store')
    return reply.send(Readable.from(exportActivity(db, query)))
  })
}

/** People with access, and actors that are no person; former administrators are found by searching. */
async function readPeople(db: Db): Promise<ActivityPage['people']> {
  const people = await db
    .selectFrom('admin_roles')
    .innerJoin('auth_users', 'auth_users.id', 'admin_roles.user_id')
    .select('auth_users.email')
    .orderBy('auth_users.email')
    .limit(500)
    .execute()
  return [
    ...people.map(({ email }) => ({ value: email, label: email })),
    ...Object.entries(ACTIVITY_ACTORS).map(([value, label]) => ({ value, label })),
  ]
}

/** All results of the query, page by page. */
async function* exportActivity(db: Db, query: ReturnType<typeof readActivityQuery>): AsyncGenerator<string> {
  yield toCsvLine(['quando', 'quem', 'o_que'])
  let before = query.before
  while (true) {
    const { events, next } = await listActivity(db, { ...query, before })
    if (events.length > 0) yield events.map(({ at, by, text }) => toCsvLine([at, by, text])).join('')
    if (next === null) return
    before = readPageCursor(next)
  }
}

const PAGE = 50

/** Events searched per response; the next one continues from there. */
const SEARCHED = 1_000

const querySchema = z.object({
  search: z.optional(z.string().check(z.maxLength(200))),
  by: z.optional(z.string().check(z.maxLength(254))),
  kind: z.optional(z.enum(ACTIVITY_KINDS)),
  before: z.optional(z.string()),
})

interface ActivityQuery extends Omit<EventFilter, 'limit'> {
  /** True if an event matches the search. */
  matches: (event: ActivityEvent) => boolean
  isSearch: boolean
}

export function readActivityQuery(query: unknown): ActivityQuery {
  const parsed = querySchema.safeParse(query)
  if (!parsed.success)
    throw new AppError(
      400,
      'bad_request',
      'Não foi possível aplicar esses filtros. Recarregue a página e tente novamente.',
    )
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

/** A page of events, and where the next begins. The sentence is searched, as people read it. */
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

/** Without accents, in lower case. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim()
}
