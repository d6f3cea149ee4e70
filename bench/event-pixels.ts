import { googleAnalytics4 } from '../tests/support/vendor-stand-ins/google-analytics-4.ts'
import { metaPixel } from '../tests/support/vendor-stand-ins/meta-pixel.ts'

const META = { name: 'Meta', type: 'meta', pixel_id: metaPixel.account }
const GA4 = { name: 'GA4', type: 'google_analytics', pixel_id: googleAnalytics4.account }

/** Two typical vendors: sent by the server, with nothing on the page. */
export const SERVER_PIXELS = [
  { ...META, delivery: 'server', access_token: 'good-token' },
  { ...GA4, delivery: 'server', access_token: 'google-secret' },
]

/** The same two with their own scripts. */
export const BROWSER_PIXELS = [
  { ...META, code: metaPixel.snippet(metaPixel.account) },
  { ...GA4, code: googleAnalytics4.snippet(googleAnalytics4.account) },
]
