import { diff } from 'node:util'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import {
  type ColumnFacts,
  PIXEL_COLUMNS,
  pixelColumns,
  type RestoredColumn,
} from '#contract/pixel-columns.ts'
import type {
  DiffLine,
  FieldChange,
  PixelConflict,
  PixelHistory,
  PixelVersion,
  Trash,
  VersionKind,
} from '#contract/pixel-history.ts'
import { DESTINATIONS } from '../conversions/destinations/destinations.ts'
import { readPixel } from '../conversions/read-pixel.ts'
import type { DataService } from '../data/data-service.ts'
import { readCall } from '../data/request.ts'
import type { Resource, Row } from '../data/resource.ts'
import { runChange } from '../data/row-writer.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/errors.ts'
import { readPageCursor, toPageCursor } from '../http/requests.ts'
import { pathId, readBody } from '../http/security/administrators.ts'
import { readTrash, restorePixel } from './trash.ts'

interface PixelVersionsDeps {
  service: DataService
  pixels: Resource
}

const restoreSchema = z.object({ version: z.uuid() })

/** Routes for trash and versions, which have no place in the data protocol. */
export function registerPixelVersions(scope: FastifyInstance, deps: PixelVersionsDeps): void {
  const { service, pixels } = deps
  /** Deleted pixels, which can be restored for 30 days. */
  scope.get('/admin/api/trash', (): Promise<Trash> => readTrash(service.db))

  /** Restores a deleted pixel. Answers 204, or 200 with a warning. */
  scope.post('/admin/api/trash/:id/restore', async (request, reply) => {
    const restored = await restorePixel(service, pixels, request, pathId(request))
    return restored.warning === null ? reply.code(204).send() : restored
  })

  /** Earlier versions of a pixel, newest first. Query: `before`. */
  scope.get('/admin/api/pixels/:id/history', async (request): Promise<PixelHistory> => {
    return readHistory(service.db, pathId(request), (request.query as { before?: unknown }).before)
  })

  /** What changed between the version that a form was opened with and the stored one. Body: the columns of the form. */
  scope.post('/admin/api/pixels/:id/compare', async (request): Promise<PixelConflict> => {
    return compareVersion(service.db, pathId(request), readBody(compareSchema, request))
  })

  /** Restores an earlier version. Body: `{ version }`. */
  scope.post('/admin/api/pixels/:id/restore', async (request, reply) => {
    const { version } = readBody(restoreSchema, request)
    await restoreVersion(service, pixels, request, { pixelId: pathId(request), version })
    return reply.code(204).send()
  })
}

const VALUES = {
  uuid: z.string(),
  text: z.string(),
  boolean: z.boolean(),
  timestamp: z.string(),
  json: z.union([z.array(z.string()), z.record(z.string(), z.string())]),
} satisfies Record<ColumnFacts['type'], z.ZodMiniType>

/** The columns of the history and the conflict box. */
const SHOWN_COLUMNS = pixelColumns(({ label }) => label !== undefined)

/** Every column that a form may send for comparison; nothing is stored. */
const compareSchema = z.partial(
  z.object(
    Object.fromEntries(
      SHOWN_COLUMNS.filter((name) => PIXEL_COLUMNS[name].write === 'always').map((name) => {
        const facts: ColumnFacts = PIXEL_COLUMNS[name]
        return [name, facts.nullable ? z.nullable(VALUES[facts.type]) : VALUES[facts.type]]
      }),
    ),
  ),
)

/** Compares what was typed with what is saved, and says who saved it. */
async function compareVersion(
  db: Db,
  pixelId: string,
  typed: z.output<typeof compareSchema>,
): Promise<PixelConflict> {
  const [saved, event] = await Promise.all([
    readPixel(db, pixelId, [...SHOWN_COLUMNS, 'updated_at']),
    db
      .selectFrom('audit_events')
      .select('actor')
      .where('subject', '=', pixelId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),
  ])
  return {
    saved_by: event?.actor ?? null,
    saved_at: saved.updated_at,
    changes: changesOf({ before: saved as Row, after: typed }),
  }
}

const PAGE = 20

const ACTIONS = [
  'tracking_pixels.insert',
  'tracking_pixels.update',
  'tracking_pixels.delete',
  'tags.allow_host',
  'tags.revoke_host',
]

/** The versions of a pixel, as far back as the audit trail goes, newest first, in pages. */
export async function readHistory(db: Db, pixelId: string, cursor: unknown): Promise<PixelHistory> {
  const now = await readPixel(db, pixelId, CONTENT_COLUMNS)
  const { at, id } = readPageCursor(cursor)
  const events = (await db
    .selectFrom('audit_events')
    .select(['id', 'actor', 'action', 'before', 'after', 'created_at'])
    .where('subject', '=', pixelId)
    .where('action', 'in', ACTIONS)
    .where((eb) => eb.or([eb('created_at', '<', at), eb.and([eb('created_at', '=', at), eb('id', '<', id)])]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    // One more, to know whether an older version was a deletion, and whether there are more.
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

interface RestoreInput {
  pixelId: string
  /** An event of the pixel's history. */
  version: string
}

/** Writes an older version's content again, as a normal edit: reviewed, audited, and itself a version. */
async function restoreVersion(
  service: DataService,
  resource: Resource,
  request: FastifyRequest,
  { pixelId, version }: RestoreInput,
): Promise<void> {
  const event = await service.db
    .selectFrom('audit_events')
    .select('after')
    .where('id', '=', version)
    .where('subject', '=', pixelId)
    .where('action', 'in', ['tracking_pixels.insert', 'tracking_pixels.update'])
    .executeTakeFirst()
  if (event === undefined || event.after === null) throw notFound()
  const stored = event.after as Row
  const content = Object.fromEntries(
    CONTENT_COLUMNS.filter((name) => stored[name] !== undefined).map((name) => [name, stored[name]]),
  )
  const { rows } = await runChange(service, readCall(request, resource), async (writer) => {
    const [pixel] = await writer.load([pixelId])
    return { rows: pixel === undefined ? [] : [await writer.update(pixel, content)] }
  })
  if (rows.length === 0) throw notFound()
}

const notFound = () =>
  new AppError(404, 'not_found', 'Não encontramos esta versão. Recarregue a página e escolha outra.')

/** An audit event about one pixel. */
interface PixelEvent {
  id: string
  actor: string
  action: string
  before: Row | null
  after: Row | null
  created_at: string
}

/** The columns that "Restaurar esta versão" restores. */
export const CONTENT_COLUMNS = pixelColumns<RestoredColumn>(({ restored }) => restored === true)

/** `created` if it is not known that the id was in the trash before. */
function kindOf({ action, before, after }: PixelEvent): VersionKind {
  switch (action) {
    case 'tracking_pixels.insert':
      return 'created'
    case 'tracking_pixels.delete':
      return 'deleted'
    case 'tags.allow_host':
      return 'host_permitted'
    case 'tags.revoke_host':
      return 'host_revoked'
    default: {
      const changed = changedColumns(before, after)
      if (changed.length !== 1 || changed[0] !== 'is_active') return 'changed'
      return after?.is_active === true ? 'switched_on' : 'switched_off'
    }
  }
}

/** The differences in words; empty for a created or deleted row. */
function changesOf({ before, after }: Pick<PixelEvent, 'before' | 'after'>): FieldChange[] {
  if (before === null || after === null) return []
  return changedColumns(before, after).map((field): FieldChange => {
    const label = factsOf(field)?.label ?? field
    if (field === 'code')
      return { field: 'code', label, lines: diffLines(String(before.code ?? ''), String(after.code ?? '')) }
    return { field, label, before: inWords(field, before[field]), after: inWords(field, after[field]) }
  })
}

/** Older audit events lack newer columns. */
function changedColumns(before: Row | null, after: Row | null): string[] {
  return SHOWN_COLUMNS.filter(
    (name) =>
      before?.[name] !== undefined &&
      after?.[name] !== undefined &&
      JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
}

function inWords(field: string, value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null
  if (field === 'destination') return DESTINATIONS.find(({ id }) => id === value)?.name ?? String(value)
  const words = factsOf(field)?.words
  if (words !== undefined) return words[String(value)] ?? String(value)
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(', ')
  if (typeof value === 'object') {
    const entries = Object.entries(value)
    return entries.length === 0 ? null : entries.map(([name, label]) => `${name}: ${label}`).join(', ')
  }
  return String(value)
}

function factsOf(field: string): ColumnFacts | undefined {
  return (PIXEL_COLUMNS as Record<string, ColumnFacts>)[field]
}

/** True if a version's content differs from the current row. */
function differs(version: Row | null, now: Row): boolean {
  return (
    version !== null &&
    CONTENT_COLUMNS.some(
      (name) => version[name] !== undefined && JSON.stringify(version[name]) !== JSON.stringify(now[name]),
    )
  )
}

/** Beyond this number of lines, a minimal difference costs too much: all old lines, then all new ones. */
const MAX_COMPARED = 300

/** Lines around a change. */
const CONTEXT = 2

const MAX_SHOWN = 400

const MAX_LINE_LENGTH = 1_000

/** The differences between two texts by line, without unchanged parts. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, young] = [toLines(before), toLines(after)]
  const shorter = Math.min(old.length, young.length)
  let head = 0
  while (head < shorter && old[head] === young[head]) head++
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === young.at(-1 - tail)) tail++
  const lines = [
    ...same(old.slice(0, head)),
    ...compare(old.slice(head, old.length - tail), young.slice(head, young.length - tail)),
    ...same(old.slice(old.length - tail)),
  ]
  return cut(leaveOutSame(lines))
}

type Line = Exclude<DiffLine, { kind: 'gap' }>

function toLines(text: string): string[] {
  return text === '' ? [] : text.split(/\r?\n/)
}

function same(lines: readonly string[]): Line[] {
  return lines.map((text) => ({ kind: 'same', text }))
}

function compare(old: readonly string[], young: readonly string[]): Line[] {
  // With one side empty there is nothing to compare, and Node's `diff` fails with both empty.
  if (old.length === 0 || young.length === 0 || old.length + young.length > MAX_COMPARED)
    return [
      ...old.map((text): Line => ({ kind: 'removed', text })),
      ...young.map((text): Line => ({ kind: 'added', text })),
    ]
  return diff(old, young).map(([operation, text]) => ({
    kind: operation === 0 ? 'same' : operation === 1 ? 'removed' : 'added',
    text,
  }))
}

function leaveOutSame(lines: readonly Line[]): DiffLine[] {
  const isNear = new Set<number>()
  for (const [index, { kind }] of lines.entries())
    if (kind !== 'same') for (let near = index - CONTEXT; near <= index + CONTEXT; near++) isNear.add(near)
  const shown: DiffLine[] = []
  for (const [index, line] of lines.entries()) {
    const last = shown.at(-1)
    if (isNear.has(index)) shown.push({ ...line, text: line.text.slice(0, MAX_LINE_LENGTH) })
    else if (last?.kind === 'gap') last.lines++
    else shown.push({ kind: 'gap', lines: 1 })
  }
  return shown
}

function cut(lines: DiffLine[]): DiffLine[] {
  if (lines.length <= MAX_SHOWN) return lines
  return [...lines.slice(0, MAX_SHOWN), { kind: 'gap', lines: lines.length - MAX_SHOWN }]
}
