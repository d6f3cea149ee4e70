import { inject } from 'vitest'
import { launchBrowser } from './browser.ts'
import { newChromiumVisitor } from './chromium-visitor.ts'
import { launchFirefox } from './firefox.ts'
import { newFirefoxVisitor } from './firefox-visitor.ts'
import type { FontWorld } from './font-worlds.ts'
import type { VendorStandIn } from './vendor-stand-in.ts'
import type { BrowserEngine } from './visitor.ts'
import { launchWebKit } from './webkit.ts'
import { newWebKitVisitor } from './webkit-visitor.ts'

export const BROWSERS = ['Chromium', 'Firefox', 'WebKit'] as const
export type BrowserName = (typeof BROWSERS)[number]

interface EngineOptions {
  fonts?: FontWorld | undefined
  /** Chromium only. */
  isolatesSites?: boolean | undefined
  /** Replaces the vendors; without it no foreign host is reachable. */
  vendors?: Pick<VendorStandIn, 'resolve' | 'proxy' | 'certificate'>
}

const LAUNCH: Record<BrowserName, (options: EngineOptions) => Promise<BrowserEngine>> = {
  Chromium: async ({ fonts, isolatesSites = false, vendors }) => {
    const browser = await launchBrowser({
      fonts,
      isolatesSites,
      resolve: vendors?.resolve,
      trusts: vendors?.certificate.cert,
    })
    return { newVisitor: () => newChromiumVisitor(browser), close: () => browser.close() }
  },
  Firefox: async ({ fonts, vendors }) => {
    const browser = await launchFirefox({ fonts, proxy: vendors?.proxy })
    return { newVisitor: () => newFirefoxVisitor(browser), close: () => browser.close() }
  },
  WebKit: async ({ fonts, vendors }) => {
    const webkit = await launchWebKit({ fonts, proxy: vendors?.proxy })
    return { newVisitor: () => newWebKitVisitor(webkit), close: () => webkit.close() }
  },
}

/** False for a browser that is not available on this machine; the run has reported it. */
export function canBeHad(browser: BrowserName): boolean {
  if (browser === 'Firefox') return inject('firefox') !== null
  if (browser === 'WebKit') return inject('webkit') !== null
  return true
}

export function launchEngine(browser: BrowserName, options: EngineOptions = {}): Promise<BrowserEngine> {
  return LAUNCH[browser](options)
}
