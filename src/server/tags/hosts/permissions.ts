import { type BlockedHost, PERMIT_SINGLY, type PixelHost } from '#contract/tag-status.ts'
import { recordAudit } from '#server/activity/trail.ts'
import { pixelIsGone } from '#server/conversions/read-pixel.ts'
import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/dialect.ts'
import { nextTimestamp } from '#server/db/time.ts'
import { AppError } from '#server/http/errors.ts'
import type { Actor } from '#server/http/security/administrators.ts'
import {
  DIRECTIVE_OF,
  isSocketSource,
  matchesSource,
  SOURCE_KEYS,
} from '#server/http/security/content-security-policy.ts'
import { raiseTagsVersion } from '../serve/tag-version.ts'
import { readBlockedHosts } from './blocked-hosts.ts'
import { assertPolicyFits, type BudgetOptions } from './budget.ts'
import { partsOfPixel, type SpendingPixel } from './sources.ts'

/** Of one pixel: the policy is sent with every page. */
export const MAX_ALLOWED_HOSTS = 100

interface PermitDeps extends BudgetOptions {
  tags: Parameters<typeof readBlockedHosts>[1]
}

/**
 * Adds blocked hosts to their pixels. Several at once only if the catalogue lists each for one vendor. If the tag is
 * unknown, the administrator names the pixel.
 */
export async function permitHosts(
  trx: Db,
  actor: Actor,
  { tags, ...budget }: PermitDeps,
  { ids, pixelId }: { ids: readonly string[]; pixelId: string | null },
  now = new Date(),
): Promise<void> {
  const blocked = await readBlockedHosts(trx, tags, ids)
  if (blocked.length === 0)
    throw new AppError(404, 'not_found', 'Este domínio não está mais bloqueado. Recarregue a página.')
  assertOneClick(blocked)
  const hosts = [...new Set(blocked.map(({ host }) => host))]
  const known = [...new Set(blocked.flatMap(({ pixel_ids }) => pixel_ids))].sort()
  const owners = known.length > 0 ? known : pixelId === null ? [] : [pixelId]
  let found = 0
  for (const owner of owners) if (await addHosts(trx, actor, owner, hosts, now)) found++
  if (found === 0) throw pixelIsGone()
  await trx.deleteFrom('blocked_hosts').where('host', 'in', hosts).execute()
  await raiseTagsVersion(trx, owners)
  await assertPolicyFits(trx, budget)
}

function assertOneClick(blocked: readonly BlockedHost[]): void {
  if (new Set(blocked.map(({ host }) => host)).size === 1) return
  const isSet = blocked.every(
    ({ permit, vendor }) => permit === 'set' && vendor?.id === blocked[0]?.vendor?.id,
  )
  if (!isSet) throw new AppError(409, PERMIT_SINGLY, 'Permita um domínio por vez e confira cada nome antes.')
}

async function addHosts(
  trx: Db,
  actor: Actor,
  pixelId: string,
  added: readonly string[],
  now: Date,
): Promise<boolean> {
  const pixel = await lockPixelHosts(trx, pixelId)
  if (pixel === undefined) return false
  const hosts = [...new Set([...pixel.allowed_hosts, ...added])].sort()
  if (hosts.length > MAX_ALLOWED_HOSTS) {
    throw new AppError(
      409,
      'too_many_hosts',
      `Cada pixel pode ter até ${MAX_ALLOWED_HOSTS} domínios permitidos. Remova algum para permitir outro.`,
    )
  }
  await trx
    .updateTable('tracking_pixels')
    .set({ allowed_hosts: JSON.stringify(hosts), updated_at: nextTimestamp(pixel.updated_at, now) })
    .where('id', '=', pixel.id)
    .execute()
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

/** Removes a permitted host from a pixel. */
export async function revokeHost(
  trx: Db,
  actor: Actor,
  { pixelId, host }: { pixelId: string; host: string },
  now = new Date(),
): Promise<void> {
  const pixel = await lockPixelHosts(trx, pixelId)
  if (pixel === undefined || !pixel.allowed_hosts.includes(host)) {
    throw new AppError(
      404,
      'not_found',
      'Este domínio já não está permitido neste pixel. Recarregue a página.',
    )
  }
  const hosts = pixel.allowed_hosts.filter((allowed) => allowed !== host)
  await trx
    .updateTable('tracking_pixels')
    .set({ allowed_hosts: JSON.stringify(hosts), updated_at: nextTimestamp(pixel.updated_at, now) })
    .where('id', '=', pixel.id)
    .execute()
  await trx.deleteFrom('permitted_hosts').where('pixel_id', '=', pixel.id).where('host', '=', host).execute()
  await recordAudit(
    trx,
    {
      ...actor,
      action: 'tags.revoke_host',
      subject: pixel.id,
      before: { allowed_hosts: pixel.allowed_hosts },
      after: { allowed_hosts: hosts },
    },
    now,
  )
  await raiseTagsVersion(trx, [pixel.id])
}

/** A pixel's permitted hosts, locked until the transaction ends; undefined if it does not exist or is deleted. */
function lockPixelHosts(trx: Db, pixelId: string) {
  return locked(
    trx,
    trx
      .selectFrom('tracking_pixels')
      .select(['id', 'allowed_hosts', 'updated_at'])
      .where('id', '=', pixelId)
      .where('deleted_at', 'is', null),
  ).executeTakeFirst()
}

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

export interface Permission {
  host: string
  permitted_by: string
  permitted_at: string
}

/**
 * Hosts that the policy opens for a pixel, with their origin. Permitted hosts are listed even if they are not needed,
 * so that they can be revoked.
 */
export function listPixelHosts(
  pixel: SpendingPixel,
  ownHosts: ReadonlySet<string>,
  permissions: readonly Permission[],
): PixelHost[] {
  const { vendor, code, permitted } = partsOfPixel(pixel, ownHosts)
  const who = new Map(permissions.map((permission) => [permission.host, permission]))
  return SOURCE_KEYS.flatMap((key) => {
    const directive = DIRECTIVE_OF[key]
    const isVendors = (host: string) => vendor[key].some((source) => matchesSource(host, source))
    return [
      ...vendor[key].map((host): PixelHost => ({ host, directive, source: 'vendor' })),
      ...code[key]
        .filter((host) => !isVendors(host))
        .map((host): PixelHost => ({ host, directive, source: 'code' })),
      // A permission includes the host's sockets: it is listed and revoked once.
      ...permitted[key]
        .filter((host) => !isSocketSource(host))
        .map((host): PixelHost => {
          const permission = who.get(host)
          return {
            host,
            directive,
            source: 'permitted',
            ...(permission && { by: permission.permitted_by, at: permission.permitted_at }),
          }
        }),
    ]
  })
}
