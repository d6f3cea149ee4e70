import type { BlockedHost } from '#contract/tag-status.ts'
import type { Db } from '#server/db/database.ts'
import type { TagSources } from '#server/http/content-security-policy.ts'
import { isCatalogueHost } from '#server/vendors/is-catalogue-host.ts'
import { vendorById } from '#server/vendors/marks.ts'
import { nameHost } from '#server/vendors/name-host.ts'
import { isSharedHost } from '#server/vendors/shared-hosts.ts'
import type { TagSet } from '../compose-tag-set.ts'
import { isAllowed } from '../is-allowed.ts'
import { policyOf } from '../note-stopped.ts'
import type { PreparedTag } from '../prepare-tag.ts'

/** What the policy stopped and would stop now, named by vendor, with the pixels that it belongs to. The newest first. */
export async function readBlockedHosts(
  db: Db,
  tags: { prepared: ReadonlyMap<string, PreparedTag>; current: TagSet },
  ids: readonly string[] | null = null,
): Promise<BlockedHost[]> {
  const rows = await db
    .selectFrom('blocked_hosts')
    .select(['id', 'pixel_id', 'host', 'code_hash', 'use', 'count', 'last_seen_at'])
    // Of a pixel in the trash nothing is to be decided.
    .where((eb) =>
      eb.or([
        eb('pixel_id', 'is', null),
        eb(
          'pixel_id',
          'not in',
          eb.selectFrom('tracking_pixels').select('tracking_pixels.id').where('deleted_at', 'is not', null),
        ),
      ]),
    )
    .$if(ids !== null, (query) => query.where('id', 'in', ids ?? []))
    .orderBy('last_seen_at', 'desc')
    .orderBy('id')
    .execute()
  const stopped = rows.filter((row) => !isAllowedNow(row, tags))
  const named = await Promise.all(stopped.map(({ host }) => nameHost(host)))
  return stopped.map(({ code_hash, use: _use, ...row }, index) => {
    const vendor = named[index] ?? null
    return {
      ...row,
      vendor,
      permit: howToPermit(row.host, vendor?.id ?? null),
      pixel_ids: row.pixel_id === null ? [] : [row.pixel_id],
      is_current: code_hash !== null && tags.prepared.get(row.pixel_id ?? '')?.codeHash === code_hash,
    }
  })
}

/** Another pixel, or another version of this one, has opened the host since. */
function isAllowedNow(
  { pixel_id, host, use }: { pixel_id: string | null; host: string; use: string | null },
  { prepared, current }: { prepared: ReadonlyMap<string, PreparedTag>; current: TagSet },
): boolean {
  if (use === null) return false
  const isSocket = use === 'socket'
  const wanted = { host, use: isSocket ? 'connect' : (use as keyof TagSources), isSocket }
  return isAllowed(wanted, policyOf(prepared.get(pixel_id ?? ''), current))
}

/** Reports can be forged: one click permits what the catalogue names, anything else is permitted by its full name. */
function howToPermit(host: string, vendorId: string | null): BlockedHost['permit'] {
  if (isSharedHost(host)) return 'shared'
  const vendor = vendorId === null ? undefined : vendorById(vendorId)
  return vendor !== undefined && isCatalogueHost(vendor, host) ? 'set' : 'single'
}
