import type { FastifyInstance } from 'fastify'
import type { InstallationProblem } from '#contract/admin-page.ts'
import type { EvidencePartiesContent } from '#contract/consent.ts'
import { registerActivity } from './activity/admin-routes.ts'
import { composeDashboard } from './admin/page.ts'
import { registerAlerts } from './alerts/alerts.ts'
import { adminUsers } from './auth/accounts/admin-users.ts'
import { composeAuth } from './auth/auth.ts'
import { HASH_COST, type HashCost } from './auth/passwords/passwords.ts'
import { LOGIN_IDLE_MS } from './auth/sessions/cookies.ts'
import { SESSION_IDLE_MS } from './auth/sessions/revoke.ts'
import type { Config } from './config.ts'
import { type ConsentAdminPorts, registerConsentAdmin } from './consent/admin-routes.ts'
import { ConsentNotices, type NoticeWords } from './consent/notice.ts'
import { registerEvidence } from './consent/public-routes.ts'
import { registerDeliveryAdmin } from './conversions/admin-routes.ts'
import { pixelLanes } from './conversions/channel.ts'
import { describeStop, measureDeliveries } from './conversions/outcomes.ts'
import { type EventDeps, registerEvents } from './conversions/post-event.ts'
import { rememberSignUp, SIGN_UP_HASH_MS } from './conversions/sign-up-email.ts'
import { isSentByServer, ServerPixelList } from './conversions/targets.ts'
import { copyTestEvent, type TestEvent } from './conversions/test-event.ts'
import { type Withdrawal, withholdEvents } from './conversions/withdraw.ts'
import { registerData } from './data/data-service.ts'
import type { Database, Db } from './db/database.ts'
import { retention } from './db/retention.ts'
import { runSweeps, sweepRegularly } from './db/sweep.ts'
import { FLUSH_MS } from './db/transactions/flush.ts'
import { GUESSES_KEPT_MS, RateCounter } from './http/limits/counter.ts'
import { type PublicGuard, PublicLimits } from './http/limits/public.ts'
import type { Logger } from './http/logging/logger.ts'
import { OutgoingClient } from './http/outgoing.ts'
import { registerAdminApi } from './http/security/administrators.ts'
import { createHostOf, inSecurityClass } from './http/security/classes.ts'
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
import { registerHealth } from './operations/health.ts'
import type { Metrics } from './operations/metrics.ts'
import { composeMetrics } from './operations/metrics-endpoint.ts'
import { listReachedCeilings } from './operations/production-gaps.ts'
import type { Tracing } from './operations/tracing.ts'
import type { LaneSource } from './outbox/channel.ts'
import { DeliveryWorker } from './outbox/worker.ts'
import { registerPixelVersions } from './pixels/history.ts'
import { trackingPixels } from './pixels/tracking-pixels.ts'
import type { Secrets } from './secrets/secrets.ts'
import { Stats } from './stats/counts.ts'
import { composeTags } from './tags/tags.ts'
import { describeVendor } from './vendors/marks.ts'

export interface AppDeps {
  config: Config
  database: Database
  secrets: Secrets
  log: Logger
  /** Where the build put its output. */
  distDir: string
  /** Tells the operator something that is shown once, such as the first password. */
  announce?: (text: string) => void
  /** How far the event loop may lag before calls are turned away. */
  maxEventLoopDelayMs?: number
  /** Counts the calls that anyone can make. */
  counter?: RateCounter
  connectionLimits?: Partial<ConnectionLimits>
  /** How often counts in memory are written. */
  flushMs?: number
  /** What hashing a password costs. */
  hashCost?: HashCost
  /** Compresses what is rendered: pages before they are first served, changed pages and tag files afterwards. */
  compressPage?: CompressText
  /** Begun when the process is told to stop. */
  drain?: Drain
  /** What `/metrics` tells; null when nobody asked for it. */
  metrics?: Metrics | null
  /** Where traces go; null when nobody asked for them. */
  tracing?: Tracing | null
  /** What the last check found wrong with the embedded database's file. */
  fileDamage?: () => InstallationProblem | null
}

/** Wiring only: each room composes itself beside its code, and gets here what it needs of the others. */
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
}: AppDeps): Promise<FastifyInstance> {
  const { siteUrl } = config
  const house = { config, db, secrets, log }
  const site = await composeSite(config, distDir, compressPage)
  const { renderer } = site
  const inventory = composeInventory(house)
  const stats = new Stats(db, log, { flushMs })
  const evidence = composeEvidence({ ...house, notices: renderer.renderConsentNotices() })
  const tags = composeTags({
    ...house,
    stats,
    distDir,
    flushMs,
    compressPage,
    measureHead: site.measureHead,
    keepPremises: evidence.keepPremises,
    swapPage: (set, served) =>
      site.swap(set, served.tools, (headersHash) => inventory.noteServedPage({ ...served, headersHash })),
  })
  await tags.store.refresh()

  const limits = new PublicLimits({
    counter,
    log,
    config,
    onTurnedAway: (what, at) => stats.add({ series: 'site', key: `ceiling:${what}`, at }),
  })
  const guard = { limits, siteUrl }
  const deliveries = composeDeliveries({
    ...house,
    sendMail: createMailTransport(config, log),
    mailAdministrators: (trx, news) => auth.mailAdministrators(trx, news),
    onSettled: (kind, state) => metrics?.countDelivery(kind, state),
  })
  const auth = await composeAuth({ ...house, limits, hashCost, wakeOutbox: deliveries.wake, announce })
  deliveries.register(auth.mailChannel)
  const events = composeEvents(house)
  const dashboard = composeDashboard(config, site.manifest, () => listReachedCeilings(db, config))
  const newsletter = composeNewsletter({ ...house, wake: deliveries.wake })

  const hostOf = createHostOf(config.adminUrl)
  const app = composeHttp({
    ...house,
    counter,
    hostOf,
    fastPath: site.createFastPath({
      hostOf,
      sendsEmail: () => tags.store.current.sendsEmail,
      tagFile: (path) => tags.store.file(path),
    }),
    pagePolicy: site.policy,
    errorPages: site.errorPages,
    connectionLimits,
    drain,
    maxEventLoopDelayMs,
    metrics,
    tracing,
  })
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
          wakeOutbox: deliveries.wake,
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
        evidence.registerAdmin(api, {
          describeVendor,
          renderDossier: (dossier) => renderer.renderDossier(dossier),
        }),
      (api) => newsletter.registerAdmin(api),
      (api) => tags.registerAdmin(api, { countSubscriptions: newsletter.countSubscriptions }),
      (api) => deliveries.registerAdmin(api),
    ])
  })
  await inSecurityClass(app, 'admin page', (scope) =>
    dashboard.registerPage(scope, { anonKey: auth.anonKey, openSession: auth.bootSession }),
  )
  await inSecurityClass(app, 'other', (scope) => {
    events.registerPublic(scope, {
      guard,
      onStored: (name) => {
        // What the page tells us of is measured, whether or not it runs a tag that would tell us of it too.
        stats.add({ series: 'site', key: name === 'page_view' ? 'told' : `conversion:${name}` })
        deliveries.wake()
      },
    })
    tags.registerPublic(scope, {
      guard,
      isToldByEvent: events.isToldByEvent,
      withhold: events.withhold,
      mailAdministrators: auth.mailAdministrators,
      copyTestEvent: deliveries.copyTestEvent,
      premisesOf: evidence.premisesOf,
    })
    evidence.registerPublic(scope, guard)
  })
  await inSecurityClass(app, 'public page', (scope) =>
    newsletter.registerPublic(scope, {
      guard,
      renderAnswer: (message) => site.renderNewsletterAnswer(message, tags.store.current.sendsEmail),
      onSubscribed: (request, email) => events.rememberSignUp(request.headers.cookie, email),
    }),
  )
  deliveries.runWith(app)
  return app
}

/** A vendor's script has some hundred kilobytes. */
const VENDOR_FILE_BYTES = 4_000_000

interface DeliveryParts {
  config: Config
  db: Db
  secrets: Secrets
  log: Logger
  sendMail: SendMail
  mailAdministrators: (trx: Db, news: ReturnType<typeof describeStop>) => Promise<void>
  /** Told what each attempt came to. */
  onSettled: (kind: string, state: string) => void
}

/** All that leaves this machine: the queue of deliveries with what empties it, and the clients that ask other servers. */
function composeDeliveries(parts: DeliveryParts) {
  const { config, db, secrets, log, sendMail, mailAdministrators, onSettled } = parts
  const client = new OutgoingClient(config.outgoing)
  const files = new OutgoingClient({ ...config.outgoing, maxAnswerBytes: VENDOR_FILE_BYTES })
  const sending = { db, secrets, client, siteUrl: config.siteUrl, graphVersion: config.outgoing.graphVersion }
  const worker = new DeliveryWorker({
    db,
    log,
    sources: [
      pixelLanes({
        ...sending,
        log,
        onStopped: (trx, ...stopped) => mailAdministrators(trx, describeStop(...stopped)),
        onSettled,
      }),
      newsletterChannel({
        webhook: config.newsletter,
        client,
        log,
        onSettled: (state) => onSettled('newsletter', state),
      }),
      mailChannel({ secrets, log, send: sendMail, onSettled: (state) => onSettled('mail', state) }),
    ],
  })
  const wake = () => worker.wake()
  return {
    /** Something was stored: look at once. */
    wake,
    register: (channel: LaneSource) => worker.register(channel),
    measure: () => measureDeliveries(db),
    copyTestEvent: (pixelId: string, event: TestEvent) => copyTestEvent(sending, pixelId, event),
    /** Null where the operator does not let the server ask vendors. */
    fetchVendorFile: config.outgoing.checksFiles
      ? (url: string, signal: AbortSignal) => files.fetchFile(url, signal)
      : null,

    registerAdmin: (scope: FastifyInstance) => registerDeliveryAdmin(scope, { ...sending, wake }),

    runWith: (app: FastifyInstance): void => {
      app.addHook('onReady', async () => worker.start())
      app.addHook('onClose', async () => {
        await worker.stop()
        await Promise.all([client.close(), files.close()])
      })
    },
  }
}

/** What visitors' pages tell the server of, for the pixels that it tells on. */
function composeEvents({ config: { siteUrl }, db }: { config: Config; db: Db }) {
  const pixels = new ServerPixelList(db)
  return {
    /** A pixel was changed by this process. */
    forgetDestinations: () => pixels.forget(),
    isToldByEvent: (cookieHeader: string | undefined) => isSentByServer(pixels, cookieHeader),
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

/** Subscriptions: taken from the page, counted, and shown to administrators. */
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

interface EvidenceParts {
  config: Config
  db: Db
  log: Logger
  /** Every wording that this build can ask with. */
  notices: readonly NoticeWords[]
}

/** The proof of what visitors chose: what choices are made on, what is public of it, and what administrators see. */
function composeEvidence({ config, db, log, notices }: EvidenceParts) {
  const { retention, site } = config
  const premises = new ConsentNotices({ db, log, notices, retentionDays: retention.consentDays })
  return {
    premisesOf: (textVersion: number, tagSetVersion: string) =>
      premises.premisesOf(textVersion, tagSetVersion),

    /** Before a page that asks in these words, for these parties, is served. */
    keepPremises: async (textVersion: number, parties: EvidencePartiesContent): Promise<void> => {
      await premises.keepNotice(textVersion)
      await premises.keepParties(parties)
    },

    registerAdmin: (scope: FastifyInstance, ports: ConsentAdminPorts) =>
      registerConsentAdmin(scope, { ...ports, db, site, keptDays: retention.consentDays }),

    registerPublic: (scope: FastifyInstance, guard: PublicGuard) =>
      registerEvidence(scope, { db, log, guard, retention, premises }),
  }
}

interface InventoryParts {
  config: Config
  db: Db
  log: Logger
}

/** What the page was served with, and what of it changed by itself. */
function composeInventory({ db, log }: InventoryParts) {
  const servedPages = new ServedPageLog(db, log)
  return {
    noteServedPage: (page: ServedPage) => servedPages.note(page),
    listFileChanges: () => listFileChanges(db),
    registerAdmin: (scope: FastifyInstance, ports: InventoryPorts) =>
      registerInventory(scope, { ...ports, db, log }),
  }
}
