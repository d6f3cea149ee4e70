import { recordAudit } from '../db/audit.ts'
import { change } from '../db/change.ts'
import { bumpTagsVersion } from '../db/changes.ts'
import type { Db } from '../db/database.ts'
import { locked } from '../db/locked.ts'
import { nextTimestamp } from '../db/next-timestamp.ts'
import { AppError } from '../http/app-error.ts'
import { auditActor, type Caller } from '../http/caller.ts'
import { assertPolicyFits, type BudgetOptions } from './policy-budget.ts'

const MAX_ALLOWED_HOSTS = 100

/** Adds a blocked host to a pixel. When it is not known which tag tried, the administrator says which. */
export async function allowHost(
  { db, ...budget }: BudgetOptions & { db: Db },
  caller: Caller,
  { blockedId, pixelId }: { blockedId: string; pixelId: string | null },
  now = new Date(),
): Promise<void> {
  await change(db, async (trx) => {
    const blocked = await trx
      .selectFrom('blocked_hosts')
      .select(['host', 'pixel_id'])
      .where('id', '=', blockedId)
      .executeTakeFirst()
    const owner = blocked?.pixel_id ?? pixelId
    if (blocked === undefined || owner === null) throw new AppError(404, 'not_found', 'Host não encontrado.')
    const pixel = await locked(
      trx,
      trx.selectFrom('tracking_pixels').select(['id', 'allowed_hosts', 'updated_at']).where('id', '=', owner),
    ).executeTakeFirst()
    if (pixel === undefined) throw new AppError(404, 'not_found', 'Pixel não encontrado.')
    const hosts = [...new Set([...pixel.allowed_hosts, blocked.host])].sort()
    if (hosts.length > MAX_ALLOWED_HOSTS) {
      throw new AppError(
        409,
        'too_many_hosts',
        `Um pixel pode ter até ${MAX_ALLOWED_HOSTS} hosts permitidos.`,
      )
    }
    await trx
      .updateTable('tracking_pixels')
      .set({ allowed_hosts: JSON.stringify(hosts), updated_at: nextTimestamp(pixel.updated_at, now) })
      .where('id', '=', pixel.id)
      .execute()
    await trx.deleteFrom('blocked_hosts').where('host', '=', blocked.host).execute()
    await recordAudit(
      trx,
      {
        ...auditActor(caller),
        action: 'tags.allow_host',
        subject: pixel.id,
        before: { allowed_hosts: pixel.allowed_hosts },
        after: { allowed_hosts: hosts },
      },
      now,
    )
    await bumpTagsVersion(trx)
    await assertPolicyFits(trx, budget)
  })
}

export async function forgetBlockedHost(db: Db, blockedId: string): Promise<void> {
  await db.deleteFrom('blocked_hosts').where('id', '=', blockedId).execute()
}
