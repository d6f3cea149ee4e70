import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { PixelCost } from '#contract/tag-cost.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import type { Today, VisitResults } from '#contract/visit-results.ts'
import { recordAudit } from '../activity/trail.ts'
import type { Db } from '../db/database.ts'
import { type Actor, pathId, readBody } from '../http/security/administrators.ts'
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

/** Tag routes that have no place in the two protocols. */
export function registerTagAdmin(scope: FastifyInstance, deps: TagAdminDeps): void {
  const { db, tags } = deps

  /** Status, health and warnings of every pixel, blocked hosts, and whether everything is paused. */
  scope.get('/admin/api/tags', (): Promise<TagOverview> => readOverview(deps))

  /** The figures of today and the last seven days. */
  scope.get('/admin/api/today', (): Promise<Today> => readToday(deps))

  /** Visits of one pixel in the last 24 hours, by hour. */
  scope.get('/admin/api/tags/:id/hours', async (request) => {
    return { hours: await readHours(db, pathId(request)) }
  })

  /** Visits of one pixel by result. Query: `from`, `to`, `step` (`hour` or `day`). */
  scope.get('/admin/api/pixels/:id/ledger', async (request): Promise<VisitResults> => {
    return readVisitResults(db, pathId(request), readVisitResultsBetween(request.query))
  })

  /** Conversions that the page passed to the vendor in the last 24 hours. */
  scope.get('/admin/api/pixels/:id/conversions', async (request) => {
    return { conversions: await readConversions(db, pathId(request)) }
  })

  /** Main-thread time and requests of a tag, 75th percentile. */
  scope.get('/admin/api/pixels/:id/cost', async (request): Promise<PixelCost> => {
    return readPixelCost(deps, pathId(request))
  })

  /** What pasted code would become: vendor, hosts, conversions, warnings. Body: the fields of the form. */
  scope.post('/admin/api/tags/preview', async (request) => {
    return previewTag(deps, readBody(previewSchema, request))
  })

  /** Pauses every tag, or resumes them. Body: `{ paused }`. Answers after the page has changed. */
  scope.put('/admin/api/tags/pause', async (request) => {
    const { paused } = readBody(pauseSchema, request)
    await request.change(db, (trx, actor) => setPaused(trx, actor, paused))
    await tags.refresh()
    return readOverview(deps)
  })

  /** Puts a tag that was paused by itself back on the page. */
  scope.post('/admin/api/pixels/:id/rearm', async (request) => {
    const id = pathId(request)
    await request.change(db, (trx, actor) => rearmBreaker(trx, actor, id))
    await tags.refresh()
    return readOverview(deps)
  })

  /** Permits a blocked host. Body: `{ pixel_id? }`. */
  scope.post('/admin/api/blocked-hosts/:id/allow', async (request) => {
    const { pixel_id: pixelId = null } = readBody(allowSchema, request)
    const hosts = { ids: [pathId(request)], pixelId }
    await request.change(db, (trx, actor) => permitHosts(trx, actor, deps, hosts))
    await tags.refresh()
    return readOverview(deps)
  })

  /** Permits several blocked hosts. Body: `{ ids, pixel_id? }`. */
  scope.post('/admin/api/blocked-hosts/allow', async (request) => {
    const { ids, pixel_id: pixelId = null } = readBody(permitSchema, request)
    await request.change(db, (trx, actor) => permitHosts(trx, actor, deps, { ids, pixelId }))
    await tags.refresh()
    return readOverview(deps)
  })

  /** The hosts that one tag may reach, and why. */
  scope.get('/admin/api/tags/:id/hosts', async (request) => {
    const id = pathId(request)
    const prepared = tags.prepared.get(id)
    if (prepared === undefined) return { hosts: [] }
    const permissions = await readPermissions(db, id)
    return { hosts: listPixelHosts(prepared.spending, deps.ownHosts, permissions.get(id) ?? []) }
  })

  /** Takes back the permission of a host. */
  scope.delete('/admin/api/tags/:id/hosts/:host', async (request) => {
    const { host = '' } = request.params as { host?: string }
    const pixelId = pathId(request)
    await request.change(db, (trx, actor) => revokeHost(trx, actor, { pixelId, host }))
    await tags.refresh()
    return readOverview(deps)
  })

  /** Removes a host from the list of blocked hosts. */
  scope.delete('/admin/api/blocked-hosts/:id', async (request) => {
    const id = pathId(request)
    await request.change(db, (trx) => forgetBlockedHost(trx, id))
    return readOverview(deps)
  })
}

/** Pauses or resumes all tags. The pixels are not changed, so they come back as they were. */
export async function setPaused(trx: Db, actor: Actor, paused: boolean, now = new Date()): Promise<void> {
  const changed = await trx
    .updateTable('site_state')
    .set({
      tags_paused_at: paused ? now.toISOString() : null,
      tags_paused_by: paused ? actor.actor : null,
    })
    .where('tags_paused_at', paused ? 'is' : 'is not', null)
    .executeTakeFirst()
  // A second pause changes nothing: the first person stays named.
  if (changed.numUpdatedRows === 0n) return
  await recordAudit(trx, { ...actor, action: paused ? 'tags.pause' : 'tags.resume' }, now)
  await raiseTagsVersion(trx, [])
}
