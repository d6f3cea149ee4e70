import type { BlockedHost } from '#contract/tag-status.ts'
import type { Db } from '#server/db/database.ts'
import { isCatalogueHost } from '#server/vendors/is-catalogue-host.ts'
import { nameHost } from '#server/vendors/name-host.ts'
import { isSharedHost } from '#server/vendors/shared-hosts.ts'
import type { PreparedTag } from '../prepare-tag.ts'
import { vendorById } from '../vendor-sources.ts'

/** What the policy stopped, named by vendor, with the pixels that it belongs to. The newest first. */
export async function readBlockedHosts(
  db: Db,
  active: ReadonlyMap<string, PreparedTag>,
  ids: readonly string[] | null = null,
): Promise<BlockedHost[]> {
  const rows = await db
    .selectFrom('blocked_hosts')
    .select(['id', 'pixel_id', 'host', 'count', 'last_seen_at'])
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
  const named = await Promise.all(rows.map(({ host }) => nameHost(host)))
  return rows.map((row, index) => {
    const vendor = named[index] ?? null
    const pixel_ids = row.pixel_id === null ? pixelsOf(vendor?.id ?? null, active) : [row.pixel_id]
    return { ...row, vendor, permit: howToPermit(row.host, vendor?.id ?? null), pixel_ids }
  })
}

/** The policy is the page's: what is stopped of a vendor is stopped for each of its pixels. */
function pixelsOf(vendor: string | null, active: ReadonlyMap<string, PreparedTag>): string[] {
  if (vendor === null) return []
  return [...active].flatMap(([id, { marks }]) => (marks.some((mark) => mark.id === vendor) ? [id] : []))
}

/** Reports can be forged: one click permits what the catalogue names, anything else is permitted by its full name. */
function howToPermit(host: string, vendorId: string | null): BlockedHost['permit'] {
  if (isSharedHost(host)) return 'shared'
  const vendor = vendorId === null ? undefined : vendorById(vendorId)
  return vendor !== undefined && isCatalogueHost(vendor, host) ? 'set' : 'single'
}
