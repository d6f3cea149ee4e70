// Needs a browser: whether a frame sends while its page is left differs by engine.
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { canBeHad, launchEngine } from '../support/browser-engines.ts'
import { readDocRow, writeDocRow } from '../support/doc-table.ts'
import { untilAsked } from '../support/engine-journeys.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { APP_URL, CONVERTING, ISOLATED_STAND_INS, LABELS, leaveAtOnce } from '../support/leave-at-once.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { startTlsFront, type TlsFront } from '../support/tls-front.ts'
import { startVendors, type VendorStandIn } from '../support/vendor-stand-in.ts'
import type { BrowserEngine } from '../support/visitor.ts'

/** As many as the document is based on, under `-u`; a tenth shows whether it is still true. */
const CLICKS = inject('updatesDocs') ? 50 : 5
const PLACES = [
  { place: 'Chromium, one process for all', browser: 'Chromium' },
  { place: 'Chromium, a process for isolated frames', browser: 'Chromium', isolatesSites: true },
  { place: 'Firefox', browser: 'Firefox' },
  { place: 'WebKit', browser: 'WebKit' },
] as const

for (const { place, browser, ...how } of PLACES) {
  describe.runIf(canBeHad(browser))(place, () => {
    let vendors: VendorStandIn
    let site: TestApp
    let engine: BrowserEngine
    let front: TlsFront
    let url = ''
    beforeAll(async () => {
      vendors = await startVendors()
      // Some snippets name no scheme: on http they would use http.
      front = await startTlsFront(vendors.certificate, () => site.config.port)
      url = `https://localhost:${front.port}`
      site = await startTestApp({ listen: true, env: { APP_URL, SITE_URL: url } })
      const { db } = site.database
      for (const { snippet, account } of ISOLATED_STAND_INS) {
        const id = await insertPixel(db, { type: 'custom', code: snippet(account), runs_in: 'isolated' })
        const conversion_labels = JSON.stringify(LABELS)
        await db.updateTable('tracking_pixels').set({ conversion_labels }).where('id', '=', id).execute()
      }
      await vi.waitFor(async () => {
        const [, version = ''] = /data-tags="([^"]+)"/.exec(await (await fetch(site.url)).text()) ?? []
        const manifest = await (await fetch(`${site.url}/tags/${version}.js`)).text()
        expect(manifest.split('"room"')).toHaveLength(ISOLATED_STAND_INS.length + 1)
      }, 60_000)
      engine = await launchEngine(browser, { vendors, ...how })
    })
    afterAll(async () => {
      await engine?.close()
      await front?.close()
      await site?.close()
      await vendors?.close()
    })

    test('conversions leave their isolated frames although the visitor leaves at once', async () => {
      const lost = new Map<string, number>()
      for (let click = 0; click < CLICKS; click++) {
        await site.forgetLimits()
        const visitor = await engine.newVisitor()
        const missing = await leaveAtOnce({
          vendors,
          arrive: async () => {
            await visitor.goto(url)
            await untilAsked(visitor)
            await visitor.click('button', 'Aceitar todos')
          },
          leave: () => visitor.click('link', 'Abrir Conta'),
        })
        await visitor.close()
        if (missing.length > 0) console.log(place, click, missing)
        for (const vendor of missing) lost.set(vendor, (lost.get(vendor) ?? 0) + 1)
      }
      const whole = CONVERTING.length - lost.size
      expect(whole).toBeGreaterThanOrEqual(8)
      const losses = [...lost].map(([vendor, times]) => `${vendor} ${times}`).join(', ') || 'nothing'
      if (inject('updatesDocs'))
        writeDocRow('docs/reports/vendors.md', 'outbound clicks', [
          place,
          `${CLICKS}`,
          `${whole} of ${CONVERTING.length}`,
          losses,
        ])
      const written = readDocRow('docs/reports/vendors.md', 'outbound clicks', place)?.at(-1) ?? ''
      expect([...lost.keys()].filter((vendor) => !written.includes(vendor))).toEqual([])
    }, 1_800_000)
  })
}
