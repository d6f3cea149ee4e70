import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OptionalCategory } from '#contract/consent.ts'
import type { ActiveTool, DossierTag, ServedFile } from '#contract/inventory.ts'
import type { PixelType } from '#contract/pixel.ts'
import { recordAudit } from '../activity/trail.ts'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { change } from '../db/transactions/change.ts'
import type { Logger } from '../http/logging/logger.ts'

/** What the catalogue knows of a vendor. */
export type DescribeVendor = (id: string) => DossierTag['vendors'][number]

/** Every tag that was on the page in a span of time, oldest first. */
export async function readTagPeriods(
  db: Db,
  { from, until }: { from: string; until: string },
  describeVendor: DescribeVendor,
): Promise<DossierTag[]> {
  const rows = await db
    .selectFrom('tag_periods as period')
    // Also in the trash: the name is known while there is a row.
    .leftJoin('tracking_pixels as pixel', 'pixel.id', 'period.pixel_id')
    .selectAll('period')
    .select(['pixel.name', 'pixel.reason'])
    .where('period.started_at', '<', until)
    .where((eb) => eb.or([eb('period.ended_at', 'is', null), eb('period.ended_at', '>', from)]))
    .orderBy('period.started_at')
    .orderBy('period.id')
    .execute()
  return rows.map((row) => ({
    pixel_id: row.pixel_id,
    name: row.name,
    type: row.type,
    vendors: row.vendors.map(describeVendor),
    account: row.account,
    category: row.consent_category,
    told_by: row.told_by,
    hosts: row.hosts,
    files: row.files,
    started_at: row.started_at,
    ended_at: row.ended_at,
    reason: row.reason,
  }))
}

/** Start of the first period; null if there is none. */
export async function readTagsKnownSince(db: Db): Promise<string | null> {
  const first = await db
    .selectFrom('served_headers')
    .select('since')
    .orderBy('since')
    .limit(1)
    .executeTakeFirst()
  return first?.since ?? null
}

/**
 * Records what the public page is served with. A page that cannot be recorded is still served, and recorded with the
 * next change.
 */
export class ServedPageLog {
  readonly #db: Db
  readonly #log: Pick<Logger, 'warn'>
  #toolsSince: string | null = null
  #noted: NotedTags | null = null

  constructor(db: Db, log: Pick<Logger, 'warn'>) {
    this.#db = db
    this.#log = log
  }

  /** Returns since when the list of tools is unchanged. */
  async note(page: ServedPage): Promise<string> {
    try {
      const revisions = revisionsOf(page.tags)
      this.#toolsSince = await noteServedPage(this.#db, page, new Date(), this.#noted, revisions)
      this.#noted = { tagsVersion: page.tagsVersion, revisions }
    } catch (error) {
      this.#log.warn({ err: error }, 'inventory: served tags not recorded')
    }
    return this.#toolsSince ?? new Date().toISOString()
  }
}

const ROWS_PER_STATEMENT = 100

/** A record takes some statements. */
const LOOK_AGAIN_MS = 50

/** About five seconds: the page waits for it. */
const MAX_LOOKS = 100

/** The actor in the audit trail. */
const ACTOR = { actor_id: null, actor: 'inventory' }

/**
 * Records what is new on the public page: tags that came or went, headers, and the list of tools, whose date it
 * returns. Several processes may record the same page; a process that is behind records nothing and gets the others'
 * date. If nothing was recorded since `noted`, only changes since then are read.
 */
export async function noteServedPage(
  db: Db,
  page: ServedPage,
  now = new Date(),
  noted: NotedTags | null = null,
  revisions = revisionsOf(page.tags),
): Promise<string> {
  const at = now.toISOString()
  const toolsHash = hashOf(page.tools)
  const pageHash = hashOf([toolsHash, page.headersHash, page.tagSetVersion, [...revisions]])
  const isNoted = (state: { tags_version: number; page_hash: string | null }) =>
    state.tags_version > page.tagsVersion ||
    (state.tags_version === page.tagsVersion && state.page_hash === pageHash)
  // Read first without a lock: all processes come here within half a second, and one of them records. The others look
  // again until it has, instead of queueing at the row.
  for (let look = 0; look < MAX_LOOKS; look++) {
    const known =
      (await db.selectFrom('served_state').selectAll().executeTakeFirst()) ?? (await begin(db, at))
    if (isNoted(known)) return known.tools_since
    const since = await change(db, async (trx) => {
      const state = await lockState(trx)
      if (state === undefined) return null
      if (isNoted(state)) return state.tools_since
      const before = state.tags_version === noted?.tagsVersion ? noted.revisions : null
      await noteTags(trx, page.tags, at, before, revisions)
      await noteHeaders(trx, page, at)
      const isSameList = state.tools_hash === toolsHash
      const columns = {
        tags_version: page.tagsVersion,
        tools_hash: toolsHash,
        tools_since: isSameList ? state.tools_since : at,
        page_hash: pageHash,
      }
      await trx.updateTable('served_state').set(columns).execute()
      return columns.tools_since
    })
    if (since !== null) return since
    await sleep(LOOK_AGAIN_MS * (0.5 + Math.random()))
  }
  throw new Error('another process is recording what is served, and does not end')
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url')
}

/** Undefined while another process records. */
function lockState(trx: Db) {
  const find = trx.selectFrom('served_state').selectAll()
  return (engineOf(trx) === 'postgres' ? find.forUpdate().skipLocked() : find).executeTakeFirst()
}

/** Exports of an older version have no such row. */
async function begin(db: Db, at: string) {
  const row = { id: 1, tags_version: -1, tools_hash: '', tools_since: at, page_hash: null }
  await db
    .insertInto('served_state')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  return row
}

async function noteTags(
  trx: Db,
  tags: readonly ServedTag[],
  at: string,
  before: Revisions | null,
  served: Revisions,
): Promise<void> {
  const changed = before === null ? null : changedSince(before, served)
  if (changed?.size === 0) return
  const known = await readOpenPeriods(trx, changed)
  const ended = [...known].filter(([id, revision]) => served.get(id) !== revision).map(([id]) => id)
  const begun = tags.filter(
    ({ pixelId, revision }) => (changed === null || changed.has(pixelId)) && known.get(pixelId) !== revision,
  )
  for (let from = 0; from < ended.length; from += ROWS_PER_STATEMENT)
    await trx
      .updateTable('tag_periods')
      .set({ ended_at: at })
      .where('pixel_id', 'in', ended.slice(from, from + ROWS_PER_STATEMENT))
      .where('ended_at', 'is', null)
      .execute()
  for (let from = 0; from < begun.length; from += ROWS_PER_STATEMENT)
    await trx
      .insertInto('tag_periods')
      .values(begun.slice(from, from + ROWS_PER_STATEMENT).map((tag) => toRow(tag, at)))
      .execute()
}

/** Pixels that came, went or changed; null if there are too many to read one by one. */
function changedSince(before: Revisions, now: Revisions): ReadonlySet<string> | null {
  const changed = new Set<string>()
  for (const [id, revision] of now) if (before.get(id) !== revision) changed.add(id)
  for (const id of before.keys()) if (!now.has(id)) changed.add(id)
  return changed.size > ROWS_PER_STATEMENT ? null : changed
}

async function readOpenPeriods(trx: Db, of: ReadonlySet<string> | null): Promise<Map<string, string>> {
  const open = await trx
    .selectFrom('tag_periods')
    .select(['pixel_id', 'revision'])
    .where('ended_at', 'is', null)
    .$if(of !== null, (query) => query.where('pixel_id', 'in', [...(of ?? [])]))
    .execute()
  return new Map(open.map(({ pixel_id, revision }) => [pixel_id, revision]))
}

function toRow(tag: ServedTag, at: string) {
  return {
    id: randomUUID(),
    pixel_id: tag.pixelId,
    revision: tag.revision,
    type: tag.type,
    vendors: JSON.stringify(tag.vendors),
    account: tag.account,
    consent_category: tag.category,
    told_by: JSON.stringify(tag.sentBy),
    hosts: JSON.stringify(tag.hosts),
    files: JSON.stringify(tag.files),
    started_at: at,
    ended_at: null,
  }
}

async function noteHeaders(trx: Db, page: ServedPage, at: string): Promise<void> {
  const last = await trx
    .selectFrom('served_headers')
    .select(['headers_hash', 'tag_set_version'])
    .orderBy('since', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last?.headers_hash === page.headersHash) return
  const isUnasked = last !== undefined && last.tag_set_version === page.tagSetVersion
  if (isUnasked)
    await recordAudit(trx, {
      ...ACTOR,
      action: 'inventory.headers_changed',
      before: { hash: last.headers_hash },
      after: { hash: page.headersHash },
    })
  await trx
    .insertInto('served_headers')
    .values({
      id: randomUUID(),
      headers_hash: page.headersHash,
      tag_set_version: page.tagSetVersion,
      is_unasked: isUnasked,
      since: at,
    })
    .execute()
}

/** One tag on the public page. */
export interface ServedTag {
  pixelId: string
  revision: string
  type: PixelType
  vendors: readonly string[]
  account: string | null
  category: OptionalCategory
  sentBy: readonly string[]
  hosts: readonly string[]
  files: readonly ServedFile[]
}

/** What the public page is served with. */
export interface ServedPage {
  /** Of the database when it was read. */
  tagsVersion: number
  /** Hash of the manifest; empty for no tag. */
  tagSetVersion: string
  headersHash: string
  tools: readonly ActiveTool[]
  tags: readonly ServedTag[]
}

/** By pixel. */
type Revisions = ReadonlyMap<string, string>

/** What this process recorded last. */
interface NotedTags {
  tagsVersion: number
  revisions: Revisions
}

function revisionsOf(tags: readonly ServedTag[]): Revisions {
  const revisions = new Map<string, string>()
  for (const { pixelId, revision } of tags) revisions.set(pixelId, revision)
  return revisions
}
