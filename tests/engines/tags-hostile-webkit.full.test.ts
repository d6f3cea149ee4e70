// Needs a browser: the attacks are on WebKit’s own boundaries.
import type { WebDriver } from 'selenium-webdriver'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { canBeHad } from '../support/browser-engines.ts'
import { writeDocRow } from '../support/doc-table.ts'
import { ATTACKS, CONTROLS, ON_THEIR_OWN, SPRINGBOARDS } from '../support/hostile-attacks.ts'
import { CONSENT, readAnonKey, startHostileSite } from '../support/hostile-site.ts'
import { PRINCIPAL, type TestApp } from '../support/test-app.ts'
import { startTlsFront, type TlsFront } from '../support/tls-front.ts'
import { startUnprotectedCopy, type UnprotectedCopy } from '../support/unprotected-proxy.ts'
import { makeCertificate } from '../support/vendor-stand-in.ts'
import { launchWebKit, type WebKit } from '../support/webkit.ts'

/** Attacks that fail on a copy without protections as well, and why: their failure here proves nothing. */
const NOT_DRIVEN: Record<string, string> = {
  'broadcast-channel':
    'cannot be driven: the dashboard would have to be open in a second tab, which its driver hides',
}
const CONTROLLED = ON_THEIR_OWN.filter((name) => CONTROLS.includes(name))
const WAIT = { timeout: 30_000, interval: 50 }

describe.runIf(canBeHad('WebKit'))('in WebKit', () => {
  let site: TestApp
  const fronts: TlsFront[] = []
  const urls = { here: '', copy: '', springboardCopy: '' }
  let copied: TestApp
  let copy: UnprotectedCopy
  let springboardCopy: UnprotectedCopy
  let webkit: WebKit
  let here: Map<string, string | null>
  let there: Map<string, string | null>
  beforeAll(async () => {
    // WebKit keeps the dashboard's cookie on https only, also on this machine.
    const certificate = await makeCertificate()
    const inFrontOf = async (port: () => number) => {
      const front = await startTlsFront(certificate, port)
      fronts.push(front)
      return `https://localhost:${front.port}`
    }
    urls.here = await inFrontOf(() => site.config.port)
    site = await startHostileSite({ SITE_URL: urls.here })
    copied = await startHostileSite()
    const options = { target: copied.url, anonKey: await readAnonKey(copied.url) }
    copy = await startUnprotectedCopy(options)
    springboardCopy = await startUnprotectedCopy({ ...options, keepsConnectSource: true })
    urls.copy = await inFrontOf(() => Number(new URL(copy.url).port))
    urls.springboardCopy = await inFrontOf(() => Number(new URL(springboardCopy.url).port))
    webkit = await launchWebKit({ opensWindows: true })
    here = await attack(urls.here, site, ON_THEIR_OWN, 1)
    const alone = CONTROLLED.filter((name) => !SPRINGBOARDS.test(name))
    const fromSpringboards = CONTROLLED.filter((name) => SPRINGBOARDS.test(name))
    there = new Map([
      ...(await attack(urls.copy, copied, alone, 20)),
      ...(await attack(urls.springboardCopy, copied, fromSpringboards, 20)),
    ])
  }, 600_000)
  afterAll(async () => {
    await webkit?.close()
    await copy?.close()
    await springboardCopy?.close()
    for (const front of fronts) await front.close()
    await site?.close()
    await copied?.close()
  })

  /** An administrator signs in and leaves the dashboard for the page, where the hostile tag runs with consent. */
  async function open(driver: WebDriver, url: string, anonKey: string): Promise<void> {
    const until = (condition: string) =>
      vi.waitFor(
        async () => expect(await driver.executeScript(`return ${condition}`), condition).toBe(true),
        WAIT,
      )
    await driver.get(`${url}/admin`)
    const body = JSON.stringify({ email: PRINCIPAL.email, password: PRINCIPAL.password })
    const status = await driver.executeScript(
      `const headers = { 'content-type': 'application/json', apikey: arguments[1] }
      return fetch('/auth/v1/token?grant_type=password', { method: 'POST', headers, body: arguments[0] })
        .then((answer) => answer.status)`,
      body,
      anonKey,
    )
    expect(status).toBe(200)
    await driver.get(`${url}/admin`)
    await until(`[...document.querySelectorAll('button')].some((button) => button.textContent === 'Sair')`)
    await driver.executeScript(`document.cookie = 'portico_consent=${CONSENT}; path=/'`)
    await driver.get(url)
    await until(`'attack' in window`)
  }

  /**
   * What each attack got, or null. The driver has one browser at a time. `patience` is high where attacks should succeed:
   * on a busy machine they take longer.
   */
  async function attack(
    url: string,
    app: TestApp,
    names: readonly string[],
    patience: number,
  ): Promise<Map<string, string | null>> {
    const driver = await webkit.open()
    try {
      await driver.manage().setTimeouts({ script: 120_000 })
      await open(driver, url, await readAnonKey(app.url))
      await driver.executeScript('window.patience = arguments[0]', patience)
      const found = new Map<string, string | null>()
      for (const name of names)
        found.set(name, await driver.executeScript('return window.attack(arguments[0])', name))
      return found
    } finally {
      await driver.quit()
    }
  }

  test.each(ON_THEIR_OWN)('%s fails', (name) => {
    expect(here.get(name)).toBeNull()
    writeDocRow('docs/reports/attacks.md', 'attacks in WebKit', [
      ATTACKS[name] ?? name,
      NOT_DRIVEN[name] ?? 'fails',
    ])
  })

  test.each(CONTROLLED)('%s works on a copy without protections', (name) => {
    expect(there.get(name)).toEqual(expect.any(String))
  })
})
