import type { FastifyInstance } from 'fastify'
import { CSP_REPORT_PATH } from '#contract/tag-report.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/app-error.ts'
import { attributeViolation } from './attribute-violation.ts'
import { noteBlockedHost } from './note-blocked-host.ts'
import { admitPublicCall } from './public-endpoint.ts'
import { readViolation } from './read-violation.ts'
import type { TagStore } from './tag-store.ts'

const LIMIT = { name: 'csp-report', perWindow: 60, windowMs: 60_000 }
const BODY_LIMIT_BYTES = 16_000

interface CspReportDeps {
  db: Db
  tags: TagStore
  siteUrl: string
  ownHosts: ReadonlySet<string>
}

/** What the page's policy stopped, so that an administrator may allow it. Only a host name is ever kept. */
export function registerCspReports(app: FastifyInstance, deps: CspReportDeps): void {
  app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/csp-report',
      { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
      (_request, body, done) => {
        try {
          done(null, JSON.parse(String(body)))
        } catch {
          done(new AppError(400, 'bad_request', 'Not a policy report'))
        }
      },
    )
    scope.post(CSP_REPORT_PATH, { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
      await admitPublicCall(deps.db, request, LIMIT)
      const violation = readViolation(request.body, deps.siteUrl, deps.ownHosts)
      // A report that is not worth keeping is answered like any other: whoever forges one learns nothing.
      if (violation !== null) {
        await noteBlockedHost(deps.db, violation.host, attributeViolation(violation, deps.tags.recent))
      }
      return reply.code(204).send()
    })
  })
}
