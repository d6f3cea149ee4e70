import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OptionalCategory } from '../src/contract/consent.ts'
import { CONSENT_TEXT_VERSION, formatConsent, OPTIONAL_CATEGORIES } from '../src/contract/consent-choice.ts'
import { PRINCIPAL, signIn } from '../tests/chaos/sign-in.ts'
import { freePort } from '../tests/support/free-port.ts'
import { startVendorApis } from '../tests/support/vendor-apis/start-vendor-apis.ts'
import { startPageServer } from './page-server.ts'

const USER_AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36'

/** A vendor on another continent. */
const VENDOR_MS = 200

export interface EventSite {
  url: string
  pid: number
  /** The SQLite file. */
  file: string
  /** A visitor who accepted everything, with a consent record. */
  cookie: string
  /** Of an administrator. */
  headers: Record<string, string>
  /** Of an event that this visitor's browser posts. */
  visitorHeaders: Record<string, string>
  /** The same of a visitor who accepted only these categories. */
  addVisitor(categories: readonly OptionalCategory[]): Promise<Record<string, string>>
  addPixel(pixel: object): Promise<void>
  removePixels(): Promise<void>
  /** Requests from the server to vendors so far. */
  countReceived(): number
  stop(): Promise<void>
}

/**
 * The built server on SQLite with stand-ins of the vendors' APIs. `publicUrl` is the browsers' address if it differs:
 * the policy only allows that one.
 */
export async function startEventSite(publicUrl?: string): Promise<EventSite> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const apis = await startVendorApis()
  apis.keepsConnections = true
  apis.keepsRequests = false
  apis.answersAfterMs = VENDOR_MS
  const certificate = join(directory, 'vendors.pem')
  writeFileSync(certificate, apis.certificate)
  const port = await freePort()
  const url = `http://localhost:${port}`
  const server = await startPageServer({
    name: 'Pórtico',
    url,
    command: [process.execPath, 'dist/server/serve.js'],
    // As on a separate machine; clients are limited to one processor.
    role: 'any',
    env: {
      PORT: String(port),
      SITE_URL: publicUrl ?? url,
      DATA_DIR: directory,
      TRUST_PROXY: 'true',
      HTTPS_PROXY: apis.proxyUrl,
      NODE_EXTRA_CA_CERTS: certificate,
      LOG_LEVEL: 'silent',
      // An hour of the soak sends 36 times the default.
      EVENTS_PER_HOUR: '10000000',
      PRINCIPAL_ADMIN_EMAIL: PRINCIPAL.email,
      PRINCIPAL_ADMIN_PASSWORD: PRINCIPAL.password,
    },
  })
  const stop = async () => {
    await server.stop()
    await apis.close()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const { headers } = await signIn(url)
    const pixels = `${url}/rest/v1/tracking_pixels`
    const removePixels = () => send('DELETE', `${pixels}?id=not.is.null`, headers)
    await removePixels()
    const cookie = await recordChoice(url, OPTIONAL_CATEGORIES)
    return {
      url,
      pid: server.pid,
      file: join(directory, 'portico.db'),
      cookie,
      headers,
      visitorHeaders: headersOf(cookie),
      addVisitor: async (categories) => headersOf(await recordChoice(url, categories)),
      addPixel: (pixel) => send('POST', pixels, headers, pixel),
      removePixels,
      countReceived: () => apis.count,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Vendors refuse events without a user agent. */
function headersOf(cookie: string): Record<string, string> {
  return { cookie, 'user-agent': USER_AGENT, 'content-type': 'application/json' }
}

async function recordChoice(site: string, granted: readonly OptionalCategory[]): Promise<string> {
  const id = randomUUID()
  const choice = {
    id,
    action: 'save',
    categories: granted,
    text_version: CONSENT_TEXT_VERSION,
    tag_set_version: '',
  }
  await send('POST', `${site}/api/consent`, {}, choice)
  return `portico_consent=${formatConsent({ textVersion: CONSENT_TEXT_VERSION, granted: [...granted], asked: [...OPTIONAL_CATEGORIES], id })}`
}

async function send(
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: object,
): Promise<void> {
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
}
