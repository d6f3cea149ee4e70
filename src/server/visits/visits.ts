import type { FastifyInstance, FastifyRequest } from 'fastify'
import type * as z from 'zod/mini'
import { CLICKS_PATH, VIEWS_PATH } from '#contract/visit-paths.ts'
import { clickSchema, viewSchema } from '#contract/visits.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/errors.ts'
import { BODY_BYTES } from '../http/limits/limits.ts'
import { guardPublicPost, type PublicGuard } from '../http/limits/public.ts'
import type { Logger } from '../http/logging/logger.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { VisitCounter } from './counter.ts'
import { readVisits, registerVisitReport, type VisitReportDeps } from './report.ts'

interface VisitParts {
  config: Config
  db: Db
  secrets: Secrets
  log: Logger
  /** Whether visits of this path are counted. */
  isPage: (path: string) => boolean
  flushMs?: number
}

/** Visits and clicks of everybody: counted without cookies, and shown to administrators. */
export function composeVisits(parts: VisitParts) {
  const { config, db } = parts
  const counter = config.countsVisits ? new VisitCounter(parts) : null
  return {
    /** Null if visits are not counted. */
    onPageView: counter === null ? null : counter.addRequest.bind(counter),

    /** Resolves when everything counted so far is stored. */
    writeCounts: async () => counter?.flush(),

    registerAdmin: (scope: FastifyInstance, countSubscriptions: VisitReportDeps['countSubscriptions']) =>
      registerVisitReport(scope, { db, isOn: counter !== null, countSubscriptions }),

    /** What `GET /admin/api/visits` answers. */
    read: (query: Record<string, string>, countSubscriptions: VisitReportDeps['countSubscriptions']) =>
      readVisits({ db, isOn: counter !== null, countSubscriptions }, query),

    registerPublic: (scope: FastifyInstance, guard: PublicGuard): void => {
      registerCalls(scope, guard, counter)
      scope.addHook('onClose', async () => counter?.stop())
    },
  }
}

/** Clicks, and pages that were shown without a request: prerendered ones, and those that the browser had kept. */
function registerCalls(app: FastifyInstance, guard: PublicGuard, counter: VisitCounter | null): void {
  app.post(CLICKS_PATH, { bodyLimit: BODY_BYTES.visit }, async (request, reply) => {
    guardPublicPost(guard, request, 'click')
    const { name, ...arrival } = read(clickSchema, request)
    counter?.addCall(request, arrival, name)
    return reply.code(204).header('cache-control', 'no-store').send()
  })

  app.post(VIEWS_PATH, { bodyLimit: BODY_BYTES.visit }, async (request, reply) => {
    guardPublicPost(guard, request, 'view')
    counter?.addCall(request, read(viewSchema, request), null)
    return reply.code(204).header('cache-control', 'no-store').send()
  })
}

function read<Schema extends z.ZodMiniType>(schema: Schema, { body }: FastifyRequest): z.infer<Schema> {
  const parsed = schema.safeParse(body ?? {})
  if (!parsed.success) throw new AppError(400, 'bad_request', 'Not a click or a view')
  return parsed.data
}
