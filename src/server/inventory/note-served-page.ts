import { createHash, randomUUID } from 'node:crypto'
import { recordAudit } from '../db/audit.ts'
import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'
import { locked } from '../db/locked.ts'
import { type NotedTags, revisionsOf, type ServedPage, type ServedTag } from './served-page.ts'

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
