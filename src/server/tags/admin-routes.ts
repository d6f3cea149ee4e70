import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { PixelCost } from '#contract/tag-cost.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import type { PixelLedger, Today } from '#contract/visit-results.ts'
import type { Db } from '../db/database.ts'
import { type AdminAccess, pathId, readBody, requireAdministrator } from '../http/admin-request.ts'
import { guardApi } from '../http/api-guard.ts'
import { rearmBreaker } from './breaker/rearm-breaker.ts'
import { readPixelCost } from './cost/read-pixel-cost.ts'
import { forgetBlockedHost } from './hosts/forget-blocked-host.ts'
import { listPixelHosts } from './hosts/list-pixel-hosts.ts'
import { permitHosts } from './hosts/permit-hosts.ts'
import { readPermissions } from './hosts/read-permissions.ts'
import { revokeHost } from './hosts/revoke-host.ts'
import { readLedger } from './ledger/read-ledger.ts'
import { readLedgerRange } from './ledger/read-ledger-range.ts'
import type { MeasureHead } from './policy-budget.ts'
import { previewSchema, previewTag } from './preview-tag.ts'
import { readConversions } from './read-conversions.ts'
import { readHours } from './read-hours.ts'
import { readOverview } from './read-overview.ts'
import { setPaused } from './set-paused.ts'
import type { TagCompiler } from './tag-compiler.ts'
import type { TagStore } from './tag-store.ts'
import { readToday, type TodayDeps } from './today/read-today.ts'

export interface TagAdminDeps extends TodayDeps, AdminAccess {
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
export async function registerTagAdmin(app: FastifyInstance, deps: TagAdminDeps): Promise<void> {
  await app.register(async (scope) => {
    guardApi(scope, { origins: deps.origins })
    addRoutes(scope, deps)
  })
}

function addRoutes(scope: FastifyInstance, deps: TagAdminDeps): void {
  const { db, tags } = deps

  scope.get('/admin/api/tags', async (request): Promise<TagOverview> => {
    await requireAdministrator(deps, request)
    return readOverview(deps)
  })

  scope.get('/admin/api/today', async (request): Promise<Today> => {
    await requireAdministrator(deps, request)
    return readToday(deps)
  })

  scope.get('/admin/api/tags/:id/hours', async (request) => {
    await requireAdministrator(deps, request)
    return { hours: await readHours(db, pathId(request)) }
  })

  scope.get('/admin/api/pixels/:id/ledger', async (request): Promise<PixelLedger> => {
    await requireAdministrator(deps, request)
    return readLedger(db, pathId(request), readLedgerRange(request.query))
  })

  scope.get('/admin/api/pixels/:id/conversions', async (request) => {
    await requireAdministrator(deps, request)
    return { conversions: await readConversions(db, pathId(request)) }
  })

  scope.get('/admin/api/pixels/:id/cost', async (request): Promise<PixelCost> => {
    await requireAdministrator(deps, request)
    return readPixelCost(deps, pathId(request))
  })

  scope.post('/admin/api/tags/preview', async (request) => {
    await requireAdministrator(deps, request)
    return previewTag(deps, readBody(previewSchema, request))
  })

  scope.put('/admin/api/tags/pause', async (request) => {
    const caller = await requireAdministrator(deps, request)
    await setPaused(db, caller, readBody(pauseSchema, request).paused)
    await tags.refresh()
    return readOverview(deps)
  })

  scope.post('/admin/api/pixels/:id/rearm', async (request) => {
    const caller = await requireAdministrator(deps, request)
    await rearmBreaker(db, caller, pathId(request))
    await tags.refresh()
    return readOverview(deps)
  })

  scope.post('/admin/api/blocked-hosts/:id/allow', async (request) => {
    const caller = await requireAdministrator(deps, request)
    const { pixel_id = null } = readBody(allowSchema, request)
    await permitHosts(deps, caller, { ids: [pathId(request)], pixelId: pixel_id })
    await tags.refresh()
    return readOverview(deps)
  })

  scope.post('/admin/api/blocked-hosts/allow', async (request) => {
    const caller = await requireAdministrator(deps, request)
    const { ids, pixel_id = null } = readBody(permitSchema, request)
    await permitHosts(deps, caller, { ids, pixelId: pixel_id })
    await tags.refresh()
    return readOverview(deps)
  })

  scope.get('/admin/api/tags/:id/hosts', async (request) => {
    await requireAdministrator(deps, request)
    const id = pathId(request)
    const prepared = tags.prepared.get(id)
    if (prepared === undefined) return { hosts: [] }
    const permissions = await readPermissions(db, id)
    return { hosts: listPixelHosts(prepared.spending, deps.ownHosts, permissions.get(id) ?? []) }
  })

  scope.delete('/admin/api/tags/:id/hosts/:host', async (request) => {
    const caller = await requireAdministrator(deps, request)
    const { host = '' } = request.params as { host?: string }
    await revokeHost(db, caller, { pixelId: pathId(request), host })
    await tags.refresh()
    return readOverview(deps)
  })

  scope.delete('/admin/api/blocked-hosts/:id', async (request) => {
    await requireAdministrator(deps, request)
    await forgetBlockedHost(db, pathId(request))
    return readOverview(deps)
  })
}
