import type { FastifyInstance } from 'fastify'
import type { Notices, ProductionGap } from '#contract/production-gap.ts'
import { type AdminAccess, requireAdministrator } from '../http/admin-request.ts'
import { guardApi } from '../http/api-guard.ts'

interface NoticesDeps extends AdminAccess {
  gaps: readonly ProductionGap[]
}

/** What the operator should know, told to administrators; it found its way into the log once, too. */
export async function registerNotices(app: FastifyInstance, deps: NoticesDeps): Promise<void> {
  await app.register(async (scope) => {
    guardApi(scope, deps)
    scope.get('/admin/api/notices', async (request): Promise<Notices> => {
      await requireAdministrator(deps, request)
      return { gaps: [...deps.gaps] }
    })
  })
}
