import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { PixelConflict, PixelHistory, Trash } from '#contract/pixel-history.ts'
import { type AdminAccess, pathId, readBody, requireAdministrator } from '../http/admin-request.ts'
import { guardApi } from '../http/api-guard.ts'
import { sweepRegularly } from '../http/sweep-regularly.ts'
import type { DataService } from './data-service.ts'
import { compareSchema, compareVersion } from './history/compare-version.ts'
import { readHistory } from './history/read-history.ts'
import { restoreVersion } from './history/restore-version.ts'
import type { Resource } from './resource.ts'
import { readTrash } from './trash/read-trash.ts'
import { restorePixel } from './trash/restore-pixel.ts'
import { sweepTrash } from './trash/sweep-trash.ts'

interface PixelVersionsDeps extends AdminAccess {
  service: DataService
  pixels: Resource
}

const restoreSchema = z.object({ version: z.uuid() })

/** What the protocol of the data service has no place for: the trash, and the versions of a pixel. */
export async function registerPixelVersions(app: FastifyInstance, deps: PixelVersionsDeps): Promise<void> {
  const { service, pixels } = deps
  await app.register(async (scope) => {
    guardApi(scope, { origins: deps.origins })

    scope.get('/admin/api/trash', async (request): Promise<Trash> => {
      await requireAdministrator(deps, request)
      return readTrash(service.db)
    })

    scope.post('/admin/api/trash/:id/restore', async (request, reply) => {
      const caller = await requireAdministrator(deps, request)
      const restored = await restorePixel(service, pixels, { request, caller }, pathId(request))
      return restored.warning === null ? reply.code(204).send() : restored
    })

    scope.get('/admin/api/pixels/:id/history', async (request): Promise<PixelHistory> => {
      await requireAdministrator(deps, request)
      return readHistory(service.db, pathId(request), (request.query as { before?: unknown }).before)
    })

    scope.post('/admin/api/pixels/:id/compare', async (request): Promise<PixelConflict> => {
      await requireAdministrator(deps, request)
      return compareVersion(service.db, pathId(request), readBody(compareSchema, request))
    })

    scope.post('/admin/api/pixels/:id/restore', async (request, reply) => {
      const caller = await requireAdministrator(deps, request)
      const { version } = readBody(restoreSchema, request)
      await restoreVersion(service, pixels, { request, caller }, { pixelId: pathId(request), version })
      return reply.code(204).send()
    })
  })
  sweepRegularly(app, 'old pixels in the trash', (signal) => sweepTrash(service.db, signal))
}
