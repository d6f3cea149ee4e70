import type { Db } from '../../db/database.ts'
import type { Permission } from './list-pixel-hosts.ts'

/** Who permitted which host, by pixel. */
export async function readPermissions(
  db: Db,
  pixelId: string | null = null,
): Promise<ReadonlyMap<string, Permission[]>> {
  const rows = await db
    .selectFrom('permitted_hosts')
    .selectAll()
    .$if(pixelId !== null, (query) => query.where('pixel_id', '=', pixelId ?? ''))
    .execute()
  const permissions = new Map<string, Permission[]>()
  for (const { pixel_id, ...permission } of rows) {
    permissions.set(pixel_id, [...(permissions.get(pixel_id) ?? []), permission])
  }
  return permissions
}
