// Needs a browser: the attacks are on WebKit’s own boundaries.
import type { WebDriver } from 'selenium-webdriver'
import { describe, expect, test, vi } from 'vitest'
import { canBeHad } from '../support/browser-engines.ts'
import { CONSENT, startHostileSite } from '../support/hostile-site.ts'
import { type AttackedPage, judgePageAttack } from '../support/judge-page-attack.ts'
import type { PageAttack } from '../support/page-attacks.ts'
import { launchWebKit } from '../support/webkit.ts'

/** What a tag can do to the page by messages and by the tab's history. */
const TRIED: PageAttack[] = ['flood', 'flood-large', 'flood-nested', 'history']
/** Frames share the page's process here: a tag that builds and posts large messages blocks it. */
const REMAINS: PageAttack[] = ['flood-large']
const WAIT = { timeout: 30_000, interval: 50 }

describe.runIf(canBeHad('WebKit'))('isolated tags in WebKit', () => {
  test.each(TRIED)('%s fails in an isolated frame as far as WebKit can', async (name) => {
    const site = await startHostileSite()
    const webkit = await launchWebKit()
    try {
      const page = await openAttacked(await webkit.open(), site.url)
      const target = { app: site, pixel: site.victims.isolated, isExpected: false }
      expect(await judgePageAttack(name, page, target)).toEqual(
        REMAINS.includes(name) ? expect.any(String) : null,
      )
    } finally {
      await webkit.close()
      await site.close()
    }
  })
})

/** A visitor's page on which both tags have run in their frames. */
async function openAttacked(driver: WebDriver, url: string): Promise<AttackedPage> {
  await driver.get(`${url}/termos`)
  await driver.manage().addCookie({ name: 'portico_consent', value: CONSENT, path: '/' })
  await driver.get(`${url}/?utm_source=a&email=maria@exemplo.com`)
  const run = async (frame: number | null, work: unknown, argument?: unknown) => {
    await driver.switchTo().defaultContent()
    if (frame !== null) await driver.switchTo().frame(frame)
    const source = `const done = arguments[arguments.length - 1]
      Promise.resolve((${String(work)})(arguments[0])).then((value) => done({ value }), (error) => done({ error: String(error) }))`
    const { value, error } = await driver.executeAsyncScript<{ value: never; error?: string }>(
      source,
      argument,
    )
    if (error !== undefined) throw new Error(error)
    return value
  }
  const find = (name: string) =>
    vi.waitFor(async () => {
      const count: number = await run(null, () => window.length)
      for (let frame = 0; frame < count; frame++)
        if (await run(frame, (each: string) => each in window, name)) return frame
      throw new Error(`no frame has ${name}`)
    }, WAIT)
  const tag = await find('attackPage')
  const victim = await find('heard')
  return {
    inPage: (work, argument) => run(null, work, argument),
    inTag: (work, argument) => run(tag, work, argument),
    inVictim: (work) => run(victim, work),
    press: () => Promise.reject(new Error('not driven')),
    clickAt: () => Promise.reject(new Error('not driven')),
    addresses: async () => [await driver.getCurrentUrl()],
    openerAddress: async () => '',
  }
}
