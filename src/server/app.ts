import { join } from 'node:path'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { CONSENT_TEXT_VERSION, EMAIL_TEXT_VERSION } from '#contract/consent-choice.ts'
import { VERSION } from '#contract/version.ts'
import { registerActivity } from './activity/register-activity.ts'
import { registerNotices } from './admin/admin-notices.ts'
import { registerAdminPage } from './admin/admin-page.ts'
import { createBoot } from './admin/make-boot.ts'
import { findProductionGaps } from './admin/production-gaps.ts'
import { registerAlerts } from './alerts/register-alerts.ts'
import { registerAccount } from './auth/account/register-account.ts'
import { createAuth } from './auth/create-auth.ts'
import { mailAdministrators } from './auth/mail/mail-administrators.ts'
import { createMailTransport } from './auth/mail/mail-transport.ts'
import { announcePrincipal } from './auth/principal/announce-principal.ts'
import { ensurePrincipal } from './auth/principal/ensure-principal.ts'
import { registerAuth } from './auth/register-auth.ts'
import type { Config } from './config.ts'
import { registerData } from './data/register-data.ts'
import type { Database } from './db/database.ts'
import type { SecretPort } from './db/secret-port.ts'
import { sweepAudit } from './db/sweep-audit.ts'
import { copyTestEvent } from './deliveries/copy-test-event.ts'
import { DeliveryWorker } from './deliveries/delivery-worker.ts'
import { describeStop } from './deliveries/describe-stop.ts'
import { mailLane } from './deliveries/mail/mail-lane.ts'
import { queueMail } from './deliveries/mail/queue-mail.ts'
import { measureDeliveries } from './deliveries/measure-deliveries.ts'
import { newsletterLane } from './deliveries/newsletter/newsletter-lane.ts'
import { OutgoingClient } from './deliveries/outgoing-client.ts'
import { pixelLanes } from './deliveries/pixels/pixel-lanes.ts'
import { registerDeliveryAdmin } from './deliveries/register-delivery-admin.ts'
import { DestinationList } from './events/destinations.ts'
import { isToldByEvent } from './events/is-told-by-event.ts'
import { registerEvents } from './events/register-events.ts'
import { rememberSignUp } from './events/remember-sign-up.ts'
import { withholdEvents } from './events/withhold-events.ts'
import { registerConsentAdmin } from './evidence/admin/register-consent-admin.ts'
import { ConsentPremises } from './evidence/consent-premises.ts'
import { registerEvidence } from './evidence/register-evidence.ts'
import { BuildManifest } from './http/build-manifest.ts'
import { type ConnectionLimits, defaultConnectionLimits } from './http/connection-limits.ts'
import { adminPolicy } from './http/content-security-policy.ts'
import { Drain } from './http/drain.ts'
import { answerFrameworkError, registerErrors } from './http/errors.ts'
import { registerHealth } from './http/health.ts'
import { HitCounter } from './http/hit-counter.ts'
import { createHostOf, registerHostRule } from './http/host-rule.ts'
import { registerLoadShedding } from './http/load-shedding.ts'
import type { Logger } from './http/logger.ts'
import { ownOrigins } from './http/own-origins.ts'
import { PublicLimits } from './http/public-limits.ts'
import { sweepRateLimits } from './http/rate-limit.ts'
import { createRawServer, type FastPath } from './http/raw-server.ts'
import { refuseServiceWorkers } from './http/refuse-service-workers.ts'
import { registerSecurityHeaders } from './http/register-security-headers.ts'
import { passedRequestId } from './http/request-id.ts'
import { RequestLog } from './http/request-log.ts'
import { inSecurityClass, registerSecurityClasses } from './http/security-class.ts'
import { adminHeaders, otherHeaders, pageHeaders } from './http/security-headers.ts'
import { loadStaticAssets, registerMissingAssets } from './http/static-assets.ts'
import { sweepRegularly } from './http/sweep-regularly.ts'
import { toTrustProxy } from './http/trust-proxy.ts'
import { listFileChanges } from './inventory/list-file-changes.ts'
import { registerInventory } from './inventory/register-inventory.ts'
import { ServedPageLog } from './inventory/served-page-log.ts'
import { CookiePolicyStore } from './landing/cookie-policy-store.ts'
import { createFastPath } from './landing/fast-path.ts'
import { PageStore, publicPagePolicy } from './landing/page-store.ts'
import { readPictures } from './landing/pictures.ts'
import { prepareEmailPages, preparePublicPages } from './landing/public-pages.ts'
import { loadRenderBundle, readDocumentAssets } from './landing/render-bundle.ts'
import type { Metrics } from './metrics/metrics.ts'
import { countSubscriptions } from './newsletter/count-subscriptions.ts'
import { measureQueue } from './newsletter/measure-queue.ts'
import { registerNewsletter } from './newsletter/register-newsletter.ts'
import { registerSubscriptions } from './newsletter/register-subscriptions.ts'
import { registerTagAdmin } from './tags/admin-routes.ts'
import { countHealth } from './tags/count-health.ts'
import { describeParties } from './tags/describe-parties.ts'
import { ownHosts } from './tags/own-hosts.ts'
import type { MeasureHead } from './tags/policy-budget.ts'
import { readOverview } from './tags/read-overview.ts'
import { registerTags } from './tags/register-tags.ts'
import { PixelReview } from './tags/review-pixels.ts'
import { createRoomRenderer } from './tags/rooms/create-room-renderer.ts'
import { readRoomScript } from './tags/rooms/read-room-script.ts'
import { TagCompiler } from './tags/tag-compiler.ts'
import { TagStore } from './tags/tag-store.ts'
import { registerTestAdmin } from './tags/testing/register-test-admin.ts'
import { SiteCounts } from './tags/today/site-counts.ts'
import { describeServedTags } from './tags/tools/describe-served-tags.ts'
import { describeTools } from './tags/tools/describe-tools.ts'
import { describeVendor } from './tags/tools/describe-vendor.ts'
import { vendorOfPixel } from './tags/vendor-sources.ts'
import type { Tracing } from './tracing/tracing.ts'

const BODY_LIMIT_BYTES = 1_000_000
/** A vendor's script has some hundred kilobytes. */
const VENDOR_FILE_BYTES = 4_000_000

export interface AppDeps {
  config: Config
  database: Database
  secrets: SecretPort
  log: Logger
  /** Where the build put its output. */
  distDir: string
  /** Tells the operator something that is shown once, such as the first password. */
  announce?: (text: string) => void
  /** How far the event loop may lag before calls are turned away. */
  maxEventLoopDelayMs?: number
  /** Counts the calls that anyone can make. */
  counter?: HitCounter
  connectionLimits?: Partial<ConnectionLimits>
  /** Begun when the process is told to stop. */
  drain?: Drain
  /** What `/metrics` tells; null when nobody asked for it. */
  metrics?: Metrics | null
  /** Where traces go; null when nobody asked for them. */
  tracing?: Tracing | null
}

/** Wiring only: every part is made here from its dependencies, and nothing is decided here. */
export async function buildApp({
  config,
  database,
  secrets,
  log,
  distDir,
  announce = () => {},
  maxEventLoopDelayMs,
  counter = new HitCounter(database.db, log),
  connectionLimits = {},
  drain = new Drain(0),
  metrics = null,
  tracing = null,
}: AppDeps): Promise<FastifyInstance> {
  const { hsts } = config
  const manifest = new BuildManifest(join(distDir, 'client'))
  const renderer = await loadRenderBundle(distDir)
  const documentAssets = readDocumentAssets(distDir, manifest)
  const pictures = readPictures(join(distDir, 'client'))
  const staticAssets = loadStaticAssets(join(distDir, 'client/assets'), otherHeaders(hsts))
  const publicPages = await preparePublicPages({
    config,
    renderer,
    documentAssets,
    pictures,
    staticAssets,
  })
  const emailPages = await prepareEmailPages({ config, renderer, documentAssets })
  const pages = new PageStore(config, renderer, documentAssets)
  const rooms = createRoomRenderer(readRoomScript(distDir), config)
  const cookiePolicy = new CookiePolicyStore({ config, renderer, documentAssets })
  const servedPages = new ServedPageLog(database.db, log)
  const budget = {
    ownHosts: ownHosts(config),
    measureHead: (policy: Parameters<MeasureHead>[0]) => pages.measureHead(policy),
    measureRoom: rooms.measure,
  }
  const premises = new ConsentPremises({
    db: database.db,
    log,
    notices: renderer.renderConsentNotices(),
    retentionDays: config.retention.consentDays,
  })
  const compiler = new TagCompiler()
  const tags = new TagStore({
    db: database.db,
    log,
    compiler,
    ...budget,
    headers: otherHeaders(hsts),
    renderRoom: rooms.render,
    swapPage: async (set, tagsVersion) => {
      await pages.compose(set)
      const tools = describeTools(set)
      const changed_at = await servedPages.note({
        tagsVersion,
        tagSetVersion: set.version ?? '',
        headersHash: pages.headersHash,
        tools,
        tags: describeServedTags(set),
      })
      await cookiePolicy.compose({ tools, changed_at })
    },
    noteSet: async (set) => {
      await premises.keepNotice(set.sendsEmail ? EMAIL_TEXT_VERSION : CONSENT_TEXT_VERSION)
      await premises.keepParties(describeParties(config.site, set))
    },
  })
  await tags.refresh()
  const limits = new PublicLimits({ counter, log, config })
  const guard = { limits, siteUrl: config.siteUrl }
  const sending = {
    db: database.db,
    secrets,
    client: new OutgoingClient(config.outgoing),
    siteUrl: config.siteUrl,
    graphVersion: config.outgoing.graphVersion,
  }
  const deliveries = new DeliveryWorker({
    db: database.db,
    log,
    sources: [
      pixelLanes({
        ...sending,
        log,
        onStopped: (pixel, stop) => mailAdministrators(auth.context, describeStop(pixel, stop)),
        onSettled: (kind, state) => metrics?.countDelivery(kind, state),
      }),
      newsletterLane({
        webhook: config.newsletter,
        client: sending.client,
        log,
        onSettled: (state) => metrics?.countDelivery('newsletter', state),
      }),
      mailLane({
        secrets,
        log,
        send: createMailTransport(config, log),
        onSettled: (state) => metrics?.countDelivery('mail', state),
      }),
    ],
  })
  const auth = await createAuth(config, database.db, secrets, log, limits, async (mail) => {
    await queueMail(sending, mail)
    deliveries.wake()
  })
  const principal = await ensurePrincipal(auth.context)
  if (principal !== null)
    announce(announcePrincipal(config.principal.email, principal, config.adminUrl ?? config.siteUrl))

  const forAdministrators = {
    db: database.db,
    identify: auth.identify,
    origins: ownOrigins(config.adminUrl ?? config.siteUrl),
  }

  const hostOf = createHostOf(config.adminUrl)
  const refuseWorkers = refuseServiceWorkers(otherHeaders(hsts))
  const servePrepared = createFastPath({
    pages,
    cookiePolicy,
    shared: staticAssets,
    site: {
      get: (path) => (tags.current.sendsEmail ? emailPages.get(path) : undefined) ?? publicPages.get(path),
    },
    tagFile: (path) => tags.file(path),
    hostOf,
  })
  const fastPath: FastPath = (request, response, target) =>
    refuseWorkers(request, response, target) || servePrepared(request, response, target)
  const trustsProxy = config.trustProxy !== false
  const requestLog = new RequestLog(log, { everything: config.logRequests, trustsProxy })
  const { onFastAnswer: logFastAnswer } = requestLog

  const app = Fastify({
    serverFactory: (handler) =>
      createRawServer({
        handler,
        fastPath,
        defaultHeaders: otherHeaders(hsts),
        limits: {
          ...defaultConnectionLimits({ trustsProxy }),
          ...connectionLimits,
        },
        drain,
        onRefused: (request, status, reason) => {
          metrics?.countRefusal(reason)
          requestLog.onRefused(request, status, reason)
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
    bodyLimit: BODY_LIMIT_BYTES,
    frameworkErrors: answerFrameworkError,
    // Its answer would carry none of our headers, and whoever is already connected may as well be served.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true },
  })
  tracing?.watchRequests(app, { trustsProxy })
  const classOf = registerSecurityClasses(app)
  registerHostRule(app, hostOf, classOf)
  registerSecurityHeaders(
    app,
    {
      admin: adminHeaders(adminPolicy(ownOrigins(config.adminUrl ?? config.siteUrl)), hsts),
      publicPage: pageHeaders(publicPagePolicy(config, documentAssets), { hsts }),
      other: otherHeaders(hsts),
    },
    classOf,
  )
  requestLog.register(app)
  metrics?.watchRequests(app, classOf)
  registerErrors(
    app,
    {
      404: renderer.renderErrorPage(config.site, documentAssets, 404),
      500: renderer.renderErrorPage(config.site, documentAssets, 500),
    },
    classOf,
  )
  registerLoadShedding(app, maxEventLoopDelayMs)
  sweepRegularly(app, 'rate limits', () => sweepRateLimits(database.db))
  sweepRegularly(app, 'old audit events', (signal) => sweepAudit(database.db, config.retention, signal))
  app.addHook('onClose', () => counter.stop())

  const destinations = new DestinationList(database.db)
  const files = new OutgoingClient({ ...config.outgoing, maxAnswerBytes: VENDOR_FILE_BYTES })
  const counts = new SiteCounts(database.db, log)
  await inSecurityClass(app, 'shared', async (scope) => {
    registerHealth(scope, database.db, drain)
    registerMissingAssets(scope)
    if (metrics === null || config.metrics === null) return
    metrics.watchState({
      readQueue: () => measureQueue(database.db),
      readDeliveries: () => measureDeliveries(database.db),
      readTagHealth: async () => countHealth(await readOverview({ db: database.db, tags, ...budget })),
      version: VERSION,
    })
    const { registerMetrics } = await import('./metrics/register-metrics.ts')
    registerMetrics(scope, metrics, { host: config.host, metrics: config.metrics })
  })
  await inSecurityClass(app, 'service', async (scope) => {
    await registerAuth(scope, auth.context)
    await registerAccount(scope, auth.context)
    await registerData(scope, {
      ...forAdministrators,
      accounts: auth.accounts,
      principalEmail: config.principal.email,
      secrets,
      pixels: {
        vendorOf: vendorOfPixel,
        review: () =>
          new PixelReview({
            compiler,
            ...budget,
            noteChange: (version, ids) => tags.noteChange(version, ids),
          }),
        afterChange: async () => {
          destinations.forget()
          await tags.refresh()
        },
      },
    })
    await registerNotices(scope, {
      ...forAdministrators,
      gaps: findProductionGaps(config),
    })
    await registerActivity(scope, {
      ...forAdministrators,
      retention: config.retention,
    })
    await registerAlerts(scope, {
      ...forAdministrators,
      log,
      adminUrl: config.adminUrl ?? config.siteUrl,
      canSend: config.mail.smtpUrl !== null,
      send: (to, letter) => auth.sendLetter(to, 'alert', letter),
      readOverview: () => readOverview({ db: database.db, tags, ...budget }),
      readFileChanges: () => listFileChanges(database.db),
    })
    await registerInventory(scope, {
      ...forAdministrators,
      log,
      nameVendor: (id) => describeVendor(id).name,
      fetchFile: config.outgoing.checksFiles ? (url, signal) => files.fetchFile(url, signal) : null,
      retention: config.retention,
    })
    await registerConsentAdmin(scope, {
      ...forAdministrators,
      site: config.site,
      keptDays: config.retention.consentDays,
      describeVendor,
      renderDossier: (dossier) => renderer.renderDossier(dossier),
    })
    await registerSubscriptions(scope, {
      ...forAdministrators,
      delivers: config.newsletter.webhookUrl !== null,
      onRequeued: () => deliveries.wake(),
    })
    await registerTagAdmin(scope, {
      ...forAdministrators,
      tags,
      compiler,
      ...budget,
      countSubscriptions: (spans) => countSubscriptions(database.db, spans),
    })
    await registerTestAdmin(scope, {
      ...forAdministrators,
      tags,
      siteUrl: config.siteUrl,
    })
    await registerDeliveryAdmin(scope, {
      ...forAdministrators,
      ...sending,
      retention: config.retention,
      wake: () => deliveries.wake(),
    })
  })
  await inSecurityClass(app, 'admin page', (scope) =>
    registerAdminPage(scope, {
      manifest,
      boot: createBoot({ config, anonKey: auth.anonKey, openSession: auth.bootSession }),
    }),
  )
  await inSecurityClass(app, 'other', (scope) => {
    registerEvents(scope, {
      db: database.db,
      guard,
      siteUrl: config.siteUrl,
      destinations,
      onStored: (name) => {
        // What the page tells us of is measured, whether or not it runs a tag that would tell us of it too.
        counts.add(name === 'page_view' ? 'told' : `conversion:${name}`)
        deliveries.wake()
      },
    })
    registerTags(scope, {
      db: database.db,
      databaseUrl: config.databaseUrl,
      retention: config.retention,
      tags,
      compiler,
      log,
      guard,
      siteUrl: config.siteUrl,
      ownHosts: ownHosts(config),
      counts,
      isToldByEvent: (cookieHeader) => isToldByEvent(destinations, cookieHeader),
      withhold: (choice) => withholdEvents(database.db, config.siteUrl.startsWith('https:'), choice),
      mailAdministrators: (news) => mailAdministrators(auth.context, news),
      copyTestEvent: (pixelId, event) => copyTestEvent(sending, pixelId, event),
      premisesOf: (textVersion, tagSetVersion) => premises.premisesOf(textVersion, tagSetVersion),
    })
    registerEvidence(scope, {
      db: database.db,
      log,
      guard,
      retention: config.retention,
      premises,
    })
  })
  await inSecurityClass(app, 'public page', (scope) =>
    registerNewsletter(scope, {
      db: database.db,
      guard,
      renderAnswer: (message) => renderer.renderNewsletterAnswer(config.site, documentAssets, message),
      onStored: () => deliveries.wake(),
      onSubscribed: (request, email) =>
        rememberSignUp({ db: database.db, destinations }, request.headers.cookie, email),
    }),
  )
  app.addHook('onReady', async () => {
    deliveries.start()
  })
  app.addHook('onClose', async () => {
    // What is still being written is queued first, and then leaves with the rest.
    await auth.context.mail.close()
    await deliveries.stop()
    await Promise.all([sending.client.close(), files.close()])
  })
  return app
}
