import type { DossierTag } from '#contract/inventory.ts'
import type { Db } from '#server/db/database.ts'

/** What the catalogue says of a vendor. */
export type DescribeVendor = (id: string) => DossierTag['vendors'][number]

/** Every tag that was on the page in a span of time, oldest first. */
export async function readTagPeriods(
  db: Db,
  { from, until }: { from: string; until: string },
  describeVendor: DescribeVendor,
): Promise<DossierTag[]> {
  const rows = await db
    .selectFrom('tag_periods as period')
    // In the trash or not: what it is called is known for as long as there is a row.
    .leftJoin('tracking_pixels as pixel', 'pixel.id', 'period.pixel_id')
    .selectAll('period')
    .select(['pixel.name', 'pixel.reason'])
    .where('period.started_at', '<', until)
    .where((eb) => eb.or([eb('period.ended_at', 'is', null), eb('period.ended_at', '>', from)]))
    .orderBy('period.started_at')
    .orderBy('period.id')
    .execute()
  return rows.map((row) => ({
    pixel_id: row.pixel_id,
    name: row.name,
    type: row.type,
    vendors: row.vendors.map(describeVendor),
    account: row.account,
    category: row.consent_category,
    told_by: row.told_by,
    hosts: row.hosts,
    files: row.files,
    started_at: row.started_at,
    ended_at: row.ended_at,
    reason: row.reason,
  }))
}

/** When the first of all periods began; null when there is none. */
export async function readTagsKnownSince(db: Db): Promise<string | null> {
  const first = await db
    .selectFrom('served_headers')
    .select('since')
    .orderBy('since')
    .limit(1)
    .executeTakeFirst()
  return first?.since ?? null
}
