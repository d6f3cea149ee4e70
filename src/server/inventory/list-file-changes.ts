import type { Db } from '../db/database.ts'

const DAY_MS = 86_400_000
const RECENT_DAYS = 7

interface FileChange {
  pixelId: string
  url: string
  sha256: string
}

/** Vendors' files of tags on the page that were found changed in the last days, for each pixel that names one. */
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
