import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelStatus, TagOverview, TagPreview } from '#contract/tag-status.ts'
import type { AppDeps } from '#server/app.ts'
import { readKeys } from '../acceptance/auth-keys.ts'
import { launchBrowser, UNSEEN } from './browser.ts'
import type { EngineName } from './engines.ts'
import { APP_URL, LABELS } from './leave-at-once.ts'
import { PRINCIPAL, startTestApp, type TestApp } from './test-app.ts'
import { startTlsFront } from './tls-front.ts'
import { startVendors, type VendorStandIn } from './vendor-stand-in.ts'
import type { StandIn } from './vendor-stand-ins/stand-in.ts'

/** Below its own domain: vendors write cookies as widely as possible. */
const HOST = 'www.portico.example'
/** A safety net on a busy machine. */
const PATIENCE = { timeout: 30_000, interval: 100 }

interface VisitedPage {
  context: BrowserContext
  page: Page
  /** Hosts that our policy stopped. */
  stopped(): Promise<string[]>
}

export interface VendorSite {
  site: TestApp
  vendors: VendorStandIn
  browser: Browser
  /** Pastes and saves like the dashboard: recognition fills the form, and every required label is given. */
  paste(code: string): Promise<{ id: string; preview: TagPreview }>
  /** The same for many at once, without recognition. */
  add(codes: readonly string[]): Promise<string[]>
  /** Each isolated, with every label. */
  addIsolated(standIns: readonly StandIn[]): Promise<string[]>
  change(id: string, change: Partial<Pixel>): Promise<void>
  removeAll(): Promise<void>
  /** As if there had been no visit yet. */
  forgetVisits(): Promise<void>
  call(method: string, path: string, body?: object): Promise<Response>
  overview(): Promise<TagOverview>
  /** A new visitor without a choice; `prepare` runs before the page is opened. */
  visit(prepare?: (context: BrowserContext) => Promise<unknown>): Promise<VisitedPage>
  /** Waits until a visit of each pixel was reported; returns their status in order. */
  untilJudged(ids: readonly string[]): Promise<PixelStatus[]>
  /** Waits until each has received its page view, for the right account. */
  untilPageViews(expected: readonly Pick<StandIn, 'vendor' | 'account' | 'pageView'>[]): Promise<void>
  close(): Promise<void>
}

/** The real server, a browser whose vendors are all stand-ins, and a signed-in administrator. */
export async function startVendorSite(
  options: Pick<AppDeps, 'compressPage'> & { engine?: EngineName } = {},
): Promise<VendorSite> {
  const vendors = await startVendors()
  const site = await startTestApp({ ...options, listen: true, env: { SITE_URL: `https://${HOST}`, APP_URL } })
  const front = await startTlsFront(vendors.certificate, () => site.config.port)
  const browser = await launchBrowser({
    resolve: { ...vendors.resolve, [HOST]: `127.0.0.1:${front.port}` },
    trusts: vendors.certificate.cert,
  })
  const headers = await signIn(site)

  const call: VendorSite['call'] = (method, path, body) =>
    fetch(site.url + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const need = async (answer: Response): Promise<Response> => {
    if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${await answer.text()}`)
    return answer
  }
  const preview = async (form: object) =>
    (await (await need(await call('POST', '/admin/api/tags/preview', form))).json()) as TagPreview
  const overview = async () =>
    (await (await need(await call('GET', '/admin/api/tags'))).json()) as TagOverview

  const addAll = async (codes: readonly string[], columns: Partial<Pixel>): Promise<string[]> => {
    const common = { name: 'Tag', type: 'custom', consent_category: 'marketing', ...columns }
    const rows = codes.map((code) => ({ ...common, code }))
    const answer = await need(await call('POST', '/rest/v1/tracking_pixels?select=id,code', rows))
    const saved = (await answer.json()) as { id: string; code: string }[]
    return codes.map((code) => saved.find((row) => row.code === code)?.id ?? '')
  }

  return {
    site,
    vendors,
    browser,
    call,
    paste: async (code) => {
      const pasted = await preview({ type: 'custom', pixel_id: null, code })
      const { name = 'Tag', type = 'custom', id: account = null, category = null } = pasted.recognised ?? {}
      const form = { type, pixel_id: type === 'custom' ? null : account, code }
      const filled = await preview(form)
      const conversion_labels = Object.fromEntries(
        filled.labels.map(({ conversion }) => [conversion, LABELS[conversion]]),
      )
      const complete = await preview({ ...form, conversion_labels })
      const row = { ...form, name, consent_category: category ?? 'marketing', conversion_labels }
      const answer = await need(await call('POST', '/rest/v1/tracking_pixels?select=id', row))
      const [{ id }] = (await answer.json()) as [{ id: string }]
      return { id, preview: complete }
    },
    add: (codes) => addAll(codes, {}),
    addIsolated: (standIns) =>
      addAll(
        standIns.map(({ snippet, account }) => snippet(account)),
        { runs_in: 'isolated', conversion_labels: LABELS },
      ),
    change: async (id, change) => {
      await need(await call('PATCH', `/rest/v1/tracking_pixels?id=eq.${id}`, change))
    },
    removeAll: async () => {
      await need(await call('DELETE', '/rest/v1/tracking_pixels?id=not.is.null'))
      await site.database.db.deleteFrom('blocked_hosts').execute()
      await site.forgetLimits()
      vendors.clear()
    },
    forgetVisits: async () => {
      await site.database.db.deleteFrom('counts').where('series', '=', 'tag.seen').execute()
      await site.forgetLimits()
      vendors.clear()
    },
    overview,
    visit: async (prepare) => {
      const context = await browser.newContext({ ...UNSEEN, ignoreHTTPSErrors: true })
      context.setDefaultTimeout(PATIENCE.timeout)
      await prepare?.(context)
      const page = await context.newPage()
      await page.addInitScript(noteViolations)
      await page.goto(`https://${HOST}`)
      const stopped = () => page.evaluate(() => (window as unknown as { stopped: string[] }).stopped)
      return { context, page, stopped }
    },
    untilJudged: async (ids) => {
      const pixels = await vi.waitFor(async () => {
        const found = (await overview()).pixels.filter((pixel) => ids.includes(pixel.pixel_id))
        expect(found.filter(({ health }) => health === 'waiting').map(({ pixel_id }) => pixel_id)).toEqual([])
        return found
      }, PATIENCE)
      return ids.flatMap((id) => pixels.find((pixel) => pixel.pixel_id === id) ?? [])
    },
    untilPageViews: async (expected) => {
      const heard = () =>
        expected.filter(({ vendor, account, pageView }) =>
          vendors.hits.some(
            (hit) =>
              hit.heard?.vendor === vendor && hit.heard.event === pageView && hit.heard.account === account,
          ),
        )
      const names = (some: typeof expected) => some.map(({ vendor, account }) => `${vendor} ${account}`)
      await vi.waitFor(() => expect(names(heard())).toEqual(names(expected)), PATIENCE)
    },
    close: async () => {
      await browser.close()
      await front.close()
      await site.close()
      await vendors.close()
    },
  }
}

async function signIn(site: TestApp): Promise<Record<string, string>> {
  const { anon } = await readKeys(site)
  const answer = await fetch(`${site.url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: anon, 'content-type': 'application/json' },
    body: JSON.stringify(PRINCIPAL),
  })
  const { access_token } = (await answer.json()) as { access_token: string }
  return { apikey: anon, authorization: `Bearer ${access_token}`, prefer: 'return=representation' }
}

function noteViolations(): void {
  const stopped: string[] = []
  Object.assign(window, { stopped })
  document.addEventListener('securitypolicyviolation', ({ blockedURI, effectiveDirective }) =>
    stopped.push(`${effectiveDirective} ${blockedURI}`),
  )
}
