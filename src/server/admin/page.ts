import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  ADMIN_BOOT_ELEMENT_ID,
  type AdminBoot,
  type InstallationProblem,
  type ProductionGap,
} from '#contract/admin-page.ts'
import { isLoopbackHost } from '#contract/public-host.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { BuildManifest } from '../http/static/assets.ts'
import { escapeJson } from '../http/static/responses.ts'
import { registerNotices } from '../operations/production-gaps.ts'

interface DashboardFacts {
  listReachedCeilings: () => Promise<ProductionGap[]>
  /** The data is invented. */
  isDemonstration: boolean
}

/** The dashboard's one document, with the installation's settings. */
export function composeDashboard(
  config: Config,
  manifest: BuildManifest,
  { listReachedCeilings, isDemonstration }: DashboardFacts,
) {
  return {
    registerAdmin: (
      scope: FastifyInstance,
      deps: { db: Db; fileDamage: () => InstallationProblem | null },
    ): void => registerNotices(scope, { ...deps, config, isDemonstration, listReachedCeilings }),
    registerPage: (scope: FastifyInstance, ports: SessionPorts): void =>
      registerAdminPage(scope, {
        manifest,
        origin: config.dashboardUrl,
        boot: createBoot({ config, isDemonstration, ...ports }),
      }),
  }
}

interface AdminPageOptions {
  manifest: BuildManifest
  /** The one origin where the dashboard's scripts may run. */
  origin: string
  /** The data in the page for this navigation. */
  boot: (request: FastifyRequest, reply: FastifyReply) => Promise<AdminBoot>
}

/** `/admin` and each tab: one document, whose app reads the address. GET only: a HEAD must not open a session. */
function registerAdminPage(app: FastifyInstance, { manifest, origin, boot }: AdminPageOptions): void {
  const entry = manifest.entry('src/admin/main.tsx')
  const font = manifest.entry('src/design/fonts/sans.woff2').file
  const head = [
    // `font-display: optional` skips a late font: preloaded, it is there when the app draws.
    `<link rel="preload" as="font" type="font/woff2" href="${font}" crossorigin>`,
    ...entry.css.map((href) => `<link rel="stylesheet" href="${href}">`),
    ...entry.imports.map((href) => `<link rel="modulepreload" href="${href}">`),
    `<script type="module" src="${entry.file}"></script>`,
  ].join('')
  app.get('/admin', { exposeHeadRoute: false }, sendPage)
  app.get('/admin/*', { exposeHeadRoute: false }, sendPage)
  app.all('/admin/api/*', (_request, reply) => reply.callNotFound())

  async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    // A prerendered page would hold a session in a place that other pages can prepare.
    if (request.headers['sec-purpose'] !== undefined) return reply.code(503).send()
    return reply
      .type('text/html; charset=utf-8')
      .send(renderAdminPage(await boot(request, reply), head, origin))
  }
}

function renderAdminPage(boot: AdminBoot, head: string, origin: string): string {
  // "<" never appears in the JSON, so nothing can close the element.
  const data = escapeJson(JSON.stringify(boot))
  return `<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>Admin Dashboard</title>${head}</head><body><div id="root">${renderHint(`${origin}/admin`)}</div><script type="application/json" id="${ADMIN_BOOT_ELEMENT_ID}">${data}</script></body></html>`
}

/**
 * On another address the policy blocks all scripts, and the page would stay empty. The app replaces this text as soon
 * as it draws.
 */
function renderHint(address: string): string {
  const style =
    'max-width:34rem;margin:15vh auto;padding:0 1rem;font:1rem/1.5 sans-serif;visibility:hidden;animation:hint 0s 4s forwards'
  return `<style>@keyframes hint{to{visibility:visible}}</style><p style="${style}">O painel ainda não abriu. Ele só funciona neste endereço: <a href="${address}">${address}</a></p>`
}

/** Functions of the auth module. */
interface SessionPorts {
  anonKey: () => Promise<string>
  /** A session for the login of the cookie; called for top-level navigations only. */
  openSession: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
}

interface BootParts extends SessionPorts {
  config: Config
  isDemonstration: boolean
}

/** The page's data; a session only if a person opens it in a tab. */
function createBoot({
  config,
  isDemonstration,
  anonKey,
  openSession,
}: BootParts): (request: FastifyRequest, reply: FastifyReply) => Promise<AdminBoot> {
  const secureContext = isSecureContext(config.dashboardUrl)
  return async (request, reply) => ({
    brandName: config.site.brandName,
    siteUrl: config.siteUrl,
    anonKey: await anonKey(),
    session: isTopLevelNavigation(request) ? await openSession(request, reply) : null,
    sharedOrigin: config.adminUrl === null,
    secureContext,
    canMail: config.mail.smtpUrl !== null,
    ...(isDemonstration ? { demonstration: true } : {}),
  })
}

/** Headers that no script can set: a frame, fetch or worker gets the login screen. */
function isTopLevelNavigation({ headers }: FastifyRequest): boolean {
  return (
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    headers['sec-purpose'] === undefined
  )
}

function isSecureContext(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' || isLoopbackHost(hostname)
}
