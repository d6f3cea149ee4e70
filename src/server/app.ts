import { join } from 'node:path'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { registerAdminPage } from './admin/admin-page.ts'
import { createBoot } from './admin/make-boot.ts'
import { registerAccount } from './auth/account/register-account.ts'
import { createAuth } from './auth/create-auth.ts'
import { announcePrincipal, ensurePrincipal } from './auth/ensure-principal.ts'
import { registerAuth } from './auth/register-auth.ts'
import type { Config } from './config.ts'
import { registerData } from './data/register-data.ts'
import type { Database } from './db/database.ts'
import { BuildManifest } from './http/build-manifest.ts'
import { type ConnectionLimits, defaultConnectionLimits } from './http/connection-limits.ts'
import { adminPolicy } from './http/content-security-policy.ts'
import { answerFrameworkError, registerErrors } from './http/errors.ts'
import { createGate } from './http/gate.ts'
import { registerHealth } from './http/health.ts'
import { createHostOf, registerHostRule } from './http/host-rule.ts'
import { registerLoadShedding } from './http/load-shedding.ts'
import type { Logger } from './http/logger.ts'
import { ownOrigins } from './http/own-origins.ts'
import { sweepRateLimits } from './http/rate-limit.ts'
import { createRawServer, type FastPath } from './http/raw-server.ts'
import { registerSecurityHeaders } from './http/register-security-headers.ts'
import { RequestLog } from './http/request-log.ts'
import { inSecurityClass, registerSecurityClasses } from './http/security-class.ts'
import { adminHeaders, otherHeaders, pageHeaders } from './http/security-headers.ts'
import { loadStaticAssets, registerMissingAssets } from './http/static-assets.ts'
import { sweepRegularly } from './http/sweep-regularly.ts'
import { createFastPath } from './landing/fast-path.ts'
import { PageStore, publicPagePolicy } from './landing/page-store.ts'
import { readPictures } from './landing/pictures.ts'
import { preparePublicPages } from './landing/public-pages.ts'
import { loadRenderBundle, readDocumentAssets } from './landing/render-bundle.ts'
import { DeliveryWorker } from './newsletter/delivery-worker.ts'
import { registerNewsletter } from './newsletter/register-newsletter.ts'
import { registerTagAdmin } from './tags/admin-routes.ts'
import { ownHosts } from './tags/own-hosts.ts'
import { registerTags } from './tags/register-tags.ts'
import { TagStore } from './tags/tag-store.ts'

const BODY_LIMIT_BYTES = 1_000_000

export interface AppDeps {
  config: Config
  database: Database
  log: Logger
  /** Where the build put its output. */
  distDir: string
  /** Tells the operator something that is shown once, such as the first password. */
  announce?: (text: string) => void
  /** How far the event loop may lag before calls are turned away. */
  maxEventLoopDelayMs?: number
  connectionLimits?: Partial<ConnectionLimits>
}

/** Wiring only: every part is made here from its dependencies, and nothing is decided here. */
export async function buildApp({
  config,
  database,
  log,
  distDir,
  announce = () => {},
  maxEventLoopDelayMs,
  connectionLimits = {},
}: AppDeps): Promise<FastifyInstance> {
  const https = config.siteUrl.startsWith('https:')
  const manifest = new BuildManifest(join(distDir, 'client'))
  const renderer = await loadRenderBundle(distDir)
  const documentAssets = readDocumentAssets(distDir, manifest)
  const pictures = readPictures(join(distDir, 'client'))
  const staticAssets = loadStaticAssets(join(distDir, 'client/assets'), otherHeaders(https))
  const publicPages = await preparePublicPages({
    config,
    renderer,
    documentAssets,
    pictures,
    staticAssets,
  })
  const pages = new PageStore(config, renderer, documentAssets)
  const tags = new TagStore({
    db: database.db,
    log,
    ownHosts: ownHosts(config),
    headers: otherHeaders(https),
    swapPage: (set) => pages.compose(set),
  })
  await tags.refresh()
  const auth = await createAuth(config, database.db, log)
  const firstPassword = await ensurePrincipal(auth.context)
  if (firstPassword !== null)
    announce(announcePrincipal(config.principal.email, firstPassword, config.adminUrl ?? config.siteUrl))

  const hostOf = createHostOf(config.adminUrl)
  const gate = createGate(otherHeaders(https))
  const servePrepared = createFastPath({
    pages,
    shared: staticAssets,
    site: publicPages,
    tagFile: (path) => tags.file(path),
    hostOf,
  })
  const fastPath: FastPath = (request, response, target) =>
    gate(request, response, target) || servePrepared(request, response, target)
  const requestLog = new RequestLog(log)

  const app = Fastify({
    serverFactory: (handler) =>
      createRawServer({
        handler,
        fastPath,
        defaultHeaders: otherHeaders(https),
        limits: {
          ...defaultConnectionLimits({ trustsProxy: config.trustProxy !== false }),
          ...connectionLimits,
        },
        onRefused: requestLog.onRefused,
      }),
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => crypto.randomUUID(),
    trustProxy: toTrustProxy(config.trustProxy),
    bodyLimit: BODY_LIMIT_BYTES,
    frameworkErrors: answerFrameworkError,
    // Its answer would carry none of our headers, and whoever is already connected may as well be served.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true },
  })
  const classOf = registerSecurityClasses(app)
  registerHostRule(app, hostOf, classOf)
  registerSecurityHeaders(
    app,
    {
      admin: adminHeaders(adminPolicy(ownOrigins(config.adminUrl ?? config.siteUrl)), https),
      publicPage: pageHeaders(publicPagePolicy(config, documentAssets), { https }),
      other: otherHeaders(https),
    },
    classOf,
  )
  requestLog.register(app)
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

  const deliveries = new DeliveryWorker({ db: database.db, webhook: config.newsletter, log })
  await inSecurityClass(app, 'shared', (scope) => {
    registerHealth(scope, database.db)
    registerMissingAssets(scope)
  })
  await inSecurityClass(app, 'service', async (scope) => {
    await registerAuth(scope, auth.context)
    await registerAccount(scope, auth.context)
    await registerData(scope, {
      db: database.db,
      origins: ownOrigins(config.adminUrl ?? config.siteUrl),
      identify: auth.identify,
      accounts: auth.accounts,
      principalEmail: config.principal.email,
      onPixelsChanged: () => tags.refresh(),
    })
    await registerTagAdmin(scope, {
      db: database.db,
      tags,
      ownHosts: ownHosts(config),
      identify: auth.identify,
      origins: ownOrigins(config.adminUrl ?? config.siteUrl),
    })
  })
  await inSecurityClass(app, 'admin page', (scope) =>
    registerAdminPage(scope, {
      manifest,
      boot: createBoot({ config, anonKey: auth.anonKey, openSession: auth.bootSession }),
    }),
  )
  await inSecurityClass(app, 'other', (scope) =>
    registerTags(scope, {
      db: database.db,
      databaseUrl: config.databaseUrl,
      tags,
      log,
      siteUrl: config.siteUrl,
      ownHosts: ownHosts(config),
    }),
  )
  await inSecurityClass(app, 'public page', (scope) =>
    registerNewsletter(scope, {
      db: database.db,
      config,
      renderAnswer: (message) => renderer.renderNewsletterAnswer(config.site, documentAssets, message),
      onStored: () => deliveries.wake(),
    }),
  )
  app.addHook('onReady', async () => deliveries.start())
  app.addHook('onClose', () => deliveries.stop())
  return app
}

/** The framework takes a hop count only as a function. */
function toTrustProxy(
  value: Config['trustProxy'],
): boolean | string[] | ((address: string, hop: number) => boolean) {
  return typeof value === 'number' ? (_address, hop) => hop < value : value
}
