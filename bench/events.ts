/** Conversions as visitors tell them: how many a second are stored for good, and whether the page notices. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { formatConsent, OPTIONAL_CATEGORIES } from '../src/contract/consent-choice.ts'
import { PRINCIPAL, signIn } from '../tests/chaos/sign-in.ts'
import { freePort } from '../tests/support/free-port.ts'
import { startVendorApis } from '../tests/support/vendor-apis/start-vendor-apis.ts'
import { measureVisits, type Visits } from './measure-visits.ts'
import { startPageServer } from './page-server.ts'
import { pinProcess } from './processor.ts'
import { startLoad } from './start-load.ts'

const SECONDS = 6
const WARM_UP_MS = 6_000
const AIM_PER_SECOND = 3_000
const LEAST_LIMIT_MS = 10
/** As long as a vendor on another continent takes. */
const VENDOR_MS = 200
const PIXELS = [
  { name: 'Meta', type: 'meta', pixel_id: '482910377165024', access_token: 'good-token' },
  { name: 'GA4', type: 'google_analytics', pixel_id: 'G-7XK2M9QTLP', access_token: 'google-secret' },
]

/** What was measured, and the aim. Each event is for Meta and Google, so two rows, and both are told meanwhile. */
export async function benchEvents(): Promise<string[][]> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const apis = await startVendorApis()
  apis.keepsConnections = true
  apis.answersAfterMs = VENDOR_MS
  const certificate = join(directory, 'vendors.pem')
  writeFileSync(certificate, apis.certificate)
  const port = await freePort()
  const site = `http://localhost:${port}`
  const server = await startPageServer({
    name: 'Pórtico',
    url: site,
    command: [process.execPath, 'dist/server/serve.js'],
    env: {
      PORT: String(port),
      SITE_URL: site,
      DATA_DIR: directory,
      TRUST_PROXY: 'true',
      HTTPS_PROXY: apis.proxyUrl,
      NODE_EXTRA_CA_CERTS: certificate,
      LOG_LEVEL: 'silent',
      PRINCIPAL_ADMIN_EMAIL: PRINCIPAL.email,
      PRINCIPAL_ADMIN_PASSWORD: PRINCIPAL.password,
    },
  })
  pinProcess('client', process.pid)
  try {
    const { headers } = await signIn(site)
    for (const pixel of PIXELS)
      await post(`${site}/rest/v1/tracking_pixels`, { ...pixel, delivery: 'server' }, headers)
    const cookie = await consent(site)
    await measureVisits(`${site}/`, SECONDS)
    const idle = await measureVisits(`${site}/`, SECONDS)
    const limit = Math.max(LEAST_LIMIT_MS, idle.p99 * 1.5)
    const load = startLoad({
      url: `${site}/api/events`,
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'lead', path: '/' }),
      perSecond: AIM_PER_SECOND,
    })
    await setTimeout(WARM_UP_MS)
    const file = join(directory, 'portico.db')
    const [before, since] = [countEvents(file), performance.now()]
    const visits = await measureVisits(`${site}/`, SECONDS)
    const perSecond = (countEvents(file) - before) / ((performance.now() - since) / 1000)
    const answered = await load.end()
    return [
      [
        'events stored a second, each for two vendors',
        perSecond.toFixed(0),
        `at least ${AIM_PER_SECOND * 0.99}`,
      ],
      ['answers', answered, 'all 204'],
      ['page alone', describe(idle), ''],
      ['page beside the events', describe(visits), `p99 at most ${limit.toFixed(1)} ms`],
    ]
  } finally {
    await server.stop()
    await apis.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

const describe = ({ p50, p99, max }: Visits) =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms`

/** What waits and what was settled, by one of the two pixels: read from the file, and so durable or about to be. */
function countEvents(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    const count = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0] ?? 0)
    database.exec('begin')
    return (
      count(`select count(*) from deliveries where kind = 'meta'`) +
      count(
        `select coalesce(sum(count), 0) from delivery_counts where pixel_id = (select id from tracking_pixels where type = 'meta')`,
      )
    )
  } finally {
    database.close()
  }
}

async function consent(site: string): Promise<string> {
  const id = randomUUID()
  const choice = { id, action: 'save', categories: OPTIONAL_CATEGORIES, text_version: 1, tag_set_version: '' }
  await post(`${site}/api/consent`, choice, {})
  return `portico_consent=${formatConsent({ textVersion: 1, granted: [...OPTIONAL_CATEGORIES], asked: [...OPTIONAL_CATEGORIES], id })}`
}

async function post(url: string, body: object, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
}
