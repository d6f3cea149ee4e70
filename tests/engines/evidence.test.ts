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

/** What each can tell of an account that is heard, of one that does not exist beside it, and of one of these alone. */
const SAYS: Record<BrowserName, { heard: string; alone: string }> = {
  Chromium: { heard: 'Funcionando', alone: 'Com falhas' },
  Firefox: { heard: 'Funcionando', alone: 'Não funciona' },
  // Safari is told by `GestureEvent`, which this build of WebKit lacks: it counts as one that tells no more than Chromium.
  WebKit: { heard: 'Funcionando', alone: 'Com falhas' },
}
const UNKNOWN = '000000000000000'
const VISITS = 3

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

    test('three visits say of two accounts of one vendor what that browser can tell', async () => {
      const heard = await insertPixel(site.database.db, { type: 'meta', pixel_id: metaPixel.account })
      const unknown = await insertPixel(site.database.db, { type: 'meta', pixel_id: UNKNOWN })
      await untilTags(site.url)
      await visit(heard)
      await untilSaid({ [heard]: SAYS[browser].heard, [unknown]: 'Não funciona' })
      expect(vendors.hits.filter(({ heard: event }) => event !== null)).toHaveLength(VISITS)
    })

    test('and of one that does not exist, by itself', async () => {
      await site.database.db.deleteFrom('tracking_pixels').execute()
      const unknown = await insertPixel(site.database.db, { type: 'meta', pixel_id: UNKNOWN })
      await visit(unknown)
      await untilSaid({ [unknown]: SAYS[browser].alone })
    })

    /** Each until the visit was told. */
    async function visit(pixel: string): Promise<void> {
      await site.forgetLimits()
      await vi.waitFor(async () => {
        const version = /data-tags="([^"]+)"/.exec(await (await fetch(site.url)).text())?.[1]
        expect(await (await fetch(`${site.url}/tags/${version}.js`)).text()).toContain(pixel)
      }, 30_000)
      const visitor = await engine.newVisitor()
      await visitor.goto(site.url)
      await untilAsked(visitor)
      await visitor.click('button', 'Aceitar todos')
      for (let visits = 1; visits <= VISITS; visits++) {
        if (visits > 1) await visitor.reload()
        await vi.waitFor(
          async () => {
            const status = (await statuses()).find(({ pixel_id }) => pixel_id === pixel)
            expect((status?.ran ?? 0) + (status?.blocked ?? 0) + (status?.failed ?? 0)).toBe(visits)
          },
          { timeout: 30_000, interval: 250 },
        )
      }
      await visitor.close()
    }

    async function statuses(): Promise<TagOverview['pixels']> {
      const { service: key } = await readKeys(site)
      const headers = { apikey: key, authorization: `Bearer ${key}` }
      return ((await (await fetch(`${site.url}/admin/api/tags`, { headers })).json()) as TagOverview).pixels
    }

    async function untilSaid(expected: Record<string, string>): Promise<void> {
      await vi.waitFor(async () => {
        const said = (await statuses()).map((status) => [status.pixel_id, healthLabel(status)])
        expect(Object.fromEntries(said)).toEqual(expected)
      }, 30_000)
    }
  })
}
