import { createHash } from 'node:crypto'
import { DAY_MS, MINUTE_MS } from '#contract/durations.ts'
import type { Db } from '../db/database.ts'
import { aheadRange } from '../db/time.ts'
import type { Logger } from '../http/logging/logger.ts'
import type { FetchedFile } from '../http/outgoing.ts'

/** How often it is checked whether a day has passed; the first time is after one interval. */
const EVERY_MS = 15 * MINUTE_MS

/** Checks vendors' files while the app runs. */
export class VendorFileWatch {
  readonly #deps: CheckDeps
  readonly #log: Pick<Logger, 'warn'>
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null

  constructor(deps: CheckDeps, log: Pick<Logger, 'warn'>) {
    this.#deps = deps
    this.#log = log
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running ??= checkVendorFiles(this.#deps, this.#closing.signal)
        .catch((error) => this.#log.warn({ err: error }, "inventory: vendors' files not checked"))
        .finally(() => {
          this.#running = null
        })
    }, EVERY_MS)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#closing.abort()
    await this.#running
  }
}

/** How long a check may take; after that another process may take over. */
const LEASE_MS = 10 * MINUTE_MS

export interface CheckDeps {
  db: Db
  /** Fetches without cookies, from public addresses only, without redirects, up to a size. */
  fetchFile: (url: string, signal: AbortSignal) => Promise<FetchedFile>
}

/**
 * Checks each vendor's file that a tag on the page names, once a day, in one process. Our server may get another file
 * than a visitor, so a change is noted and not judged.
 */
export async function checkVendorFiles(
  { db, fetchFile }: CheckDeps,
  signal: AbortSignal,
  now = Date.now(),
): Promise<void> {
  const urls = await readNamedFiles(db)
  await addFiles(db, urls, now)
  for (const url of urls) {
    if (signal.aborted) return
    if (!(await claim(db, url, now))) continue
    const fetched = await fetchFile(url, signal)
    if (signal.aborted) return
    await note(db, url, fetched, now)
  }
}

async function readNamedFiles(db: Db): Promise<string[]> {
  const periods = await db.selectFrom('tag_periods').select('files').where('ended_at', 'is', null).execute()
  return [
    ...new Set(
      periods.flatMap(({ files }) => files.flatMap((file) => (file.kind === 'vendor' ? [file.url] : []))),
    ),
  ]
}

async function addFiles(db: Db, urls: readonly string[], now: number): Promise<void> {
  for (const url of urls)
    await db
      .insertInto('script_files')
      .values({ url, outcome: 'waiting', due_at: new Date(now).toISOString() })
      .onConflict((conflict) => conflict.column('url').doNothing())
      .execute()
}

/** True for one of several processes. */
async function claim(db: Db, url: string, now: number): Promise<boolean> {
  const ahead = aheadRange(DAY_MS, now)
  const { numUpdatedRows } = await db
    .updateTable('script_files')
    .set({ due_at: new Date(now + LEASE_MS).toISOString() })
    .where('url', '=', url)
    .where((eb) => eb.or([eb('due_at', '<=', ahead.after), eb('due_at', '>', ahead.upTo)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function note(db: Db, url: string, fetched: FetchedFile, now: number): Promise<void> {
  const at = new Date(now).toISOString()
  const looked = { checked_at: at, due_at: new Date(now + DAY_MS).toISOString() }
  const update = db.updateTable('script_files').where('url', '=', url)
  if ('failure' in fetched) {
    // The last hash stays: a file that comes back unchanged has not changed.
    await update.set({ ...looked, outcome: 'failed', reason: fetched.failure }).execute()
    return
  }
  const sha256 = createHash('sha256').update(fetched.body).digest('hex')
  const read = { ...looked, outcome: 'read' as const, reason: null, sha256, bytes: fetched.body.length }
  const before = await db
    .selectFrom('script_files')
    .select(['sha256', 'first_read_at'])
    .where('url', '=', url)
    .executeTakeFirst()
  const isChanged = before !== undefined && before.sha256 !== null && before.sha256 !== sha256
  await update
    .set((eb) => ({
      ...read,
      first_read_at: before?.first_read_at ?? at,
      ...(isChanged ? { changed_at: at, former_sha256: before.sha256, changes: eb('changes', '+', 1) } : {}),
    }))
    .execute()
}

const RECENT_DAYS = 7

/** A vendor's file that differs from what our server got before. */
export interface FileChange {
  pixelId: string
  url: string
  sha256: string
}

/** Vendors' files of active tags that changed in the last days, for each pixel that names one. */
export async function listFileChanges(db: Db, now = Date.now()): Promise<FileChange[]> {
  const changed = await db
    .selectFrom('script_files')
    .select(['url', 'sha256'])
    .where('changed_at', '>', new Date(now - RECENT_DAYS * DAY_MS).toISOString())
    .execute()
  if (changed.length === 0) return []
  const hashes = new Map(changed.map(({ url, sha256 }) => [url, sha256 ?? '']))
  const periods = await db
    .selectFrom('tag_periods')
    .innerJoin('tracking_pixels', 'tracking_pixels.id', 'tag_periods.pixel_id')
    .select(['tag_periods.pixel_id', 'tag_periods.files'])
    .where('tag_periods.ended_at', 'is', null)
    .where('tracking_pixels.deleted_at', 'is', null)
    .execute()
  return periods.flatMap(({ pixel_id, files }) =>
    files.flatMap((file) => {
      const sha256 = file.kind === 'vendor' ? hashes.get(file.url) : undefined
      return file.kind === 'vendor' && sha256 !== undefined
        ? [{ pixelId: pixel_id, url: file.url, sha256 }]
        : []
    }),
  )
}
