import type { FastifyInstance } from 'fastify'
import type { InstallationProblem } from '#contract/admin-page.ts'
import type { RecipientsContent } from '#contract/consent.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import { registerActivity } from './activity/admin-routes.ts'
import { composeDashboard } from './admin/page.ts'
import { registerAlerts } from './alerts/alerts.ts'
import { chatChannel } from './alerts/chat.ts'
import { registerUnsubscribe } from './alerts/unsubscribe.ts'
import { adminUsers } from './auth/accounts/admin-users.ts'
import { composeAuth } from './auth/auth.ts'
import { HASH_COST, type HashCost } from './auth/passwords/passwords.ts'
import { LOGIN_IDLE_MS } from './auth/sessions/cookies.ts'
import { SESSION_IDLE_MS } from './auth/sessions/revoke.ts'
import type { Config } from './config.ts'
import { type ConsentAdminPorts, registerConsentAdmin } from './consent/admin-routes.ts'
import { ConsentNotices, type NoticeWords } from './consent/notice.ts'
import { registerConsentProof } from './consent/public-routes.ts'
import { registerDeliveryAdmin } from './conversions/admin-routes.ts'
import { conversionChannel } from './conversions/channel.ts'
import { confirmationChannel } from './conversions/confirmations.ts'
import { describeStop, measureDeliveries } from './conversions/delivery-results.ts'
import { CONSENT_TEXTS, emailSharingOf } from './conversions/destinations/destinations.ts'
import { type EventDeps, registerEvents } from './conversions/post-event.ts'
import { rememberSignUp, SIGN_UP_HASH_MS } from './conversions/sign-up-email.ts'
import { ServerPixelList } from './conversions/targets.ts'
import { copyTestEvent, type TestEvent } from './conversions/test-event.ts'
import { type Withdrawal, withholdEvents } from './conversions/withdraw.ts'
import { registerData } from './data/data-service.ts'
import { type Database, type Db, whenReachable } from './db/database.ts'
import { retention } from './db/retention.ts'
import { runSweeps, sweepRegularly } from './db/sweep.ts'
import { FLUSH_MS } from './db/transactions/flush.ts'
import { GUESSES_KEPT_MS, RateCounter } from './http/limits/counter.ts'
import { type PublicGuard, PublicLimits } from './http/limits/public.ts'
import type { Logger } from './http/logging/logger.ts'
import { OutgoingClient } from './http/outgoing.ts'
import { registerAdminApi } from './http/security/administrators.ts'
import { createHostOf, inSecurityClass } from './http/security/classes.ts'
import { ownHosts } from './http/security/own-origins.ts'
import { composeHttp } from './http/server.ts'
import type { ConnectionLimits } from './http/sockets/connections.ts'
import { Drain } from './http/sockets/shutdown.ts'
import { registerMissingAssets } from './http/static/assets.ts'
import { type CompressText, compressText } from './http/static/responses.ts'
import { type InventoryPorts, registerInventory } from './inventory/admin-routes.ts'
import { type ServedPage, ServedPageLog } from './inventory/served-page.ts'
import { listFileChanges } from './inventory/vendor-files.ts'
import { composeSite } from './landing/site.ts'
import { mailChannel } from './mail/channel.ts'
import { createMailTransport, removeOldMailFiles, type SendMail } from './mail/transport.ts'
import { registerSubscriptions } from './newsletter/admin-routes.ts'
import { type NewsletterDeps, registerNewsletter } from './newsletter/subscribe.ts'
import { countSubscriptions, measureQueue } from './newsletter/subscriptions.ts'
import { newsletterChannel } from './newsletter/webhook.ts'
import { composeMetrics, registerHealth } from './operations/health.ts'
import type { Metrics } from './operations/metrics.ts'
import { listReachedCeilings } from './operations/production-gaps.ts'
import type { Tracing } from './operations/tracing.ts'
import type { Channel } from './outbox/channel.ts'
import { OutboxWorker } from './outbox/worker.ts'
import { composeOutcomes } from './outcomes/outcomes.ts'
import { registerVisitCodes, withdrawVisits } from './outcomes/visit-codes.ts'
import { registerPixelVersions } from './pixels/history.ts'
import { trackingPixels } from './pixels/tracking-pixels.ts'
import type { Secrets } from './secrets/secrets.ts'
import { type Count, drawShard, Stats } from './stats/counts.ts'
import { EMPTY_TAG_SET, type TagSet } from './tags/serve/tag-set.ts'
import { composeTags } from './tags/tags.ts'
import { describeVendor } from './vendors/marks.ts'
import type { PageRequest } from './visits/counter.ts'
import { composeVisits } from './visits/visits.ts'

export interface AppDeps {
  config: Config
  database: Database
  secrets: Secrets
  log: Logger
  /** Output folder of the build. */
  distDir: string
  /** Shows something to the operator once, such as the first password. */
  announce?: (text: string) => void
  /** Event loop delay above which calls are refused. */
  maxEventLoopDelayMs?: number
  /** Counts public calls. */
  counter?: RateCounter
  connectionLimits?: Partial<ConnectionLimits>
  /** How often counts in memory are written. */
  flushMs?: number
  /** Cost of hashing a password. */
  hashCost?: HashCost
  /** Compresses what is rendered: pages before they are first served, changed pages and tag files afterwards. */
  compressPage?: CompressText
  /** Begins when the process gets a stop signal. */
  drain?: Drain
  /** Null if `/metrics` is not configured. */
  metrics?: Metrics | null
  /** Null if tracing is not configured. */
  tracing?: Tracing | null
  /** What the last check of the SQLite file found. */
  fileDamage?: () => InstallationProblem | null
  /** The data is invented: the dashboard says so, and nothing leaves the machine. */
  demonstration?: Demonstration | null
}

/** Replaces external servers, and simulates the past with a manual clock. */
interface Demonstration {
  /** Answers for vendors and webhooks. */
  client: OutgoingClient
  sendMail: SendMail
  /** Receives what a timer would start. */
  onBuilt: (steps: DemonstrationSteps) => void
  /** True while the past is simulated: only the steps write counts and send deliveries. */
  isPast: boolean
  /** False for counts that nobody reads before they are deleted. */
  isRead?: (count: Count) => boolean
}

export interface DemonstrationSteps {
  /** The tags of the page now. */
  tagSet: () => TagSet
  /** Counts a view of a page as its request does. */
  addView: (request: PageRequest, page: `/${string}`, query: string | null) => void
  readOverview: () => Promise<TagOverview>
  writeCounts: () => Promise<void>
  /** Sends what is due, of all lanes or of one. */
  deliver: (lane?: string) => Promise<void>
}

/** Wiring only: each module composes itself and gets what it needs from the others here. */
export async function buildApp({
  config,
  database: { db },
  secrets,
  log,
  distDir,
  announce = () => {},
  maxEventLoopDelayMs,
  flushMs = FLUSH_MS,
  hashCost = HASH_COST,
  compressPage = compressText,
  counter = new RateCounter(db, log, { flushMs }),
  connectionLimits = {},
  drain = new Drain(0),
  metrics = null,
  tracing = null,
  fileDamage = () => null,
  demonstration = null,
}: AppDeps): Promise<FastifyInstance> {
  const { siteUrl } = config
  const deps = { config, db, secrets, log }
  const site = await composeSite(config, distDir, compressPage)
  const { renderer } = site
  const inventory = composeInventory(deps)
  // A database that becomes slow or full during the start is waited for.
  const reached = <T>(work: () => Promise<T>) => whenReachable(work, log)
  await reached(() => drawShard(db))
  const stats = new Stats(db, log, { flushMs, isRead: demonstration?.isRead })
  const serverPixels = new ServerPixelList(db)
  const outcomes = composeOutcomes({ ...deps, stats, pixels: serverPixels })
  const visits = composeVisits({ ...deps, isPage: site.isPage, flushMs })
  const consentProof = composeConsentProof({
    ...deps,
    notices: CONSENT_TEXTS.map((version) => renderer.renderConsentNotice(version, emailSharingOf(version))),
  })
  const tags = composeTags({
    ...deps,
    stats,
    distDir,
    flushMs,
    compressPage,
    measureHead: site.measureHead,
    keepConsentNotice: consentProof.keepConsentNotice,
    swapPage: (set, served) =>
      site.swap(demonstration === null ? set : { ...set, ...CLOSED_POLICY }, served.tools, (headersHash) =>
        inventory.noteServedPage({ ...served, headersHash }),
      ),
  })
  await reached(() => tags.store.refresh())

  const limits = new PublicLimits({
    counter,
    log,
    config,
    onTurnedAway: (what, at) => stats.add({ series: 'site', key: `ceiling:${what}`, at }),
  })
  const guard = { limits, siteUrl }
  const deliveries = composeDeliveries({
    ...deps,
    sendMail: demonstration?.sendMail ?? createMailTransport(config, log),
    standIn: demonstration?.client ?? null,
    mailAdministrators: (trx, news) => auth.mailAdministrators(trx, news),
    onSettled: (kind, state) => metrics?.countDelivery(kind, state),
  })
  const auth = await reached(() =>
    composeAuth({ ...deps, limits, hashCost, wakeOutbox: deliveries.wake, announce }),
  )
  deliveries.register(auth.mailChannel)
  const events = composeEvents({ ...deps, pixels: serverPixels })
  const dashboard = composeDashboard(config, site.manifest, {
    listReachedCeilings: () => listReachedCeilings(db, config),
    isDemonstration: demonstration !== null,
  })
  const newsletter = composeNewsletter({ ...deps, wake: deliveries.wake })

  const hostOf = createHostOf(config.adminUrl)
  const app = composeHttp({
    ...deps,
    counter,
    hostOf,
    fastPath: site.createFastPath({
      hostOf,
      textVersion: () => tags.store.current.textVersion,
      tagFile: (path) => tags.store.file(path),
      onPageView: visits.onPageView,
    }),
    pagePolicy: site.policy,
    errorPages: site.errorPages,
    connectionLimits,
    drain,
    maxEventLoopDelayMs,
    metrics,
    tracing,
  })
  const stopWatching = site.watchContent(log)
  app.addHook('onClose', async () => stopWatching())
  runSweeps(app, db, {
    rows: retention({
      ...config.retention,
      loginIdleMs: LOGIN_IDLE_MS,
      sessionIdleMs: SESSION_IDLE_MS,
      rateLimitMs: GUESSES_KEPT_MS,
      signUpHashMs: SIGN_UP_HASH_MS,
    }),
  })
  sweepRegularly(app, 'mails in DATA_DIR/outbox', (signal) => removeOldMailFiles(config.dataDir, signal))

  await inSecurityClass(app, 'shared', async (scope) => {
    registerHealth(scope, db, drain)
    registerMissingAssets(scope)
    await composeMetrics(scope, metrics, config, {
      readQueue: newsletter.measureQueue,
      readDeliveries: deliveries.measure,
      readTagHealth: tags.readHealth,
    })
  })
  await inSecurityClass(app, 'service', async (scope) => {
    await auth.registerService(scope)
    const pixels = trackingPixels(
      {
        ...tags.pixels,
        afterChange: async () => {
          events.forgetDestinations()
          await tags.store.refresh()
        },
      },
      secrets,
    )
    const service = await registerData(scope, {
      db,
      ...auth.access,
      resources: [pixels, adminUsers(auth.accounts, config.principal.email)],
    })
    await registerAdminApi(scope, auth.access, [
      auth.registerOwnAccount,
      (api) => registerPixelVersions(api, { service, pixels }),
      (api) => dashboard.registerAdmin(api, { db, fileDamage }),
      (api) => registerActivity(api, { db, retention: config.retention }),
      (api) =>
        registerAlerts(api, {
          db,
          log,
          adminUrl: config.dashboardUrl,
          canSend: config.mail.smtpUrl !== null,
          secrets,
          brandName: config.site.brandName,
          client: deliveries.client,
          wakeOutbox: deliveries.wake,
          summary: {
            siteUrl,
            readVisits: (from, to) =>
              visits.read({ from, to, by: 'campaign' }, newsletter.countSubscriptions),
          },
          readOverview: tags.readOverview,
          readFileChanges: inventory.listFileChanges,
        }),
      (api) =>
        inventory.registerAdmin(api, {
          nameVendor: (id) => describeVendor(id).name,
          isInHtml: tags.isInHtml,
          fetchFile: deliveries.fetchVendorFile,
        }),
      (api) =>
        consentProof.registerAdmin(api, {
          describeVendor,
          renderDossier: (dossier) => renderer.renderDossier(dossier),
        }),
      (api) => newsletter.registerAdmin(api),
      (api) => visits.registerAdmin(api, newsletter.countSubscriptions),
      (api) => outcomes.registerAdmin(api),
      (api) =>
        tags.registerAdmin(api, {
          countsVisits: config.countsVisits,
          countSubscriptions: newsletter.countSubscriptions,
        }),
      (api) => deliveries.registerAdmin(api),
    ])
  })
  await inSecurityClass(app, 'admin page', (scope) =>
    dashboard.registerPage(scope, { anonKey: auth.anonKey, openSession: auth.bootSession }),
  )
  await inSecurityClass(app, 'other', (scope) => {
    events.registerPublic(scope, {
      guard,
      onStored: deliveries.wake,
    })
    tags.registerPublic(scope, {
      guard,
      withhold: async (choice) => {
        await withdrawVisits(db, choice)
        return events.withhold(choice)
      },
      mailAdministrators: auth.mailAdministrators,
      copyTestEvent: deliveries.copyTestEvent,
      noticeOf: consentProof.noticeOf,
    })
    consentProof.registerPublic(scope, guard)
    visits.registerPublic(scope, guard)
    outcomes.registerPublic(scope, guard)
    registerVisitCodes(scope, { db, guard, ownHosts: ownHosts(config) })
  })
  await inSecurityClass(app, 'public page', (scope) => {
    registerUnsubscribe(scope, { db, limits, renderPage: site.renderSummaryPage })
    newsletter.registerPublic(scope, {
      guard,
      renderAnswer: (message) => site.renderNewsletterAnswer(message, tags.store.current.textVersion),
      onSubscribed: (request, email) => events.rememberSignUp(request.headers.cookie, email),
    })
  })
  deliveries.runWith(app, { isStarted: demonstration?.isPast !== true })
  demonstration?.onBuilt({
    tagSet: () => tags.store.current,
    readOverview: tags.readOverview,
    addView: (request, page, query) => visits.onPageView?.(request, page, query),
    writeCounts: async () => {
      await tags.writeCounts()
      await visits.writeCounts()
    },
    deliver: deliveries.deliverDue,
  })
  return app
}

/** In a demo the page lists its tags, but its policy blocks their requests. */
const CLOSED_POLICY = {
  sources: EMPTY_TAG_SET.sources,
  trustsContainer: EMPTY_TAG_SET.trustsContainer,
  hasFrames: EMPTY_TAG_SET.hasFrames,
}

/** A vendor's script has some hundred kilobytes. */
const VENDOR_FILE_BYTES = 4_000_000

interface DeliveryParts {
  config: Config
  db: Db
  secrets: Secrets
  log: Logger
  sendMail: SendMail
  /** Answers in place of all external servers. */
  standIn: OutgoingClient | null
  mailAdministrators: (trx: Db, news: ReturnType<typeof describeStop>) => Promise<void>
  /** Called with the result of each attempt. */
  onSettled: (kind: string, state: string) => void
}

/** Everything that leaves this machine: the outbox with its channels, and the HTTP clients. */
function composeDeliveries(parts: DeliveryParts) {
  const { config, db, secrets, log, sendMail, standIn, mailAdministrators, onSettled } = parts
  const client = standIn ?? new OutgoingClient(config.outgoing)
  const files = standIn ?? new OutgoingClient({ ...config.outgoing, maxAnswerBytes: VENDOR_FILE_BYTES })
  const sending = { db, secrets, client, siteUrl: config.siteUrl, apis: config.outgoing.apis }
  const worker = new OutboxWorker({
    db,
    log,
    channels: [
      conversionChannel({
        ...sending,
        log,
        onStopped: (trx, ...stopped) => mailAdministrators(trx, describeStop(...stopped)),
        onSettled,
      }),
      confirmationChannel(sending),
      newsletterChannel({
        webhook: config.newsletter,
        client,
        log,
        onSettled: (state) => onSettled('newsletter', state),
      }),
      mailChannel({ secrets, log, send: sendMail, onSettled: (state) => onSettled('mail', state) }),
      chatChannel({
        secrets,
        log,
        client,
        brandName: config.site.brandName,
        onSettled: (state) => onSettled('chat', state),
      }),
    ],
  })
  const wake = () => worker.wake()
  return {
    /** For what is sent at once, such as a test. */
    client,
    /** Reads the queue at once. */
    wake,
    /** Sends due jobs now, of all lanes or of one; for a worker that is not started. */
    deliverDue: (lane?: string) => worker.runDue(({ key }) => lane === undefined || key === lane),
    register: (channel: Channel) => worker.register(channel),
    measure: () => measureDeliveries(db),
    copyTestEvent: (pixelId: string, event: TestEvent) => copyTestEvent(sending, pixelId, event),
    /** Null if the operator disabled requests to vendors. */
    fetchVendorFile: config.outgoing.checksFiles
      ? (url: string, signal: AbortSignal) => files.fetchFile(url, signal)
      : null,

    registerAdmin: (scope: FastifyInstance) => registerDeliveryAdmin(scope, { ...sending, wake }),

    runWith: (app: FastifyInstance, { isStarted }: { isStarted: boolean }): void => {
      if (isStarted) app.addHook('onReady', async () => worker.start())
      app.addHook('onClose', async () => {
        await worker.stop()
        await Promise.all([client.close(), files.close()])
      })
    },
  }
}

/** Events of visitors' pages, for pixels that the server sends for. */
function composeEvents({
  config: { siteUrl },
  db,
  pixels,
}: {
  config: Config
  db: Db
  pixels: ServerPixelList
}) {
  return {
    /** Call it when this process changed a pixel. */
    forgetDestinations: () => pixels.forget(),
    withhold: (choice: Withdrawal) => withholdEvents(db, siteUrl.startsWith('https:'), choice),
    rememberSignUp: (cookieHeader: string | undefined, email: string) =>
      rememberSignUp({ db, pixels }, cookieHeader, email),
    registerPublic: (scope: FastifyInstance, ports: Pick<EventDeps, 'guard' | 'onStored'>): void =>
      registerEvents(scope, { ...ports, db, siteUrl, pixels }),
  }
}

interface NewsletterParts {
  config: Config
  db: Db
  /** Called when a subscription waits to be sent. */
  wake: () => void
}

/** Subscriptions: stored, counted, and shown to administrators. */
function composeNewsletter({ config: { newsletter }, db, wake }: NewsletterParts) {
  return {
    measureQueue: () => measureQueue(db),
    countSubscriptions: (spans: Parameters<typeof countSubscriptions>[1]) => countSubscriptions(db, spans),
    registerAdmin: (scope: FastifyInstance) =>
      registerSubscriptions(scope, {
        db,
        delivers: newsletter.webhookUrl !== null,
        onRequeued: wake,
      }),
    registerPublic: (scope: FastifyInstance, ports: Omit<NewsletterDeps, 'db' | 'onStored'>) =>
      registerNewsletter(scope, { ...ports, db, onStored: wake }),
  }
}

interface ConsentProofParts {
  config: Config
  db: Db
  log: Logger
  /** Every wording that this build can show. */
  notices: readonly NoticeWords[]
}

/** Consent proof: notices, public routes, and routes for administrators. */
function composeConsentProof({ config, db, log, notices }: ConsentProofParts) {
  const { retention, site } = config
  const consentNotices = new ConsentNotices({ db, log, notices, retentionDays: retention.consentDays })
  return {
    noticeOf: (textVersion: number, tagSetVersion: string) =>
      consentNotices.noticeOf(textVersion, tagSetVersion),

    /** Stores wording and recipients before a page with them is served. */
    keepConsentNotice: async (textVersion: number, recipients: RecipientsContent): Promise<void> => {
      await consentNotices.keepNotice(textVersion)
      await consentNotices.keepRecipients(recipients)
    },

    registerAdmin: (scope: FastifyInstance, ports: ConsentAdminPorts) =>
      registerConsentAdmin(scope, { ...ports, db, site, keptDays: retention.consentDays }),

    registerPublic: (scope: FastifyInstance, guard: PublicGuard) =>
      registerConsentProof(scope, { db, log, guard, retention, notices: consentNotices }),
  }
}

interface InventoryParts {
  config: Config
  db: Db
  log: Logger
}

/** What the page was served with. */
function composeInventory({ db, log }: InventoryParts) {
  const servedPages = new ServedPageLog(db, log)
  return {
    noteServedPage: (page: ServedPage) => servedPages.note(page),
    listFileChanges: () => listFileChanges(db),
    registerAdmin: (scope: FastifyInstance, ports: InventoryPorts) =>
      registerInventory(scope, { ...ports, db, log }),
  }
}
