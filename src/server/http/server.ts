import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { answerFrameworkError, type ErrorPages, registerErrors } from './errors.ts'
import type { RateCounter } from './limits/counter.ts'
import { BODY_BYTES } from './limits/limits.ts'
import { registerLoadShedding } from './limits/load.ts'
import type { Logger } from './logging/logger.ts'
import { passedRequestId, RequestLog } from './logging/requests.ts'
import { type ClassOf, type HostOf, registerHostRule, registerSecurityClasses } from './security/classes.ts'
import { adminPolicy, type Policy } from './security/content-security-policy.ts'
import { adminHeaders, otherHeaders, pageHeaders, registerSecurityHeaders } from './security/headers.ts'
import { ownOrigins } from './security/own-origins.ts'
import { toTrustProxy } from './sockets/addresses.ts'
import { type ConnectionLimits, defaultConnectionLimits } from './sockets/connections.ts'
import {
  createRawServer,
  type FastPath,
  refuseServiceWorkers,
  registerCallDeadline,
} from './sockets/raw-server.ts'
import type { Drain } from './sockets/shutdown.ts'

interface HttpParts {
  config: Config
  db: Db
  log: Logger
  /** Counts public calls. */
  counter: RateCounter
  hostOf: HostOf
  /** Answers from memory. */
  fastPath: FastPath
  /** Policy of a page without tags. */
  pagePolicy: Policy
  errorPages: ErrorPages
  connectionLimits: Partial<ConnectionLimits>
  drain: Drain
  /** Event loop delay above which calls are refused. */
  maxEventLoopDelayMs: number | undefined
  metrics: {
    countRefusal(limit: string): void
    countFastAnswer(status: number): void
    watchRequests(app: FastifyInstance, classOf: ClassOf): void
  } | null
  tracing: { watchRequests(app: FastifyInstance, options: { trustsProxy: boolean }): void } | null
}

/** The framework behind its sockets, with the rules for every response, and no route yet. */
export function composeHttp(parts: HttpParts): FastifyInstance {
  const { config, log, counter, hostOf, fastPath, drain, metrics, tracing } = parts
  const { hsts } = config
  const refuseWorkers = refuseServiceWorkers(otherHeaders(hsts))
  const trustsProxy = config.trustProxy !== false
  const requestLog = new RequestLog(log, { everything: config.logRequests, trustsProxy })
  const { onFastAnswer: logFastAnswer } = requestLog
  const app = Fastify({
    serverFactory: (handler) =>
      createRawServer({
        handler,
        fastPath: (request, response, target) =>
          refuseWorkers(request, response, target) || fastPath(request, response, target),
        defaultHeaders: otherHeaders(hsts),
        limits: { ...defaultConnectionLimits({ trustsProxy }), ...parts.connectionLimits },
        drain,
        onRefused: (request, status, reason) => {
          metrics?.countRefusal(reason)
          requestLog.onRefused(request, status, reason)
        },
        onDropped: () => {
          metrics?.countRefusal('connection dropped')
          requestLog.onDropped()
        },
        onFastAnswer: (request, status) => {
          metrics?.countFastAnswer(status)
          logFastAnswer?.(request, status)
        },
      }),
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: (request) => passedRequestId(request, trustsProxy) ?? crypto.randomUUID(),
    trustProxy: toTrustProxy(config.trustProxy),
    bodyLimit: BODY_BYTES.default,
    frameworkErrors: answerFrameworkError,
    // Its response would have none of our headers, and connected clients can still be served.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true },
  })
  tracing?.watchRequests(app, { trustsProxy })
  const classOf = registerSecurityClasses(app)
  registerHostRule(app, hostOf, classOf)
  registerSecurityHeaders(
    app,
    {
      admin: adminHeaders(adminPolicy(ownOrigins(config.dashboardUrl)), hsts),
      publicPage: pageHeaders(parts.pagePolicy, { hsts }),
      other: otherHeaders(hsts),
    },
    classOf,
  )
  requestLog.register(app)
  metrics?.watchRequests(app, classOf)
  registerErrors(app, parts.errorPages, classOf)
  registerLoadShedding(app, parts.maxEventLoopDelayMs)
  registerCallDeadline(app)
  app.addHook('onClose', () => counter.stop())
  return app
}
