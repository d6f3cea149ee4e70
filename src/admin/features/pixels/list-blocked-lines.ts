import type { BlockedHost, TagOverview } from '#contract/tag-status.ts'

/** One line: what the policy kept one vendor, or one unknown host, from. */
export interface BlockedLine {
  key: string
  message: string
  /** What one click permits. */
  set: BlockedHost[]
  /** What is permitted by its full name, each for itself. */
  singles: BlockedHost[]
  /** All rows of it, for "Ignorar". */
  ids: string[]
  hosts: string[]
  pixelIds: string[]
  count: number
  lastSeenAt: string
}

export function listBlockedLines({
  blocked_hosts: blocked,
  blocked_groups: groups,
}: Pick<TagOverview, 'blocked_hosts' | 'blocked_groups'>): BlockedLine[] {
  const byId = new Map(blocked.map((host) => [host.id, host]))
  return groups.map(({ ids, hosts, permit_ids, pixel_ids, message }) => {
    const rows = ids.flatMap((id) => byId.get(id) ?? [])
    const set = rows.filter(({ id }) => permit_ids.includes(id))
    return {
      key: ids.join(),
      message,
      set,
      singles: oneEach(rows.filter((row) => !set.includes(row))),
      ids,
      hosts,
      pixelIds: pixel_ids,
      count: rows.reduce((sum, { count }) => sum + count, 0),
      lastSeenAt:
        rows
          .map(({ last_seen_at }) => last_seen_at)
          .sort()
          .at(-1) ?? '',
    }
  })
}

/** A host that several tags tried is decided about once. */
function oneEach(rows: readonly BlockedHost[]): BlockedHost[] {
  return [...new Map(rows.map((row) => [row.host, row])).values()]
}
