import { type BrowserName, launchEngine } from './browser-engines.ts'
import { type Journey, PIXEL_NAME } from './engine-journeys.ts'
import { insertPixel } from './insert-pixel.ts'
import { startTestApp } from './test-app.ts'
import { untilTags } from './until-tags.ts'
import { startVendors } from './vendor-stand-in.ts'

export interface Journeys {
  /** Each is made by a new visitor. */
  run(journey: Journey): Promise<void>
  close(): Promise<void>
}

/** One browser and one server, for any number of journeys. */
export async function startJourneys(browser: BrowserName): Promise<Journeys> {
  const vendors = await startVendors()
  const site = await startTestApp({ listen: true })
  await insertPixel(site.database.db, { type: 'meta', name: PIXEL_NAME })
  await untilTags(site.url)
  const engine = await launchEngine(browser, { vendors })
  return {
    run: async (journey) => {
      vendors.clear()
      const visitor = await engine.newVisitor()
      try {
        await journey({ visitor, site, vendors })
      } finally {
        await visitor.close()
      }
    },
    close: async () => {
      await engine.close()
      await site.close()
      await vendors.close()
    },
  }
}
