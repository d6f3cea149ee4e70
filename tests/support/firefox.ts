import { dirname } from 'node:path'
import puppeteer, { type Browser } from 'puppeteer-core'
import { inject, test } from 'vitest'
import type { FontWorld } from './font-worlds.ts'

/** `test` where Firefox is available; elsewhere the run has reported it. */
export const testInFirefox = test.runIf(inject('firefox') !== null)

/** For `waitForFunction`, which by default polls with animation frames: a page behind another tab gets none. */
export const BY_TIMER = { polling: 50, timeout: 60_000 }

interface FirefoxOptions {
  /** The fonts of the visitor's device; the system's are hidden. */
  fonts?: FontWorld | undefined
  /** `host:port` of the proxy for https; localhost is reached directly. */
  proxy?: string | undefined
  /** Preferences by their names in `about:config`. */
  preferences?: Record<string, unknown>
}

/** Firefox over WebDriver BiDi, with its own profile and without background requests. */
export function launchFirefox({
  fonts = 'liberation',
  proxy,
  preferences = {},
}: FirefoxOptions = {}): Promise<Browser> {
  const executablePath = inject('firefox')
  if (executablePath === null) throw new Error('Firefox is not installed')
  const fontConfiguration = inject('fontConfigurations')[fonts]
  return puppeteer.launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    env: { ...process.env, FONTCONFIG_FILE: fontConfiguration },
    acceptInsecureCerts: true,
    extraPrefsFirefox: {
      'app.normandy.enabled': false,
      'app.update.enabled': false,
      'browser.safebrowsing.malware.enabled': false,
      'browser.safebrowsing.phishing.enabled': false,
      'datareporting.policy.dataSubmissionEnabled': false,
      'extensions.getAddons.cache.enabled': false,
      'network.captive-portal-service.enabled': false,
      'network.connectivity-service.enabled': false,
      'security.sandbox.content.read_path_whitelist': `${dirname(fontConfiguration)}/`,
      'services.settings.server': 'data:,',
      'toolkit.telemetry.enabled': false,
      ...(proxy === undefined ? {} : toProxyPreferences(proxy)),
      ...preferences,
    },
  })
}

function toProxyPreferences(proxy: string): Record<string, unknown> {
  const { hostname, port } = new URL(`http://${proxy}`)
  return { 'network.proxy.type': 1, 'network.proxy.ssl': hostname, 'network.proxy.ssl_port': Number(port) }
}
