import type { ConversionLabels } from '#contract/conversions.ts'
import type { Db } from '../db/database.ts'
import { COMPILER_VERSION, decodeTag } from './compiled-tag.ts'
import { type PreparedTag, prepareTag } from './prepare-tag.ts'
import type { RenderRoom } from './rooms/create-room-renderer.ts'
import { withoutOwnHosts } from './without-own-hosts.ts'

/** An active pixel as this process knows it. */
export interface PreparedPixel {
  /** Everything that its share of the tag set is made of. */
  key: string
  createdAt: string
  updatedAt: string
  /** Of the code that was compiled; null when nothing was. */
  sourceHash: string | null
  /** True when this compiler, or a newer one, has made it. */
  isCurrent: boolean
  /** Paused by itself, because it failed. */
  isTripped: boolean
  /** null when there is nothing to serve. */
  tag: PreparedTag | null
}

/** By the pixel's id, in the order in which the tags run. */
export type PreparedTags = ReadonlyMap<string, PreparedPixel>

const RESULTS_PER_STATEMENT = 200

/**
 * The active pixels, oldest first. What has not changed since `known` is not made again; when it is told which rows can
 * have changed, the others are not even looked at.
 */
export async function readPreparedTags(
  db: Db,
  ownHosts: ReadonlySet<string>,
  known: PreparedTags,
  changed: readonly string[] | null = null,
  renderRoom?: RenderRoom,
): Promise<PreparedTags> {
  const rows = await db
    .selectFrom('tracking_pixels as pixel')
    .leftJoin('compiled_tags as compiled', 'compiled.pixel_id', 'pixel.id')
    .leftJoin('tag_breakers as breaker', (join) =>
      join.onRef('breaker.pixel_id', '=', 'pixel.id').on('breaker.state', '=', 'paused'),
    )
    .select([
      'pixel.id',
      'pixel.type',
      'pixel.pixel_id',
      'pixel.allowed_hosts',
      'pixel.consent_category',
      'pixel.conversion_labels',
      'pixel.delivery',
      'pixel.send_hashed_email',
      'pixel.runs_in',
      'pixel.created_at',
      'pixel.updated_at',
      'compiled.source_hash',
      'compiled.compiler_version',
      'breaker.state as tripped',
    ])
    .where('pixel.is_active', '=', true)
    .$if(changed !== null, (query) => query.where('pixel.id', 'in', changed ?? []))
    .orderBy('pixel.created_at')
    .orderBy('pixel.id')
    .execute()
  const keys = new Map(rows.map((row) => [row.id, keyOf(row)]))
  // What could not be read is read again: it may have been replaced by what can.
  const isKnown = (id: string) => known.get(id)?.key === keys.get(id) && known.get(id)?.tag !== null
  const news = rows.filter((row) => row.source_hash !== null && !isKnown(row.id))
  const results = await readResults(
    db,
    news.map(({ id }) => id),
  )
  const prepared = new Map<string, PreparedPixel>()
  for (const row of rows) {
    const key = keys.get(row.id) ?? ''
    const old = known.get(row.id)
    if (old !== undefined && isKnown(row.id)) {
      prepared.set(row.id, {
        ...old,
        createdAt: row.created_at,
        updatedAt: row.updated_at,
        isTripped: row.tripped !== null,
      })
      continue
    }
    const result = results.get(row.id)
    const compiled = result === undefined ? null : decodeTag(result)
    prepared.set(row.id, {
      key,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      isTripped: row.tripped !== null,
      sourceHash: compiled === null ? null : row.source_hash,
      isCurrent:
        (row.compiler_version ?? 0) > COMPILER_VERSION ||
        (compiled !== null && row.compiler_version === COMPILER_VERSION),
      tag:
        compiled === null
          ? null
          : prepareTag({ ...row, compiled: withoutOwnHosts(compiled, ownHosts) }, ownHosts, renderRoom),
    })
  }
  return changed === null ? prepared : replace(known, changed, prepared)
}

/** Those that were read take their places by age; the order of all others stands. */
function replace(known: PreparedTags, changed: readonly string[], read: PreparedTags): PreparedTags {
  const gone = new Set(changed)
  const news = [...read]
  const all = new Map<string, PreparedPixel>()
  let next = 0
  for (const entry of known) {
    for (let candidate = news[next]; candidate !== undefined; candidate = news[next]) {
      if (!isOlder(candidate, entry)) break
      all.set(...candidate)
      next++
    }
    if (!gone.has(entry[0])) all.set(...entry)
  }
  for (const entry of news.slice(next)) all.set(...entry)
  return all
}

/** As the rows are read: by time, then by id. */
function isOlder([a, first]: [string, PreparedPixel], [b, second]: [string, PreparedPixel]): boolean {
  return first.createdAt === second.createdAt ? a < b : first.createdAt < second.createdAt
}

interface KeyParts {
  type: string
  pixel_id: string | null
  allowed_hosts: readonly string[]
  consent_category: string
  conversion_labels: ConversionLabels
  delivery: string
  send_hashed_email: boolean
  runs_in: string
  source_hash: string | null
  compiler_version: number | null
}

/** None of the parts has a line break. The time of change is not among them: a switch that was thrown twice is no news. */
function keyOf(row: KeyParts): string {
  return `${row.source_hash}\n${row.compiler_version}\n${row.type}\n${row.pixel_id}\n${row.consent_category}\n${row.delivery}\n${row.runs_in}\n${row.send_hashed_email}\n${row.allowed_hosts.join()}\n${JSON.stringify(row.conversion_labels)}`
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
