import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { ROOMS_PATH } from '#contract/isolated-frame.ts'
import { readTagsVersion, watchTagsVersion } from '../db/changes.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/app-error.ts'
import type { PublicGuard } from '../http/guard-public-post.ts'
import type { Logger } from '../http/logger.ts'
import { sendPrepared } from '../http/prepared-response.ts'
import { requestTarget } from '../http/request-target.ts'
import { sweepRegularly } from '../http/sweep-regularly.ts'
import { BlockedHostBuffer } from './blocked-host-buffer.ts'
import { type BreakerDeps, createBreaker } from './breaker/create-breaker.ts'
import { EvidenceBuffer } from './health/evidence-buffer.ts'
import { RefusalBuffer } from './ledger/refusal-buffer.ts'
import { registerCspReports } from './receive-csp-reports.ts'
import { type ReportDeps, registerTagReports } from './receive-reports.ts'
import { registerConsent } from './record-consent.ts'
import { ReportBuffer } from './report-buffer.ts'
import { sweepTagData, type TagRetention } from './sweep-tag-data.ts'
import type { TagCompiler } from './tag-compiler.ts'
import type { TagStore } from './tag-store.ts'
import { registerTagTests } from './testing/register-tag-tests.ts'
import type { CopyTestEvent } from './testing/test-deps.ts'

/** A file that nobody has is asked for by anybody, and each look is a query. */
const CATCH_UP_APART_MS = 100

type ConsentDeps = Parameters<typeof registerConsent>[1]

/** What is handed over by other rooms. */
export interface TagPorts
  extends Pick<BreakerDeps, 'mailAdministrators'>,
    Pick<ReportDeps, 'isToldByEvent'>,
    Pick<ConsentDeps, 'withhold' | 'premisesOf'> {
  guard: PublicGuard
  copyTestEvent: CopyTestEvent
}

interface TagDeps extends TagPorts, Pick<ReportDeps, 'counts'> {
  db: Db
  databaseUrl: string | null
  retention: TagRetention
  tags: TagStore
  compiler: TagCompiler
  log: Logger
  siteUrl: string
  ownHosts: ReadonlySet<string>
  flushMs: number
}

/** The public side of the tags, and what runs beside the requests for as long as the app does. */
export function registerTags(app: FastifyInstance, deps: TagDeps): void {
  const { db, tags, log, guard, counts, flushMs } = deps
  const buffer = new ReportBuffer(db, log, flushMs)
  const evidence = new EvidenceBuffer(db, log, flushMs)
  const breaker = createBreaker(deps)
  const takeRoom = () => guard.limits.reserve('blocked-host', null)
  const blockedHosts = new BlockedHostBuffer({ db, log, takeRoom, flushMs })
  const refusals = new RefusalBuffer({ db, tags, log, reports: buffer, counts, flushMs })
  registerConsent(app, { ...deps, refusals })
  registerTagReports(app, { ...deps, buffer, evidence, breaker, blocked: blockedHosts })
  registerCspReports(app, { ...deps, buffer: blockedHosts })
  registerTagTests(app, deps)

  // The fast path did not know this file. Another replica may have named it a moment before we hear of the change.
  const catchUp = togetherAndApart(async () => tags.refreshIfNotAt(await readTagsVersion(db)))
  for (const route of ['/tags/*', `${ROOMS_PATH}*`])
    app.get(route, async (request, reply) => {
      const { path } = requestTarget(request.raw)
      await catchUp()
      const file = tags.file(path)
      if (file === undefined) throw new AppError(404, 'not_found', 'Not found')
      reply.hijack()
      sendPrepared(request.raw, reply.raw, file)
    })

  const watch = watchTagsVersion({
    db,
    databaseUrl: deps.databaseUrl,
    onProblem: (error) => log.warn({ err: error }, 'changes of the tags could not be watched for a moment'),
    onVersion: (version) => tags.refreshIfNotAt(version),
  })
  app.addHook('onListen', async () => tags.startRecompiling())
  sweepRegularly(app, 'old tag reports', (signal) => sweepTagData(db, deps.retention, signal))
  app.addHook('onClose', async () => {
    await watch.stop()
    await breaker.stop()
    await Promise.all([tags.stop(), deps.compiler.close()])
    // First: what it counts goes into the others.
    await refusals.stop()
    await buffer.stop()
    await counts.stop()
    await evidence.stop()
    await blockedHosts.stop()
  })
}

/** However many ask, the work begins so many times a second, and for everyone after they asked. */
function togetherAndApart(work: () => Promise<void>): () => Promise<void> {
  let begunAt = Number.NEGATIVE_INFINITY
  let next: Promise<void> | null = null
  const begin = async () => {
    await sleep(Math.max(0, begunAt + CATCH_UP_APART_MS - performance.now()))
    next = null
    begunAt = performance.now()
    await work()
  }
  return () => {
    next ??= begin()
    return next
  }
}
