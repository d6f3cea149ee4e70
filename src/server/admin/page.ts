import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  ADMIN_BOOT_ELEMENT_ID,
  type AdminBoot,
  type InstallationProblem,
  type ProductionGap,
} from '#contract/admin-page.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { BuildManifest } from '../http/static/assets.ts'
import { findProductionGaps, registerNotices } from '../operations/production-gaps.ts'

/** The dashboard's one document, and what it tells of how this installation is set up. */
export function composeDashboard(
  config: Config,
  manifest: BuildManifest,
  listReachedCeilings: () => Promise<ProductionGap[]>,
) {
  return {
    registerAdmin: (
      scope: FastifyInstance,
      deps: { db: Db; fileDamage: () => InstallationProblem | null },
    ): void => registerNotices(scope, { ...deps, gaps: findProductionGaps(config), listReachedCeilings }),
    registerPage: (scope: FastifyInstance, ports: SessionPorts): void =>
      registerAdminPage(scope, {
        manifest,
        origin: config.dashboardUrl,
        boot: createBoot({ config, ...ports }),
      }),
  }
}

interface AdminPageOptions {
  manifest: BuildManifest
  /** The one origin under which the dashboard's scripts may run. */
  origin: string
  /** What the page is told as it loads, for this very navigation. */
  boot: (request: FastifyRequest, reply: FastifyReply) => Promise<AdminBoot>
}

/** `/admin` and each of its tabs: one document, whose app reads the address. GET only: a HEAD must open no session. */
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
    // A page that nobody looks at yet would hold a session in a place that other pages can prepare.
    if (request.headers['sec-purpose'] !== undefined) return reply.code(503).send()
    return reply
      .type('text/html; charset=utf-8')
      .send(renderAdminPage(await boot(request, reply), head, origin))
  }
}

function renderAdminPage(boot: AdminBoot, head: string, origin: string): string {
  // "<" never appears in the JSON, so nothing in it can close the element.
  const data = JSON.stringify(boot).replaceAll('<', '\\u003c')
  return `<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>Admin Dashboard</title>${head}</head><body><div id="root">${renderHint(`${origin}/admin`)}</div><script type="application/json" id="${ADMIN_BOOT_ELEMENT_ID}">${data}</script></body></html>`
}

/**
 * Under another address the policy lets no script run, and the page would stay empty. The app replaces this as soon as it
 * draws; whoever waits longer than that reads it.
 */
function renderHint(address: string): string {
  const style =
    'max-width:34rem;margin:15vh auto;padding:0 1rem;font:1rem/1.5 sans-serif;visibility:hidden;animation:hint 0s 4s forwards'
  return `<style>@keyframes hint{to{visibility:visible}}</style><p style="${style}">O painel ainda não abriu. Ele só funciona neste endereço: <a href="${address}">${address}</a></p>`
}

/** What is handed over by the auth service. */
interface SessionPorts {
  anonKey: () => Promise<string>
  /** A session for the login that the cookie names; called for true navigations only. */
  openSession: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
}

interface BootParts extends SessionPorts {
  config: Config
}

/** What the dashboard is told as it loads; a session only when a person opens it in a tab of their own. */
function createBoot({
  config,
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
  })
}

/** Headers that no script can set: a frame, a fetch or a worker that asks for the page is shown the login screen. */
function isTopLevelNavigation({ headers }: FastifyRequest): boolean {
  return (
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    headers['sec-purpose'] === undefined
  )
}

function isSecureContext(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
