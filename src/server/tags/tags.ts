import type { FastifyInstance } from 'fastify'
import type { RecipientsContent } from '#contract/consent.ts'
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
import type { BudgetOptions, MeasureHead } from './hosts/budget.ts'
import { registerCspReports } from './hosts/violations.ts'
import { describeTools } from './serve/active-tools.ts'
import { createFrameRenderer, readFrameScript } from './serve/isolated-frame.ts'
import { describeRecipients, describeServedTags } from './serve/recipients.ts'
import type { TagSet } from './serve/tag-set.ts'
import { TagStore } from './serve/tag-store.ts'
import { watchTagsVersion } from './serve/tag-version.ts'
import { registerTagReports } from './tag-report.ts'
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
  /** Stores the wording and the recipients of every set before a page shows it. */
  keepConsentNotice: (textVersion: number, recipients: RecipientsContent) => Promise<void>
  /** Puts the set on the page; resolves when the next request gets it. */
  swapPage: (set: TagSet, served: ReturnType<typeof describeServedSet>) => Promise<void>
}

/** The tags on the page: stored, compiled, served, counted and watched. */
export function composeTags({
  config,
  db,
  log,
  stats,
  distDir,
  flushMs,
  compressPage,
  measureHead,
  keepConsentNotice,
  swapPage,
}: TagParts) {
  const { siteUrl, hsts, site, retention } = config
  const frames = createFrameRenderer(readFrameScript(distDir), config)
  const budget: BudgetOptions = { ownHosts: ownHosts(config), measureHead, measureFrame: frames.measure }
  const compiler = new TagCompiler()
  const store = new TagStore({
    db,
    log,
    compiler,
    ...budget,
    headers: otherHeaders(hsts),
    compressFile: compressPage,
    renderFrame: frames.render,
    swapPage: (set, tagsVersion) => swapPage(set, describeServedSet(set, tagsVersion)),
    noteSet: (set) => keepConsentNotice(set.textVersion, describeRecipients(site, set)),
  })
  const overview = () => readOverview({ db, tags: store, ...budget })
  let writeCounts = () => stats.flush()
  return {
    store,
    /** Writes counts in memory without waiting for the timer. */
    writeCounts: () => writeCounts(),
    readOverview: overview,
    isInHtml: (pixelId: string) => (store.prepared.get(pixelId)?.compiled.head.length ?? 0) > 0,
    readHealth: async () => countHealth(await overview()),

    /** Every write of pixels passes through this. */
    pixels: {
      review: () => new PixelReview({ compiler, ...budget }),
    },

    registerAdmin: (scope: FastifyInstance, ports: Omit<TodayDeps, 'db'>): void => {
      registerTagAdmin(scope, { ...ports, ...budget, db, tags: store, compiler })
      registerTestAdmin(scope, { db, tags: store, siteUrl })
    },

    registerPublic: (scope: FastifyInstance, ports: TagPorts): void => {
      writeCounts = registerTags(scope, {
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
      })
    },
  }
}

/** What the inventory records of a set. */
function describeServedSet(set: TagSet, tagsVersion: number) {
  return {
    tagsVersion,
    tagSetVersion: set.version ?? '',
    tools: describeTools(set),
    tags: describeServedTags(set),
  }
}

/** What a file or frame of a set can be called; anything else does not exist. */
const FILE_NAME = /^\/(?:tags\/[\w-]{16}\.js$|isolado\/[\w-]{16}\/)/

type ConsentDeps = Parameters<typeof registerConsent>[1]

/** Functions that other modules supply. */
interface TagPorts
  extends Pick<BreakerDeps, 'mailAdministrators'>,
    Pick<ConsentDeps, 'withhold' | 'noticeOf'> {
  guard: PublicGuard
  copyTestEvent: CopyTestEvent
}

interface TagDeps extends TagPorts {
  db: Db
  stats: Stats
  retention: { readonly reportDays: number; readonly visitDays: number }
  tags: TagStore
  compiler: TagCompiler
  log: Logger
  siteUrl: string
  ownHosts: ReadonlySet<string>
  flushMs: number
}

/** Public routes of the tags, and their background work. Returns the writer of its counts. */
function registerTags(app: FastifyInstance, deps: TagDeps): () => Promise<void> {
  const { db, tags, log, guard, stats, retention, flushMs } = deps
  const lastSeen = new LastSeen(db, log, flushMs)
  const breaker = createBreaker(deps)
  const takeFromCeiling = () => guard.limits.reserve('blocked-host', null)
  const blockedHosts = new BlockedHostBuffer({ db, log, takeFromCeiling, flushMs })
  const refusals = new ChoiceCounts({ db, tags, log, stats, flushMs })
  registerConsent(app, { ...deps, refusals })
  registerTagReports(app, { ...deps, lastSeen, breaker, blocked: blockedHosts })
  registerCspReports(app, { ...deps, buffer: blockedHosts })
  registerTagTests(app, deps)

  const watch = watchTagsVersion({
    db,
    onProblem: (error) => log.warn({ err: error }, 'tags version not read, will retry'),
    onVersion: (version) => tags.refreshIfNotAt(version),
  })
  for (const route of ['/tags/*', `${FRAMES_PATH}*`])
    app.get(route, async (request, reply) => {
      const { path } = requestTarget(request.raw)
      // Another process may have named it before this one saw the change. Anybody can request unknown files: they wait
      // for the next regular look, so that they cost no statement.
      if (FILE_NAME.test(path)) await watch.nextLook()
      const file = tags.file(path)
      if (file === undefined) throw new AppError(404, 'not_found', 'Not found')
      reply.hijack()
      sendPrepared(request.raw, reply.raw, file)
    })

  app.addHook('onListen', async () => tags.startRecompiling())
  sweepRegularly(app, 'counts of visits and conversions', (signal) => sweepCounts(db, retention, signal))
  sweepRegularly(app, 'counts of the release before', (signal) => sweepOlderCounts(db, retention, signal))
  app.addHook('onClose', async () => {
    await watch.stop()
    // Before closing: the last counts may still pause a tag.
    await stats.flush()
    await Promise.all([tags.stop(), deps.compiler.close()])
    // First: its counts go into the other buffer.
    await refusals.stop()
    await Promise.all([stats.stop(), lastSeen.stop(), blockedHosts.stop()])
  })
  return async () => {
    // First: its counts go into `stats`.
    await refusals.flush()
    await Promise.all([lastSeen.flush(), blockedHosts.flush()])
  }
}
