import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { PixelCost } from '#contract/tag-cost.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import type { PixelLedger, Today } from '#contract/visit-results.ts'
import { recordAudit } from '../activity/trail.ts'
import type { Db } from '../db/database.ts'
import { change } from '../db/transactions/change.ts'
import { auditActor, type Caller, pathId, readBody } from '../http/security/administrators.ts'
import type { TagCompiler } from './compile/compiler.ts'
import { rearmBreaker } from './health/breaker.ts'
import { readPixelCost } from './health/cost.ts'
import { readConversions, readHours } from './health/observations.ts'
import { readOverview } from './health/overview.ts'
import { readToday, type TodayDeps } from './health/today.ts'
import { readVisitResults, readVisitResultsBetween } from './health/visit-results.ts'
import { forgetBlockedHost } from './hosts/blocked-hosts.ts'
import type { MeasureHead } from './hosts/budget.ts'
import { listPixelHosts, permitHosts, readPermissions, revokeHost } from './hosts/permissions.ts'
import { previewSchema, previewTag } from './preview.ts'
import type { TagStore } from './serve/tag-store.ts'
import { raiseTagsVersion } from './serve/tag-version.ts'

interface TagAdminDeps extends TodayDeps {
  db: Db
  tags: TagStore
  compiler: TagCompiler
  ownHosts: ReadonlySet<string>
  measureHead: MeasureHead
}

const pauseSchema = z.object({ paused: z.boolean() })

const allowSchema = z.object({ pixel_id: z.optional(z.uuid()) })

const permitSchema = z.object({
  ids: z.array(z.uuid()).check(z.minLength(1), z.maxLength(100)),
  pixel_id: z.optional(z.uuid()),
})

/** What the two protocols have no place for. */
export function registerTagAdmin(scope: FastifyInstance, deps: TagAdminDeps): void {
  const { db, tags } = deps

  scope.get('/admin/api/tags', (): Promise<TagOverview> => readOverview(deps))

  scope.get('/admin/api/today', (): Promise<Today> => readToday(deps))

  scope.get('/admin/api/tags/:id/hours', async (request) => {
    return { hours: await readHours(db, pathId(request)) }
  })

  scope.get('/admin/api/pixels/:id/ledger', async (request): Promise<PixelLedger> => {
    return readVisitResults(db, pathId(request), readVisitResultsBetween(request.query))
  })

  scope.get('/admin/api/pixels/:id/conversions', async (request) => {
    return { conversions: await readConversions(db, pathId(request)) }
  })

  scope.get('/admin/api/pixels/:id/cost', async (request): Promise<PixelCost> => {
    return readPixelCost(deps, pathId(request))
  })

  scope.post('/admin/api/tags/preview', async (request) => {
    return previewTag(deps, readBody(previewSchema, request))
  })

  scope.put('/admin/api/tags/pause', async (request) => {
    const { caller } = request
    await setPaused(db, caller, readBody(pauseSchema, request).paused)
    await tags.refresh()
    return readOverview(deps)
  })

  scope.post('/admin/api/pixels/:id/rearm', async (request) => {
    const { caller } = request
    await rearmBreaker(db, caller, pathId(request))
    await tags.refresh()
    return readOverview(deps)
  })

  scope.post('/admin/api/blocked-hosts/:id/allow', async (request) => {
    const { caller } = request
    const { pixel_id = null } = readBody(allowSchema, request)
    await permitHosts(deps, caller, { ids: [pathId(request)], pixelId: pixel_id })
    await tags.refresh()
    return readOverview(deps)
  })

  scope.post('/admin/api/blocked-hosts/allow', async (request) => {
    const { caller } = request
    const { ids, pixel_id = null } = readBody(permitSchema, request)
    await permitHosts(deps, caller, { ids, pixelId: pixel_id })
    await tags.refresh()
    return readOverview(deps)
  })

  scope.get('/admin/api/tags/:id/hosts', async (request) => {
    const id = pathId(request)
    const prepared = tags.prepared.get(id)
    if (prepared === undefined) return { hosts: [] }
    const permissions = await readPermissions(db, id)
    return { hosts: listPixelHosts(prepared.spending, deps.ownHosts, permissions.get(id) ?? []) }
  })

  scope.delete('/admin/api/tags/:id/hosts/:host', async (request) => {
    const { caller } = request
    const { host = '' } = request.params as { host?: string }
    await revokeHost(db, caller, { pixelId: pathId(request), host })
    await tags.refresh()
    return readOverview(deps)
  })

  scope.delete('/admin/api/blocked-hosts/:id', async (request) => {
    await forgetBlockedHost(db, pathId(request))
    return readOverview(deps)
  })
}

/** Stops every tag at once, or brings them back: the pixels themselves are not touched, so they come back as they were. */
export async function setPaused(db: Db, caller: Caller, paused: boolean, now = new Date()): Promise<void> {
  const actor = auditActor(caller)
  await change(db, async (trx) => {
    const changed = await trx
      .updateTable('site_state')
      .set({
        tags_paused_at: paused ? now.toISOString() : null,
        tags_paused_by: paused ? actor.actor : null,
      })
      .where('tags_paused_at', paused ? 'is' : 'is not', null)
      .executeTakeFirst()
    // Paused twice is paused once, by the first who did it.
    if (changed.numUpdatedRows === 0n) return
    await recordAudit(trx, { ...actor, action: paused ? 'tags.pause' : 'tags.resume' }, now)
    await raiseTagsVersion(trx)
  })
}
