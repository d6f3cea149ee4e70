import { ACTIVITY_ACTORS, type ActivityEvent } from '#contract/activity.ts'
import { isShownEmail } from '#contract/known-email.ts'
import { isUuid } from '#contract/uuid.ts'
import type { Db } from '../db/database.ts'
import { jsonField, sameJson } from '../db/dialect.ts'
import type { PageCursor } from '../http/requests.ts'
import { type ActivityFacts, sentenceOf } from './sentences.ts'

export interface EventFilter {
  by?: string | undefined
  before: PageCursor
  limit: number
}

/** Actions whose actor is typed text. */
const BY_ANYBODY: ReadonlySet<string> = new Set(['auth.sign_in_failed'])
/** Columns that the switch of a pixel changes. */
const ASIDE = ['is_active', 'updated_at']

/** Events in words, newest first. Only the few fields that a sentence needs are read. */
export async function readEvents(db: Db, filter: EventFilter): Promise<ActivityEvent[]> {
  const rows = await selectEvents(db, filter)
  const [names, labels] = await Promise.all([readNames(db, rows), readOutcomeLabels(db, rows)])
  return rows.map((row) => {
    const subject = row.subject ?? ''
    const facts: ActivityFacts = {
      name:
        labels.get(subject) ??
        text(row.name) ??
        text(row.new_email) ??
        text(row.old_email) ??
        names.get(subject)?.name ??
        null,
      isSelf: row.actor_id !== null && row.actor_id === row.subject,
      wasActive: truth(row.was_active),
      isActive: truth(row.is_active),
      isSwitchOnly: truth(row.is_same) === true,
      isRestored: truth(row.was_deleted) === true,
      oldRole: text(row.old_role),
      newRole: text(row.new_role),
      oldEmail: text(row.old_email),
      newEmail: text(row.new_email),
      askedEmail: text(row.asked_email),
      typedEmail: isShownEmail(row.actor) ? row.actor : null,
      hosts: differenceOf(list(row.old_hosts), list(row.new_hosts)),
    }
    return {
      id: row.id,
      at: row.created_at,
      by: BY_ANYBODY.has(row.action) ? 'Alguém' : (ACTIVITY_ACTORS[row.actor] ?? row.actor),
      ...sentenceOf(row.action, facts),
      ...(names.get(subject)?.isPixel === true ? { pixel_id: subject } : {}),
    }
  })
}

type EventRow = Awaited<ReturnType<typeof selectEvents>>[number]

function selectEvents(db: Db, { by, before, limit }: EventFilter) {
  const of = (column: 'before' | 'after', key: string) => jsonField(db, column, key)
  return db
    .selectFrom('audit_events')
    .select(['id', 'actor', 'actor_id', 'action', 'subject', 'created_at'])
    .select([
      of('after', 'name').as('new_name'),
      of('before', 'name').as('old_name'),
      of('after', 'email').as('new_email'),
      of('before', 'email').as('old_email'),
      of('after', 'new_email').as('asked_email'),
      of('before', 'role').as('old_role'),
      of('after', 'role').as('new_role'),
      of('before', 'is_active').as('was_active'),
      of('after', 'is_active').as('is_active'),
      of('before', 'allowed_hosts').as('old_hosts'),
      of('after', 'allowed_hosts').as('new_hosts'),
      sameJson(db, ['before', 'after'], ASIDE).as('is_same'),
    ])
    .select((eb) =>
      eb
        .and([
          eb('action', '=', 'tracking_pixels.insert'),
          eb.exists(
            eb
              .selectFrom('audit_events as earlier')
              .select('earlier.id')
              .whereRef('earlier.subject', '=', 'audit_events.subject')
              .where('earlier.action', '=', 'tracking_pixels.delete')
              .whereRef('earlier.created_at', '<=', 'audit_events.created_at'),
          ),
        ])
        .as('was_deleted'),
    )
    .where('created_at', '<=', before.at)
    .where((eb) => eb.or([eb('created_at', '<', before.at), eb('id', '<', before.id)]))
    .$if(by !== undefined, (rest) => rest.where('actor', '=', by ?? ''))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
    .then((rows) => rows.map(({ new_name, old_name, ...row }) => ({ ...row, name: new_name ?? old_name })))
}

/** What people call the outcomes whose names programs send. */
async function readOutcomeLabels(db: Db, rows: readonly EventRow[]): Promise<Map<string, string>> {
  if (!rows.some(({ action }) => action.startsWith('outcomes.'))) return new Map()
  const names = await db.selectFrom('outcome_names').select(['name', 'label']).execute()
  return new Map(names.map(({ name, label }) => [name, label]))
}

/** Names of existing objects, including the trash; a pixel in the trash has no page. */
async function readNames(
  db: Db,
  rows: readonly EventRow[],
): Promise<Map<string, { name: string; isPixel: boolean }>> {
  const ids = [
    ...new Set(rows.flatMap(({ subject }) => (subject !== null && isUuid(subject) ? [subject] : []))),
  ]
  if (ids.length === 0) return new Map()
  const [pixels, users] = await Promise.all([
    db.selectFrom('tracking_pixels').select(['id', 'name', 'deleted_at']).where('id', 'in', ids).execute(),
    db.selectFrom('auth_users').select(['id', 'email as name']).where('id', 'in', ids).execute(),
  ])
  const names = new Map<string, { name: string; isPixel: boolean }>()
  for (const { id, name } of users) names.set(id, { name, isPixel: false })
  for (const { id, name, deleted_at } of pixels) names.set(id, { name, isPixel: deleted_at === null })
  return names
}

const text = (value: string | number | null): string | null => (value === null ? null : String(value))

function truth(value: string | number | boolean | null): boolean | null {
  return value === null ? null : value === true || value === 1 || value === 'true'
}

function list(value: string | number | null): string[] {
  if (typeof value !== 'string') return []
  const parsed: unknown = JSON.parse(value)
  return Array.isArray(parsed) ? parsed.map(String) : []
}

/** In the first and not in the second. */
function differenceOf(one: readonly string[], other: readonly string[]): string[] {
  return [...one.filter((host) => !other.includes(host)), ...other.filter((host) => !one.includes(host))]
}
