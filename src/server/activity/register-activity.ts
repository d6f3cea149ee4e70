import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { ACTIVITY_ACTORS, type ActivityPage } from '#contract/activity.ts'
import { recordAudit } from '../db/audit.ts'
import type { Db } from '../db/database.ts'
import { type AuditRetention, sweepAudit } from '../db/sweep-audit.ts'
import { type AdminAccess, requireAdministrator } from '../http/admin-request.ts'
import { guardApi } from '../http/api-guard.ts'
import { auditActor } from '../http/caller.ts'
import { sweepRegularly } from '../http/sweep-regularly.ts'
import { exportActivity } from './export-activity.ts'
import { listActivity, readActivityQuery } from './list-activity.ts'

interface ActivityDeps extends AdminAccess {
  db: Db
  retention: AuditRetention
}

/** Who did what, under `/admin/api`; any administrator may read it, as any of them may see everything else. */
export async function registerActivity(app: FastifyInstance, deps: ActivityDeps): Promise<void> {
  const { db, retention } = deps
  sweepRegularly(app, 'old audit events', (signal) => sweepAudit(db, retention, signal))
  await app.register(async (scope) => {
    guardApi(scope, { origins: deps.origins })

    scope.get('/admin/api/activity', async (request): Promise<ActivityPage> => {
      await requireAdministrator(deps, request)
      const page = await listActivity(db, readActivityQuery(request.query))
      return {
        ...page,
        kept_days: retention.auditDays,
        failed_login_days: retention.failedLoginDays,
        people: await readPeople(db),
      }
    })

    scope.get('/admin/api/activity/export', async (request, reply) => {
      const caller = await requireAdministrator(deps, request)
      const query = readActivityQuery(request.query)
      await recordAudit(db, { ...auditActor(caller), action: 'activity.export' })
      reply.type('text/csv; charset=utf-8').header('cache-control', 'no-store')
      return reply.send(Readable.from(exportActivity(db, query)))
    })
  })
}

/** Those who have access, and what is no person; who had it once is found by searching. */
async function readPeople(db: Db): Promise<ActivityPage['people']> {
  const people = await db
    .selectFrom('admin_roles')
    .innerJoin('auth_users', 'auth_users.id', 'admin_roles.user_id')
    .select('auth_users.email')
    .orderBy('auth_users.email')
    .limit(500)
    .execute()
  return [
    ...people.map(({ email }) => ({ value: email, label: email })),
    ...Object.entries(ACTIVITY_ACTORS).map(([value, label]) => ({ value, label })),
  ]
}
