import type { FastifyInstance } from 'fastify'
import type { InstallationProblem } from '#contract/admin-page.ts'
import { registerActivity } from './activity/register-activity.ts'
import { composeDashboard } from './admin/compose-dashboard.ts'
import { registerAlerts } from './alerts/register-alerts.ts'
import { composeAuth } from './auth/compose-auth.ts'
import { createMailTransport } from './auth/mail/mail-transport.ts'
import { HASH_COST, type HashCost } from './auth/passwords/stored-hash.ts'
import type { Config } from './config.ts'
import { registerData } from './data/register-data.ts'
import { registerPixelVersions } from './data/register-pixel-versions.ts'
import { adminUsers } from './data/resources/admin-users.ts'
import { trackingPixels } from './data/resources/tracking-pixels.ts'
import type { Database } from './db/database.ts'
import type { SecretPort } from './db/secret-port.ts'
import { composeDeliveries } from './deliveries/compose-deliveries.ts'
import { composeEvents } from './events/compose-events.ts'
import { composeEvidence } from './evidence/compose-evidence.ts'
import { composeHttp } from './http/compose-http.ts'
import type { ConnectionLimits } from './http/connection-limits.ts'
import { Drain } from './http/drain.ts'
import { registerHealth } from './http/health.ts'
import { HitCounter } from './http/hit-counter.ts'
import { createHostOf } from './http/host-rule.ts'
import type { Logger } from './http/logger.ts'
import { type CompressText, compressText } from './http/prepared-response.ts'
import { PublicLimits } from './http/public-limits.ts'
import { FLUSH_MS } from './http/regular-flush.ts'
import { inSecurityClass } from './http/security-class.ts'
import { registerMissingAssets } from './http/static-assets.ts'
import { composeInventory } from './inventory/compose-inventory.ts'
import { composeSite } from './landing/compose-site.ts'
import { composeMetrics } from './metrics/compose-metrics.ts'
import type { Metrics } from './metrics/metrics.ts'
import { composeNewsletter } from './newsletter/compose-newsletter.ts'
import { composeTags } from './tags/compose-tags.ts'
import { listReachedCeilings } from './tags/today/reached-ceilings.ts'
import { describeVendor } from './tags/tools/describe-vendor.ts'
import type { Tracing } from './tracing/tracing.ts'

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
  counter = new HitCounter(db, log, { flushMs }),
  connectionLimits = {},
  drain = new Drain(0),
  metrics = null,
  tracing = null,
  fileDamage = () => null,
}: AppDeps): Promise<FastifyInstance> {
  const { retention, siteUrl } = config
  const house = { config, db, secrets, log }
  const site = await composeSite(config, distDir, compressPage)
  const { renderer } = site
  const inventory = composeInventory(house)
  const evidence = composeEvidence({ ...house, notices: renderer.renderConsentNotices() })
  const tags = composeTags({
    ...house,
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
    onTurnedAway: (what, at) => tags.counts.add(`ceiling:${what}`, at),
  })
  const guard = { limits, siteUrl }
  const deliveries = composeDeliveries({
    ...house,
    sendMail: createMailTransport(config, log),
    mailAdministrators: (news) => auth.mailAdministrators(news),
    onSettled: (kind, state) => metrics?.countDelivery(kind, state),
  })
  const auth = await composeAuth({ ...house, limits, hashCost, queueMail: deliveries.queueMail, announce })
  const administrators = { db, ...auth.access }
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
      ...administrators,
      resources: [pixels, adminUsers(auth.accounts, config.principal.email)],
    })
    await registerPixelVersions(scope, { ...administrators, service, pixels })
    await dashboard.registerAdmin(scope, { ...administrators, fileDamage })
    await registerActivity(scope, { ...administrators, retention })
    await registerAlerts(scope, {
      ...administrators,
      log,
      adminUrl: config.adminUrl ?? siteUrl,
      canSend: config.mail.smtpUrl !== null,
      send: (to, letter) => auth.sendLetter(to, 'alert', letter),
      queueLetter: (trx, to, letter) =>
        deliveries.storeMail(trx, { to, kind: 'alert', ...auth.renderLetter(letter) }),
      readOverview: tags.readOverview,
      readFileChanges: inventory.listFileChanges,
    })
    await inventory.registerAdmin(scope, administrators, {
      nameVendor: (id) => describeVendor(id).name,
      isInHtml: tags.isInHtml,
      fetchFile: deliveries.fetchVendorFile,
    })
    await evidence.registerAdmin(scope, administrators, {
      describeVendor,
      renderDossier: (dossier) => renderer.renderDossier(dossier),
    })
    await newsletter.registerAdmin(scope, administrators)
    await tags.registerAdmin(scope, administrators, { countSubscriptions: newsletter.countSubscriptions })
    await deliveries.registerAdmin(scope, administrators)
  })
  await inSecurityClass(app, 'admin page', (scope) =>
    dashboard.registerPage(scope, { anonKey: auth.anonKey, openSession: auth.bootSession }),
  )
  await inSecurityClass(app, 'other', (scope) => {
    events.registerPublic(scope, {
      guard,
      onStored: (name) => {
        // What the page tells us of is measured, whether or not it runs a tag that would tell us of it too.
        tags.counts.add(name === 'page_view' ? 'told' : `conversion:${name}`)
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
  deliveries.runWith(app, { beforeStop: auth.closeMail })
  return app
}
