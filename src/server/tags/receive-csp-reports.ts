import type { FastifyInstance } from 'fastify'
import { CSP_REPORT_PATH } from '#contract/tag-report.ts'
import { neighbourhoodBlock } from '../http/address-block.ts'
import { AppError } from '../http/app-error.ts'
import { clientAddress } from '../http/client-address.ts'
import { guardPublicPost, type PublicGuard, storeWithin } from '../http/guard-public-post.ts'
import { attributeViolation } from './attribute-violation.ts'
import type { BlockedHostBuffer } from './blocked-host-buffer.ts'
import { isAllowed } from './is-allowed.ts'
import { blockedHostsOf } from './note-stopped.ts'
import { readViolation } from './read-violation.ts'
import type { TagStore } from './tag-store.ts'

const BODY_LIMIT_BYTES = 16_000

interface CspReportDeps {
  buffer: BlockedHostBuffer
  guard: PublicGuard
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
      guardPublicPost(deps.guard, request, 'csp-report')
      const violation = readViolation(request.body, deps.siteUrl, deps.ownHosts)
      // A report that is not worth keeping is answered like any other: whoever forges one learns nothing.
      // One about what the page allows by now comes from a page that was loaded before.
      if (violation !== null && !isAllowed(violation, deps.tags.current.sources)) {
        // Counts in memory, which cannot fail.
        await storeWithin(deps.guard, request, 'csp-report', async () => {})
        const owners = attributeViolation(violation, deps.tags.recent)
        for (const blocked of blockedHostsOf(violation, owners))
          deps.buffer.add(
            {
              ...blocked,
              // Browsers do not say which set their page ran.
              code_hash: deps.tags.isLongShown(blocked.pixel_id) ? blocked.code_hash : null,
              count: 1,
            },
            neighbourhoodBlock(clientAddress(request)),
          )
      }
      return reply.code(204).send()
    })
  })
}
