import type { FastifyInstance } from 'fastify'
import type { InstallationProblem, Notices, ProductionGap } from '#contract/admin-page.ts'
import type { Db } from '../db/database.ts'
import { describeClock, readClock } from '../db/sweep-clock.ts'
import { type AdminAccess, requireAdministrator } from '../http/admin-request.ts'
import { guardApi } from '../http/api-guard.ts'
import { auditActor } from '../http/caller.ts'
import { confirmClock } from './confirm-clock.ts'

interface NoticesDeps extends AdminAccess {
  db: Db
  gaps: readonly ProductionGap[]
  listReachedCeilings: () => Promise<ProductionGap[]>
  /** What the last check found wrong with the database's file; null when nothing was. */
  fileDamage: () => InstallationProblem | null
}

/** What the operator should know, told to administrators; the log says it too. */
export async function registerNotices(app: FastifyInstance, deps: NoticesDeps): Promise<void> {
  await app.register(async (scope) => {
    guardApi(scope, deps)
    scope.get('/admin/api/notices', async (request): Promise<Notices> => {
      await requireAdministrator(deps, request)
      const problems = [deps.fileDamage(), describeClock(await readClock(deps.db))]
      return {
        gaps: [...(await deps.listReachedCeilings()), ...deps.gaps],
        problems: problems.filter((problem) => problem !== null),
      }
    })
    scope.post('/admin/api/clock/confirm', async (request, reply) => {
      const caller = await requireAdministrator(deps, request)
      await confirmClock(deps.db, auditActor(caller))
      return reply.code(204).send()
    })
  })
}
