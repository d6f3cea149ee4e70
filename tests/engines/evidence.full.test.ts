// Needs a browser: what a visit can report differs by engine.
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { healthLabel, type TagOverview } from '#contract/tag-status.ts'
import { readKeys } from '../acceptance/auth-keys.ts'
import { BROWSERS, type BrowserName, canBeHad, launchEngine } from '../support/browser-engines.ts'
import { untilAsked } from '../support/engine-journeys.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { untilTags } from '../support/until-tags.ts'
import { startVendors, type VendorStandIn } from '../support/vendor-stand-in.ts'
import { metaPixel } from '../support/vendor-stand-ins/meta-pixel.ts'
import type { BrowserEngine } from '../support/visitor.ts'

/** What each browser can tell of a valid account, of an unknown one beside it, and of an unknown one alone. */
const SAYS: Record<BrowserName, { heard: string; alone: string }> = {
  Chromium: { heard: 'Funcionando', alone: 'Com falhas' },
  Firefox: { heard: 'Funcionando', alone: 'Não funciona' },
  // Safari is recognised by `GestureEvent`, which this build of WebKit lacks: it is treated like Chromium.
  WebKit: { heard: 'Funcionando', alone: 'Com falhas' },
}
const UNKNOWN = '000000000000000'
/** As many as a judgement takes, and more: a busy browser may end a visit before it has seen the vendor's request. */
const VISITS = { needed: 3, most: 8 }

for (const browser of BROWSERS) {
  describe.runIf(canBeHad(browser))(`in ${browser}`, () => {
    let vendors: VendorStandIn
    let site: TestApp
    let engine: BrowserEngine
    beforeAll(async () => {
      vendors = await startVendors()
      site = await startTestApp({ listen: true })
      engine = await launchEngine(browser, { vendors })
    })
    afterAll(async () => {
      await engine?.close()
      await site?.close()
      await vendors?.close()
    })

    test('visits report two accounts of one vendor as far as the browser can tell', async () => {
      const heard = await insertPixel(site.database.db, { type: 'meta', pixel_id: metaPixel.account })
      const unknown = await insertPixel(site.database.db, { type: 'meta', pixel_id: UNKNOWN })
      await untilTags(site.url)
      const pageViews = () => vendors.hits.filter(({ heard: event }) => event !== null).length
      const visits = await visitUntilSaid(
        heard,
        { [heard]: SAYS[browser].heard, [unknown]: 'Não funciona' },
        // A request that is still in the queue is lost when the page is loaded again.
        (count) => vi.waitFor(() => expect(pageViews()).toBeGreaterThanOrEqual(count), 30_000),
      )
      expect(pageViews()).toBe(visits)
    })

    test('and an unknown one alone', async () => {
      await site.database.db.deleteFrom('tracking_pixels').execute()
      const unknown = await insertPixel(site.database.db, { type: 'meta', pixel_id: UNKNOWN })
      await visitUntilSaid(unknown, { [unknown]: SAYS[browser].alone })
    })

    /** Visits the page, each time until the pixel was reported. Returns the number of visits. */
    async function visitUntilSaid(
      pixel: string,
      expected: Record<string, string>,
      isOver: (visits: number) => unknown = () => {},
    ): Promise<number> {
      await site.forgetLimits()
      await vi.waitFor(async () => {
        const version = /data-tags="([^"]+)"/.exec(await (await fetch(site.url)).text())?.[1]
        expect(await (await fetch(`${site.url}/tags/${version}.js`)).text()).toContain(pixel)
      }, 30_000)
      const visitor = await engine.newVisitor()
      await visitor.goto(site.url)
      await untilAsked(visitor)
      await visitor.click('button', 'Aceitar todos')
      let said: Record<string, string> = {}
      let visits = 0
      do {
        if (visits > 0) await visitor.reload()
        visits++
        await isOver(visits)
        await vi.waitFor(
          async () => {
            const all = await statuses()
            const status = all.find(({ pixel_id }) => pixel_id === pixel)
            expect((status?.ran ?? 0) + (status?.blocked ?? 0) + (status?.failed ?? 0)).toBe(visits)
            said = Object.fromEntries(all.map((each) => [each.pixel_id, healthLabel(each)]))
          },
          { timeout: 30_000, interval: 250 },
        )
      } while (visits < VISITS.needed || (visits < VISITS.most && !isDeepStrictEqual(said, expected)))
      expect(said).toEqual(expected)
      await visitor.close()
      return visits
    }

    async function statuses(): Promise<TagOverview['pixels']> {
      const { service: key } = await readKeys(site)
      const headers = { apikey: key, authorization: `Bearer ${key}` }
      return ((await (await fetch(`${site.url}/admin/api/tags`, { headers })).json()) as TagOverview).pixels
    }
  })
}
