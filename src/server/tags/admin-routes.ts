import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { TagOverview } from '#contract/tag-status.ts'
import type { Db } from '../db/database.ts'
import { guardApi } from '../http/api-guard.ts'
import { AppError } from '../http/app-error.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import { forgetBlockedHost } from './hosts/forget-blocked-host.ts'
import { listPixelHosts } from './hosts/list-pixel-hosts.ts'
import { permitHosts } from './hosts/permit-hosts.ts'
import { readPermissions } from './hosts/read-permissions.ts'
import { revokeHost } from './hosts/revoke-host.ts'
import type { MeasureHead } from './policy-budget.ts'
import { previewSchema, previewTag } from './preview-tag.ts'
import { readHours } from './read-hours.ts'
import { readOverview } from './read-overview.ts'
import { setPaused } from './set-paused.ts'
import type { TagCompiler } from './tag-compiler.ts'
import type { TagStore } from './tag-store.ts'

export interface TagAdminDeps {
  db: Db
  tags: TagStore
  compiler: TagCompiler
  ownHosts: ReadonlySet<string>
  measureHead: MeasureHead
  identify: (request: FastifyRequest) => Promise<Caller>
  /** The dashboard's own origins. */
  origins: readonly string[]
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
    await administrator(deps, request)
    return readOverview(deps)
  })

  scope.get('/admin/api/tags/:id/hours', async (request) => {
    await administrator(deps, request)
    return { hours: await readHours(db, pathId(request)) }
  })

  scope.post('/admin/api/tags/preview', async (request) => {
    await administrator(deps, request)
    return previewTag(deps, read(previewSchema, request.body))
  })

  scope.put('/admin/api/tags/pause', async (request) => {
    const caller = await administrator(deps, request)
    await setPaused(db, caller, read(pauseSchema, request.body).paused)
    await tags.refresh()
    return readOverview(deps)
  })

  scope.post('/admin/api/blocked-hosts/:id/allow', async (request) => {
    const caller = await administrator(deps, request)
    const { pixel_id = null } = read(allowSchema, request.body ?? {})
    await permitHosts(deps, caller, { ids: [pathId(request)], pixelId: pixel_id })
    await tags.refresh()
    return readOverview(deps)
  })

  scope.post('/admin/api/blocked-hosts/allow', async (request) => {
    const caller = await administrator(deps, request)
    const { ids, pixel_id = null } = read(permitSchema, request.body)
    await permitHosts(deps, caller, { ids, pixelId: pixel_id })
    await tags.refresh()
    return readOverview(deps)
  })

  scope.get('/admin/api/tags/:id/hosts', async (request) => {
    await administrator(deps, request)
    const id = pathId(request)
    const prepared = tags.prepared.get(id)
    if (prepared === undefined) return { hosts: [] }
    const permissions = await readPermissions(db, id)
    return { hosts: listPixelHosts(prepared.spending, deps.ownHosts, permissions.get(id) ?? []) }
  })

  scope.delete('/admin/api/tags/:id/hosts/:host', async (request) => {
    const caller = await administrator(deps, request)
    const { host = '' } = request.params as { host?: string }
    await revokeHost(db, caller, { pixelId: pathId(request), host })
    await tags.refresh()
    return readOverview(deps)
  })

  scope.delete('/admin/api/blocked-hosts/:id', async (request) => {
    await administrator(deps, request)
    await forgetBlockedHost(db, pathId(request))
    return readOverview(deps)
  })
}

async function administrator({ identify }: TagAdminDeps, request: FastifyRequest): Promise<Caller> {
  const caller = await identify(request)
  if (isAdministrator(caller)) return caller
  if (caller.kind === 'user') throw new AppError(403, 'forbidden', 'Sua conta não tem acesso administrativo.')
  throw new AppError(401, 'unauthorized', 'Entre para continuar.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

function pathId(request: FastifyRequest): string {
  const parsed = z.uuid().safeParse((request.params as { id?: string }).id)
  if (!parsed.success) throw new AppError(404, 'not_found', 'Não encontrado.')
  return parsed.data
}

function read<Schema extends z.ZodMiniType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw new AppError(400, 'bad_request', 'Pedido inválido.')
  return parsed.data
}
