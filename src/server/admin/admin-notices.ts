import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Notices, ProductionGap } from '#contract/production-gap.ts'
import { guardApi } from '../http/api-guard.ts'
import { AppError } from '../http/app-error.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'

interface NoticesDeps {
  gaps: readonly ProductionGap[]
  identify: (request: FastifyRequest) => Promise<Caller>
  /** The dashboard's own origins. */
  origins: readonly string[]
}

/** What the operator should know, told to administrators; it found its way into the log once, too. */
export async function registerNotices(
  app: FastifyInstance,
  { gaps, identify, origins }: NoticesDeps,
): Promise<void> {
  await app.register(async (scope) => {
    guardApi(scope, { origins })
    scope.get('/admin/api/notices', async (request): Promise<Notices> => {
      const caller = await identify(request)
      if (isAdministrator(caller)) return { gaps: [...gaps] }
      if (caller.kind === 'user')
        throw new AppError(403, 'forbidden', 'Sua conta não tem acesso administrativo.')
      throw new AppError(401, 'unauthorized', 'Entre para continuar.', {
        headers: { 'www-authenticate': 'Bearer' },
      })
    })
  })
}
