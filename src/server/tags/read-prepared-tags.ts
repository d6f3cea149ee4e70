import type { Db } from '../db/database.ts'
import { COMPILER_VERSION, decodeTag } from './compiled-tag.ts'
import { type PreparedTag, prepareTag } from './prepare-tag.ts'
import { withoutOwnHosts } from './without-own-hosts.ts'

/** An active pixel as this process knows it. */
export interface PreparedPixel {
  /** Everything that its share of the tag set is made of. */
  key: string
  updatedAt: string
  /** Of the code that was compiled; null when nothing was. */
  sourceHash: string | null
  /** True when this compiler, or a newer one, has made it. */
  isCurrent: boolean
  /** null when there is nothing to serve. */
  tag: PreparedTag | null
}

/** By the pixel's id, in the order in which the tags run. */
export type PreparedTags = ReadonlyMap<string, PreparedPixel>

const RESULTS_PER_STATEMENT = 200

/** The active pixels, oldest first. What has not changed since `known` is neither read nor made again. */
export async function readPreparedTags(
  db: Db,
  ownHosts: ReadonlySet<string>,
  known: PreparedTags,
): Promise<PreparedTags> {
  const rows = await db
    .selectFrom('tracking_pixels as pixel')
    .leftJoin('compiled_tags as compiled', 'compiled.pixel_id', 'pixel.id')
    .select([
      'pixel.id',
      'pixel.type',
      'pixel.pixel_id',
      'pixel.allowed_hosts',
      'pixel.consent_category',
      'pixel.updated_at',
      'compiled.source_hash',
      'compiled.compiler_version',
    ])
    .where('pixel.is_active', '=', true)
    .orderBy('pixel.created_at')
    .orderBy('pixel.id')
    .execute()
  const keys = new Map(rows.map(({ updated_at, ...row }) => [row.id, JSON.stringify(row)]))
  const news = rows.filter((row) => row.source_hash !== null && known.get(row.id)?.key !== keys.get(row.id))
  const results = await readResults(
    db,
    news.map(({ id }) => id),
  )
  const prepared = new Map<string, PreparedPixel>()
  for (const row of rows) {
    const key = keys.get(row.id) ?? ''
    const old = known.get(row.id)
    if (old?.key === key) {
      prepared.set(row.id, { ...old, updatedAt: row.updated_at })
      continue
    }
    const result = results.get(row.id)
    const compiled = result === undefined ? null : decodeTag(result)
    prepared.set(row.id, {
      key,
      updatedAt: row.updated_at,
      sourceHash: compiled === null ? null : row.source_hash,
      isCurrent: compiled !== null && (row.compiler_version ?? 0) >= COMPILER_VERSION,
      tag:
        compiled === null
          ? null
          : prepareTag({ ...row, compiled: withoutOwnHosts(compiled, ownHosts) }, ownHosts),
    })
  }
  return prepared
}

async function readResults(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, { sources: string; body: string }>> {
  const results = new Map<string, { sources: string; body: string }>()
  for (let at = 0; at < ids.length; at += RESULTS_PER_STATEMENT) {
    const rows = await db
      .selectFrom('compiled_tags')
      .select(['pixel_id', 'sources', 'body'])
      .where('pixel_id', 'in', ids.slice(at, at + RESULTS_PER_STATEMENT))
      .execute()
    for (const row of rows) results.set(row.pixel_id, row)
  }
  return results
}
