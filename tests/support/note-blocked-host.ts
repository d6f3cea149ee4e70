import type { Db } from '#server/db/database.ts'
import { storeBlockedHosts } from '#server/tags/hosts/blocked-hosts.ts'

/** One report about a host, stored at once; with a hash, for that code of the pixel. */
export function noteBlockedHost(
  db: Db,
  host: string,
  pixel_id: string | null,
  code_hash: string | null = null,
): Promise<void> {
  const last_seen_at = new Date().toISOString()
  return storeBlockedHosts(
    db,
    [{ host, pixel_id, code_hash, use: 'image', count: 1, networks: 1, last_seen_at }],
    () => ({ wait: null }),
  )
}
