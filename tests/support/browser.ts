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
  /** The fonts of the visitor's device; the system's are never seen. */
  fonts?: FontWorld | undefined
  resolve?: Record<string, string> | undefined
  /**
   * A certificate that is believed although nobody signed it. What a context ignores is asked of the frame that a request
   * came from: a request that outlives its frame, and needs a new connection, would be refused.
   */
  trusts?: string | undefined
  /** Each site and each sandboxed frame has a process of its own, as in the browser that people have; the light one has one for all. */
  isolatesSites?: boolean
}

/** A real browser. `resolve` sends foreign host names to local stand-ins; every other foreign name does not resolve. */
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

/** Of the certificate's public key, as the browser wants it. */
function fingerprint(certificate: string): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('base64')
}

/** `test` where there is a browser that keeps pages that were left, and brings them back as they were. */
export const testWithBackForwardCache = test.runIf(inject('chromiumWithWindows') !== null)

/** As people have it; the driver would switch it off. */
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
/** For visits of which the look is not judged: drawing and moving a large page takes a third of a visit's work. */
export const UNSEEN = {
  viewport: { width: 1024, height: 640 },
  reducedMotion: 'reduce',
} satisfies BrowserContextOptions

/** For `addInitScript`: a browser that always has something better to do. Some are, on a busy machine. */
export function neverIdle(): void {
  globalThis.requestIdleCallback = (work, options) =>
    options?.timeout === undefined ? 0 : window.setTimeout(work, options.timeout)
}

/** Collects what a person would find in the console: any error or warning is a defect. */
export function watchConsole(context: BrowserContext): string[] {
  const messages: string[] = []
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) messages.push(message.text())
  })
  context.on('weberror', (error) => messages.push(String(error.error())))
  return messages
}

/** The landing page's first script comes after its first frame; until then its links and forms are the platform's own. */
export function untilBooted(page: Page): Promise<void> {
  return page.locator('a[data-legal][role=button]').first().waitFor({ state: 'attached' })
}
