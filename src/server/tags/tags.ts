import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { EvidencePartiesContent } from '#contract/consent.ts'
import { CONSENT_TEXT_VERSION, EMAIL_TEXT_VERSION } from '#contract/consent-choice.ts'
import { FRAMES_PATH } from '#contract/isolated-frame.ts'
import type { Config } from '../config.ts'
import { registerConsent } from '../consent/choice.ts'
import { ChoiceCounts } from '../consent/choice-counts.ts'
import type { Db } from '../db/database.ts'
import { sweepRegularly } from '../db/sweep.ts'
import { AppError } from '../http/errors.ts'
import type { PublicGuard } from '../http/limits/public.ts'
import type { Logger } from '../http/logging/logger.ts'
import { otherHeaders } from '../http/security/headers.ts'
import { ownHosts } from '../http/security/own-origins.ts'
import { requestTarget } from '../http/sockets/raw-server.ts'
import { type CompressText, sendPrepared } from '../http/static/responses.ts'
import { type Stats, sweepCounts } from '../stats/counts.ts'
import { sweepOlderCounts } from '../stats/older-counts.ts'
import { registerTagAdmin } from './admin-routes.ts'
import { TagCompiler } from './compile/compiler.ts'
import { PixelReview } from './compile/review-pixels.ts'
import { type BreakerDeps, createBreaker } from './health/breaker.ts'
import { LastSeen } from './health/last-seen.ts'
import { countHealth, readOverview } from './health/overview.ts'
import type { TodayDeps } from './health/today.ts'
import { BlockedHostBuffer } from './hosts/blocked-hosts.ts'
import type { MeasureHead } from './hosts/budget.ts'
import { registerCspReports } from './hosts/violations.ts'
import { describeTools } from './serve/active-tools.ts'
import { createFrameRenderer, readFrameScript } from './serve/isolated-frame.ts'
import { describeRecipients, describeServedTags } from './serve/recipients.ts'
import type { TagSet } from './serve/tag-set.ts'
import { TagStore } from './serve/tag-store.ts'
import { readTagsVersion, watchTagsVersion } from './serve/tag-version.ts'
import { type ReportDeps, registerTagReports } from './tag-report.ts'
import { registerTestAdmin } from './test-visits/admin-routes.ts'
import { type CopyTestEvent, registerTagTests } from './test-visits/page-routes.ts'

interface TagParts {
  config: Config
  db: Db
  log: Logger
  stats: Stats
  distDir: string
  flushMs: number
  compressPage: CompressText
  measureHead: MeasureHead
  /** Told of every set before a page shows it: the words in which it asks, and who is behind it. */
  keepPremises: (textVersion: number, parties: EvidencePartiesContent) => Promise<void>
  /** Puts the set on the page; when it resolves, the next request gets the new one. */
  swapPage: (set: TagSet, served: ReturnType<typeof describeServedSet>) => Promise<void>
}

/** The tags that run on the page: kept in memory as they are stored, compiled, counted, and looked after. */
export function composeTags({
  config,
  db,
  log,
  stats,
  distDir,
  flushMs,
  compressPage,
  measureHead,
  keepPremises,
  swapPage,
}: TagParts) {
  const { siteUrl, hsts, site, retention } = config
  const rooms = createFrameRenderer(readFrameScript(distDir), config)
  const budget = { ownHosts: ownHosts(config), measureHead, measureRoom: rooms.measure }
  const compiler = new TagCompiler()
  const store = new TagStore({
    db,
    log,
    compiler,
    ...budget,
    headers: otherHeaders(hsts),
    compressFile: compressPage,
    renderRoom: rooms.render,
    swapPage: (set, tagsVersion) => swapPage(set, describeServedSet(set, tagsVersion)),
    noteSet: (set) =>
      keepPremises(set.sendsEmail ? EMAIL_TEXT_VERSION : CONSENT_TEXT_VERSION, describeRecipients(site, set)),
  })
  const overview = () => readOverview({ db, tags: store, ...budget })
  return {
    store,
    readOverview: overview,
    isInHtml: (pixelId: string) => (store.prepared.get(pixelId)?.compiled.head.length ?? 0) > 0,
    readHealth: async () => countHealth(await overview()),

    /** What every write of pixels goes through, whoever makes it. */
    pixels: {
      review: () =>
        new PixelReview({
          compiler,
          ...budget,
          noteChange: (version, ids) => store.noteChange(version, ids),
        }),
    },

    registerAdmin: (scope: FastifyInstance, ports: Omit<TodayDeps, 'db'>): void => {
      registerTagAdmin(scope, { ...ports, ...budget, db, tags: store, compiler })
      registerTestAdmin(scope, { db, tags: store, siteUrl })
    },

    registerPublic: (scope: FastifyInstance, ports: TagPorts): void =>
      registerTags(scope, {
        ...ports,
        db,
        log,
        retention,
        tags: store,
        compiler,
        stats,
        siteUrl,
        ownHosts: budget.ownHosts,
        flushMs,
      }),
  }
}

/** What is written down of a set that is put on the page. */
function describeServedSet(set: TagSet, tagsVersion: number) {
  return {
    tagsVersion,
    tagSetVersion: set.version ?? '',
    tools: describeTools(set),
    tags: describeServedTags(set),
  }
}

/** A file that nobody has is asked for by anybody, and each look is a query. */
const CATCH_UP_APART_MS = 100

type ConsentDeps = Parameters<typeof registerConsent>[1]

/** What is handed over by other rooms. */
interface TagPorts
  extends Pick<BreakerDeps, 'mailAdministrators'>,
    Pick<ReportDeps, 'isToldByEvent'>,
    Pick<ConsentDeps, 'withhold' | 'premisesOf'> {
  guard: PublicGuard
  copyTestEvent: CopyTestEvent
}

interface TagDeps extends TagPorts {
  db: Db
  stats: Stats
  retention: { readonly reportDays: number }
  tags: TagStore
  compiler: TagCompiler
  log: Logger
  siteUrl: string
  ownHosts: ReadonlySet<string>
  flushMs: number
}

/** The public side of the tags, and what runs beside the requests for as long as the app does. */
function registerTags(app: FastifyInstance, deps: TagDeps): void {
  const { db, tags, log, guard, stats, retention, flushMs } = deps
  const lastSeen = new LastSeen(db, log, flushMs)
  const breaker = createBreaker(deps)
  const takeRoom = () => guard.limits.reserve('blocked-host', null)
  const blockedHosts = new BlockedHostBuffer({ db, log, takeRoom, flushMs })
  const refusals = new ChoiceCounts({ db, tags, log, stats, flushMs })
  registerConsent(app, { ...deps, refusals })
  registerTagReports(app, { ...deps, lastSeen, breaker, blocked: blockedHosts })
  registerCspReports(app, { ...deps, buffer: blockedHosts })
  registerTagTests(app, deps)

  // The fast path did not know this file. Another replica may have named it a moment before we hear of the change.
  const catchUp = togetherAndApart(async () => tags.refreshIfNotAt(await readTagsVersion(db)))
  for (const route of ['/tags/*', `${FRAMES_PATH}*`])
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
    onProblem: (error) => log.warn({ err: error }, 'changes of the tags could not be watched for a moment'),
    onVersion: (version) => tags.refreshIfNotAt(version),
  })
  app.addHook('onListen', async () => tags.startRecompiling())
  sweepRegularly(app, 'counts of visits and conversions', (signal) => sweepCounts(db, retention, signal))
  sweepRegularly(app, 'counts of the release before', (signal) => sweepOlderCounts(db, retention, signal))
  app.addHook('onClose', async () => {
    await watch.stop()
    // While the page can still be without a tag that its last visits speak against.
    await stats.flush()
    await Promise.all([tags.stop(), deps.compiler.close()])
    // First: what it counts goes into the other.
    await refusals.stop()
    await Promise.all([stats.stop(), lastSeen.stop(), blockedHosts.stop()])
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
