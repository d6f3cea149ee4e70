/**
 * Lighthouse on the page of a visitor who accepted everything: without a tag, with Meta and Google Analytics sent by
 * the server, and with their scripts. The scripts are the tests' stand-ins, a few hundred bytes each: the vendors' own
 * are larger, so the last row is a minimum.
 */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { freePort } from '../tests/support/free-port.ts'
import { startVendors } from '../tests/support/vendor-stand-in.ts'
import { googleAnalytics4 } from '../tests/support/vendor-stand-ins/google-analytics-4.ts'
import { metaPixel } from '../tests/support/vendor-stand-ins/meta-pixel.ts'
import { BROWSER_PIXELS, SERVER_PIXELS } from './event-pixels.ts'
import { type LighthouseRun, measureLighthouse } from './measure-lighthouse.ts'
import { type EventSite, startEventSite } from './start-event-site.ts'

const WAYS: readonly { name: string; pixels: readonly object[] }[] = [
  { name: 'no tag', pixels: [] },
  { name: 'Meta and GA4 by the server', pixels: SERVER_PIXELS },
  { name: 'Meta and GA4 by stand-ins of their scripts', pixels: BROWSER_PIXELS },
]

/** Chromium makes its own requests through the same proxy. */
const VENDOR_HOSTS = new Set(
  [metaPixel, googleAnalytics4]
    .flatMap(({ answers }) => Object.keys(answers))
    .map((path) => path.split('/', 1)[0]),
)

/** One visit for each way. */
export async function benchEventsPage(): Promise<string[][]> {
  const port = await freePort()
  const page = `http://localhost:${port}/`
  const site = await startEventSite(new URL(page).origin)
  const vendors = await startVendors()
  const front = await startAcceptedFront(port, site)
  const options = {
    flags: [`--proxy-server=${vendors.proxy}`, '--ignore-certificate-errors'],
    categories: ['performance', 'best-practices'],
  }
  const rows: string[][] = []
  try {
    for (const { name, pixels } of WAYS) {
      await site.removePixels()
      for (const pixel of pixels) await site.addPixel(pixel)
      vendors.clear()
      const before = site.countReceived()
      const run = await measureLighthouse(page, options)
      const byPage = vendors.hits.filter(({ host }) => VENDOR_HOSTS.has(host)).length
      const byServer = site.countReceived() - before
      // A page whose scripts were blocked would be fast and measure nothing.
      if (pixels.length > 0 && byPage + byServer === 0) throw new Error(`${name}: no vendor got the visit`)
      rows.push([name, ...describe(run), `${byPage}`, `${byServer}`])
    }
  } finally {
    await front.stop()
    await vendors.close()
    await site.stop()
  }
  return [
    [
      'page after consent',
      'performance',
      'best practices',
      'FCP ms',
      'LCP ms',
      'TBT ms',
      'requests',
      'KB',
      'sent to vendors by the page',
      'by the server',
    ],
    ...rows,
  ]
}

function describe({ scores, fcp, lcp, tbt, requests, kilobytes }: LighthouseRun): string[] {
  const { performance = 0, 'best-practices': practices = 0 } = scores
  return [
    ...[performance, practices, fcp, lcp, tbt, requests].map((value) => value.toFixed(0)),
    kilobytes.toFixed(1),
  ]
}

/** Lighthouse clears the browser before each run: the choice comes with the page, as if made before. */
async function startAcceptedFront(
  listensOn: number,
  { url, cookie }: EventSite,
): Promise<{ stop(): Promise<void> }> {
  const { port } = new URL(url)
  const server = createServer((incoming, outgoing) => {
    const { url: path, method, headers } = incoming
    const options = { port, path, method, headers }
    const onward = request(options, (answer) => {
      const own = incoming.url === '/' ? { 'set-cookie': `${cookie}; Path=/; SameSite=Lax` } : {}
      outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...own })
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  server.listen(listensOn, '127.0.0.1')
  await once(server, 'listening')
  return {
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
