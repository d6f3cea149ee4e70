import { type BlockedHost, PERMIT_SINGLY } from '#contract/tag-status.ts'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { bumpTagsVersion } from '#server/db/changes.ts'
import type { Db } from '#server/db/database.ts'
import { nextTimestamp } from '#server/db/next-timestamp.ts'
import { AppError } from '#server/http/app-error.ts'
import { auditActor, type Caller } from '#server/http/caller.ts'
import { assertPolicyFits, type BudgetOptions } from '../policy-budget.ts'
import { lockPixelHosts } from './lock-pixel-hosts.ts'
import { readBlockedHosts } from './read-blocked-hosts.ts'

const MAX_ALLOWED_HOSTS = 100

interface PermitDeps extends BudgetOptions {
  db: Db
  tags: Parameters<typeof readBlockedHosts>[1]
}

/**
 * Adds blocked hosts to the pixels that they belong to. Several at once only where the catalogue names each for one
 * vendor; when it is not known which tag tried, the administrator says which.
 */
export async function permitHosts(
  { db, tags, ...budget }: PermitDeps,
  caller: Caller,
  { ids, pixelId }: { ids: readonly string[]; pixelId: string | null },
  now = new Date(),
): Promise<void> {
  await change(db, async (trx) => {
    const blocked = await readBlockedHosts(trx, tags, ids)
    if (blocked.length === 0) throw new AppError(404, 'not_found', 'Host não encontrado.')
    assertOneClick(blocked)
    const hosts = [...new Set(blocked.map(({ host }) => host))]
    const known = [...new Set(blocked.flatMap(({ pixel_ids }) => pixel_ids))].sort()
    const owners = known.length > 0 ? known : pixelId === null ? [] : [pixelId]
    let found = 0
    for (const owner of owners) if (await addHosts(trx, caller, owner, hosts, now)) found++
    if (found === 0) throw new AppError(404, 'not_found', 'Pixel não encontrado.')
    await trx.deleteFrom('blocked_hosts').where('host', 'in', hosts).execute()
    await bumpTagsVersion(trx)
    await assertPolicyFits(trx, budget)
  })
}

function assertOneClick(blocked: readonly BlockedHost[]): void {
  if (new Set(blocked.map(({ host }) => host)).size === 1) return
  const isSet = blocked.every(
    ({ permit, vendor }) => permit === 'set' && vendor?.id === blocked[0]?.vendor?.id,
  )
  if (!isSet)
    throw new AppError(409, PERMIT_SINGLY, 'Permita estes endereços um por um, conferindo cada nome.')
}

async function addHosts(
  trx: Db,
  caller: Caller,
  pixelId: string,
  added: readonly string[],
  now: Date,
): Promise<boolean> {
  const pixel = await lockPixelHosts(trx, pixelId)
  if (pixel === undefined) return false
  const hosts = [...new Set([...pixel.allowed_hosts, ...added])].sort()
  if (hosts.length > MAX_ALLOWED_HOSTS) {
    throw new AppError(409, 'too_many_hosts', `Um pixel pode ter até ${MAX_ALLOWED_HOSTS} hosts permitidos.`)
  }
  await trx
    .updateTable('tracking_pixels')
    .set({ allowed_hosts: JSON.stringify(hosts), updated_at: nextTimestamp(pixel.updated_at, now) })
    .where('id', '=', pixel.id)
    .execute()
  const actor = auditActor(caller)
  await trx
    .insertInto('permitted_hosts')
    .values(
      added.map((host) => ({
        pixel_id: pixel.id,
        host,
        permitted_by: actor.actor,
        permitted_at: now.toISOString(),
      })),
    )
    .onConflict((conflict) => conflict.columns(['pixel_id', 'host']).doNothing())
    .execute()
  await recordAudit(
    trx,
    {
      ...actor,
      action: 'tags.allow_host',
      subject: pixel.id,
      before: { allowed_hosts: pixel.allowed_hosts },
      after: { allowed_hosts: hosts },
    },
    now,
  )
  return true
}
