import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { ACTIVITY_ACTORS } from '#contract/activity.ts'
import type { ConsentOverview, FoundRecord } from '#contract/consent.ts'
import type { Dossier } from '#contract/inventory.ts'
import { nextSiteDay, startOfSiteDate } from '#contract/site.ts'
import { recordAudit } from '#server/db/audit.ts'
import { type AdminAccess, requireAdministrator } from '#server/http/admin-request.ts'
import { guardApi } from '#server/http/api-guard.ts'
import { AppError } from '#server/http/app-error.ts'
import { auditActor, type Caller } from '#server/http/caller.ts'
import { composeDossier, type DossierDeps } from '../dossier/compose-dossier.ts'
import { exportEvidence } from '../file/export-evidence.ts'
import { findRecordsByCode } from '../find-records-by-code.ts'
import { summarizeConsent } from '../summarize-consent.ts'
import { exportCounts } from './export-counts.ts'
import { readConsentOverview } from './read-consent-overview.ts'
import { type DayRange, readDayRange } from './read-day-range.ts'

/** What is handed over by other rooms. */
export interface ConsentAdminPorts extends Pick<DossierDeps, 'describeVendor'> {
  /** The dossier as one file that is read and printed. */
  renderDossier: (dossier: Dossier) => string
}

interface ConsentAdminDeps extends ConsentAdminPorts, DossierDeps, AdminAccess {}

/** What people chose, and the proof of it, for administrators. */
export async function registerConsentAdmin(app: FastifyInstance, deps: ConsentAdminDeps): Promise<void> {
  const { db } = deps
  await app.register(async (scope) => {
    guardApi(scope, { origins: deps.origins })

    scope.get('/admin/api/consent', async (request): Promise<ConsentOverview> => {
      await requireAdministrator(deps, request)
      return readConsentOverview(db, readDayRange(request.query), deps.keptDays)
    })

    scope.get('/admin/api/consent/records', async (request): Promise<{ records: FoundRecord[] }> => {
      await requireAdministrator(deps, request)
      const { code } = request.query as { code?: unknown }
      const records = await findRecordsByCode(db, typeof code === 'string' ? code : '')
      if (records === null) throw new AppError(400, 'bad_request', 'Isto não é um código de recibo.')
      return { records }
    })

    scope.get('/admin/api/consent/export', async (request, reply) => {
      const caller = await requireAdministrator(deps, request)
      const range = readDayRange(request.query)
      const counts = await summarizeConsent(db, range)
      await recordAudit(db, { ...auditActor(caller), action: 'consent.export', after: range })
      return reply
        .type('text/csv; charset=utf-8')
        .header('cache-control', 'no-store')
        .send(exportCounts(counts))
    })

    scope.get('/admin/api/consent/records/export', async (request, reply) => {
      const caller = await requireAdministrator(deps, request)
      const range = readDayRange(request.query)
      await recordAudit(db, { ...auditActor(caller), action: 'consent.records_export', after: range })
      const lines = exportEvidence(db, {
        site: deps.site.siteUrl,
        from: new Date(startOfSiteDate(range.from)).toISOString(),
        to: new Date(nextSiteDay(startOfSiteDate(range.to))).toISOString(),
      })
      return reply
        .type('application/ld+json; charset=utf-8')
        .header('cache-control', 'no-store')
        .send(Readable.from(lines))
    })

    scope.get('/admin/api/consent/dossier', async (request, reply) => {
      const caller = await requireAdministrator(deps, request)
      const range = readDayRange(request.query)
      const { format } = request.query as { format?: unknown }
      if (format !== 'html' && format !== 'json')
        throw new AppError(400, 'bad_request', 'O formato precisa ser "html" ou "json".')
      const dossier = await make(caller, range)
      await recordAudit(db, { ...auditActor(caller), action: 'consent.dossier', after: { ...range, format } })
      // It is kept as a file: opened from here it would be a document of the dashboard's own origin.
      reply
        .header('cache-control', 'no-store')
        .header('content-disposition', `attachment; filename="dossie-${range.from}-a-${range.to}.${format}"`)
      return format === 'html'
        ? reply.type('text/html; charset=utf-8').send(deps.renderDossier(dossier))
        : reply.type('application/json; charset=utf-8').send(JSON.stringify(dossier, null, 2))
    })
  })

  const make = (caller: Caller, range: DayRange) => {
    const { actor } = auditActor(caller)
    return composeDossier(deps, range, ACTIVITY_ACTORS[actor] ?? actor)
  }
}
