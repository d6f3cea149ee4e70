import type { Db } from '#server/db/database.ts'
import { storeBlockedHosts } from '#server/tags/store-blocked-hosts.ts'

/** One report about a host, stored at once. */
export function noteBlockedHost(db: Db, host: string, pixel_id: string | null): Promise<void> {
  const last_seen_at = new Date().toISOString()
  return storeBlockedHosts(db, [{ host, pixel_id, count: 1, last_seen_at }], () => true)
}
