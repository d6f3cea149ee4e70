import { createHash, X509Certificate } from 'node:crypto'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { inject, test } from 'vitest'
import { CHROMIUM_FLAGS } from './find-chromium.ts'
import type { FontWorld } from './font-worlds.ts'

interface LaunchOptions {
  /** The fonts of the visitor's device; the system's are hidden. */
  fonts?: FontWorld | undefined
  resolve?: Record<string, string> | undefined
  /**
   * A self-signed certificate to trust. Ignoring certificate errors per context does not work for a request that
   * outlives its frame and needs a new connection.
   */
  trusts?: string | undefined
  /** Each site and sandboxed frame has its own process, as in ordinary browsers; the light one has one for all. */
  isolatesSites?: boolean
}

/** A real browser. `resolve` maps foreign host names to local stand-ins; all others do not resolve. */
export function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  const maps = Object.entries(options.resolve ?? {}).map(([host, target]) => `MAP ${host} ${target}`)
  const rules = [...maps, 'MAP * ~NOTFOUND', 'EXCLUDE localhost', 'EXCLUDE 127.0.0.1'].join(',')
  return chromium.launch({
    executablePath: inject('chromium'),
    args: [
      ...CHROMIUM_FLAGS,
      `--host-resolver-rules=${rules}`,
      ...(options.isolatesSites ? ['--site-per-process'] : []),
      ...(options.trusts ? [`--ignore-certificate-errors-spki-list=${fingerprint(options.trusts)}`] : []),
    ],
    env: { ...process.env, FONTCONFIG_FILE: inject('fontConfigurations')[options.fonts ?? 'liberation'] },
  })
}

/** Hash of the certificate's public key, in the browser's format. */
function fingerprint(certificate: string): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('base64')
}

/** `test` where there is a browser with a back/forward cache. */
export const testWithBackForwardCache = test.runIf(inject('chromiumWithWindows') !== null)

/** As in ordinary browsers; the driver would disable it. */
export function launchWithBackForwardCache(): Promise<Browser> {
  return chromium.launch({
    executablePath: inject('chromiumWithWindows') ?? '',
    args: CHROMIUM_FLAGS,
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  })
}

export const PHONE = {
  viewport: { width: 375, height: 812 },
  hasTouch: true,
  isMobile: true,
} satisfies BrowserContextOptions
export const DESKTOP = { viewport: { width: 1440, height: 900 } } satisfies BrowserContextOptions
/** For visits whose appearance is not checked: drawing and animating a large page takes a third of a visit's work. */
export const UNSEEN = {
  viewport: { width: 1024, height: 640 },
  reducedMotion: 'reduce',
} satisfies BrowserContextOptions

/** For `addInitScript`: a browser that is never idle, like some on a busy machine. */
export function neverIdle(): void {
  globalThis.requestIdleCallback = (work, options) =>
    options?.timeout === undefined ? 0 : window.setTimeout(work, options.timeout)
}

/** Collects console output: any error or warning is a defect. */
export function watchConsole(context: BrowserContext): string[] {
  const messages: string[] = []
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) messages.push(message.text())
  })
  context.on('weberror', (error) => messages.push(String(error.error())))
  return messages
}

/** The landing page's first script comes after its first frame; until then links and forms are plain HTML. */
export function untilBooted(page: Page): Promise<void> {
  return page.locator('a[data-legal][role=button]').first().waitFor({ state: 'attached' })
}
