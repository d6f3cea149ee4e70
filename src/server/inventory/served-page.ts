import { createHash, randomUUID } from 'node:crypto'
import type { OptionalCategory } from '#contract/consent.ts'
import type { ActiveTool, DossierTag, ServedFile } from '#contract/inventory.ts'
import type { PixelType } from '#contract/pixel.ts'
import { recordAudit } from '../activity/trail.ts'
import type { Db } from '../db/database.ts'
import { locked } from '../db/dialect.ts'
import { change } from '../db/transactions/change.ts'
import type { Logger } from '../http/logging/logger.ts'

/** What the catalogue says of a vendor. */
export type DescribeVendor = (id: string) => DossierTag['vendors'][number]

/** Every tag that was on the page in a span of time, oldest first. */
export async function readTagPeriods(
  db: Db,
  { from, until }: { from: string; until: string },
  describeVendor: DescribeVendor,
): Promise<DossierTag[]> {
  const rows = await db
    .selectFrom('tag_periods as period')
    // In the trash or not: what it is called is known for as long as there is a row.
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

/** When the first of all periods began; null when there is none. */
export async function readTagsKnownSince(db: Db): Promise<string | null> {
  const first = await db
    .selectFrom('served_headers')
    .select('since')
    .orderBy('since')
    .limit(1)
    .executeTakeFirst()
  return first?.since ?? null
}

/** Notes what the public page is served with. A page that cannot be noted is served all the same, and noted with the next. */
export class ServedPageLog {
  readonly #db: Db
  readonly #log: Pick<Logger, 'warn'>
  #toolsSince: string | null = null
  #noted: NotedTags | null = null

  constructor(db: Db, log: Pick<Logger, 'warn'>) {
    this.#db = db
    this.#log = log
  }

  /** Gives the time since which the list of tools is as it is. */
  async note(page: ServedPage): Promise<string> {
    try {
      this.#toolsSince = await noteServedPage(this.#db, page, new Date(), this.#noted)
      this.#noted = { tagsVersion: page.tagsVersion, revisions: revisionsOf(page.tags) }
    } catch (error) {
      this.#log.warn({ err: error }, 'what the page is served with could not be noted')
    }
    return this.#toolsSince ?? new Date().toISOString()
  }
}

const ROWS_PER_STATEMENT = 100

/** How the trail names what nobody did by hand. */
const ACTOR = { actor_id: null, actor: 'inventory' }

/**
 * Writes down what of the public page is new: tags that came or went, headers, and the list of tools, whose date it gives
 * back. Any number of processes may note the same page, once is enough; one that has not heard of the newest change notes
 * nothing, and gets the date that the others have. Where nobody has noted anything since `noted`, only what changed since
 * then is read.
 */
export async function noteServedPage(
  db: Db,
  page: ServedPage,
  now = new Date(),
  noted: NotedTags | null = null,
): Promise<string> {
  const at = now.toISOString()
  const toolsHash = createHash('sha256').update(JSON.stringify(page.tools)).digest('base64url')
  return change(db, async (trx) => {
    const state = await lockState(trx, at)
    if (state.tags_version > page.tagsVersion) return state.tools_since
    await noteTags(trx, page.tags, at, state.tags_version === noted?.tagsVersion ? noted : null)
    await noteHeaders(trx, page, at)
    const isSameList = state.tools_hash === toolsHash
    if (isSameList && state.tags_version === page.tagsVersion) return state.tools_since
    const columns = {
      tags_version: page.tagsVersion,
      tools_hash: toolsHash,
      tools_since: isSameList ? state.tools_since : at,
    }
    await trx.updateTable('served_state').set(columns).execute()
    return columns.tools_since
  })
}

/** What an older version exported has no such row. */
async function lockState(trx: Db, at: string) {
  const find = () => locked(trx, trx.selectFrom('served_state').selectAll())
  const state = await find().executeTakeFirst()
  if (state !== undefined) return state
  await trx
    .insertInto('served_state')
    .values({ id: 1, tags_version: -1, tools_hash: '', tools_since: at })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  return find().executeTakeFirstOrThrow()
}

async function noteTags(
  trx: Db,
  tags: readonly ServedTag[],
  at: string,
  noted: NotedTags | null,
): Promise<void> {
  const served = revisionsOf(tags)
  const changed = noted === null ? null : changedSince(noted.revisions, served)
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

/** Pixels that came, went or became another one; null for more than are read one by one. */
function changedSince(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): ReadonlySet<string> | null {
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
    told_by: JSON.stringify(tag.toldBy),
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

/** One tag of those on the public page. */
export interface ServedTag {
  pixelId: string
  revision: string
  type: PixelType
  vendors: readonly string[]
  account: string | null
  category: OptionalCategory
  toldBy: readonly string[]
  hosts: readonly string[]
  files: readonly ServedFile[]
}

/** What the public page is served with now, as far as it can change. */
export interface ServedPage {
  /** Of the database when it was read. */
  tagsVersion: number
  /** Hash of the manifest; empty for no tag. */
  tagSetVersion: string
  headersHash: string
  tools: readonly ActiveTool[]
  tags: readonly ServedTag[]
}

/** Which revision of each tag this process noted last. */
interface NotedTags {
  tagsVersion: number
  revisions: ReadonlyMap<string, string>
}

function revisionsOf(tags: readonly ServedTag[]): Map<string, string> {
  const revisions = new Map<string, string>()
  for (const { pixelId, revision } of tags) revisions.set(pixelId, revision)
  return revisions
}
