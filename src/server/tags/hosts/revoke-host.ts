import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { bumpTagsVersion } from '#server/db/changes.ts'
import type { Db } from '#server/db/database.ts'
import { nextTimestamp } from '#server/db/next-timestamp.ts'
import { AppError } from '#server/http/app-error.ts'
import { auditActor, type Caller } from '#server/http/caller.ts'
import { lockPixelHosts } from './lock-pixel-hosts.ts'

/** Takes a permitted host back from a pixel. */
export async function revokeHost(
  db: Db,
  caller: Caller,
  { pixelId, host }: { pixelId: string; host: string },
  now = new Date(),
): Promise<void> {
  await change(db, async (trx) => {
    const pixel = await lockPixelHosts(trx, pixelId)
    if (pixel === undefined || !pixel.allowed_hosts.includes(host)) {
      throw new AppError(404, 'not_found', 'Este endereço não está permitido neste pixel.')
    }
    const hosts = pixel.allowed_hosts.filter((allowed) => allowed !== host)
    await trx
      .updateTable('tracking_pixels')
      .set({ allowed_hosts: JSON.stringify(hosts), updated_at: nextTimestamp(pixel.updated_at, now) })
      .where('id', '=', pixel.id)
      .execute()
    await trx
      .deleteFrom('permitted_hosts')
      .where('pixel_id', '=', pixel.id)
      .where('host', '=', host)
      .execute()
    await recordAudit(
      trx,
      {
        ...auditActor(caller),
        action: 'tags.revoke_host',
        subject: pixel.id,
        before: { allowed_hosts: pixel.allowed_hosts },
        after: { allowed_hosts: hosts },
      },
      now,
    )
    await bumpTagsVersion(trx)
  })
}
