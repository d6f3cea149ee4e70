import { type BrowserName, launchEngine } from './browser-engines.ts'
import { type Journey, PIXEL_NAME } from './engine-journeys.ts'
import { insertPixel } from './insert-pixel.ts'
import { startTestApp } from './test-app.ts'
import { startTlsFront } from './tls-front.ts'
import { untilTags } from './until-tags.ts'
import { startVendors } from './vendor-stand-in.ts'

export interface Journeys {
  /** Each runs with a new visitor. */
  run(journey: Journey): Promise<void>
  close(): Promise<void>
}

interface JourneyOptions {
  /** By https, as in production: on http WebKit keeps no dashboard cookie, also on this machine. */
  isSecure?: boolean
}

/** One browser and one server, for any number of journeys. */
export async function startJourneys(
  browser: BrowserName,
  { isSecure = false }: JourneyOptions = {},
): Promise<Journeys> {
  const vendors = await startVendors()
  const front = isSecure ? await startTlsFront(vendors.certificate, () => site.config.port) : null
  const env = front === null ? {} : { SITE_URL: `https://localhost:${front.port}` }
  const site = await startTestApp({ listen: true, env })
  const url = site.config.siteUrl
  await insertPixel(site.database.db, { type: 'meta', name: PIXEL_NAME })
  await untilTags(site.url)
  const engine = await launchEngine(browser, { vendors })
  return {
    run: async (journey) => {
      vendors.clear()
      const visitor = await engine.newVisitor()
      try {
        await journey({ visitor, site, url, vendors })
      } finally {
        await visitor.close()
      }
    },
    close: async () => {
      await engine.close()
      await front?.close()
      await site.close()
      await vendors.close()
    },
  }
}
