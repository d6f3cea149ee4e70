import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AppRoute, appRoutes } from '#tests/support/app-routes.ts'
import { writeDocRow } from '#tests/support/doc-table.ts'
import { lastRequest, pipelinedRequests } from '#tests/support/pipelined-requests.ts'
import type { RawAnswer } from '#tests/support/raw-request.ts'
import { keepsConnection, type Spelling, spellingsOf } from '#tests/support/spellings.ts'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { canonicalTarget } from './http/sockets/raw-server.ts'

const SITE = 'www.exemplo.com.br'
const ADMIN = 'painel.exemplo.com.br'
const SPLIT = { SITE_URL: `https://${SITE}`, ADMIN_URL: `https://${ADMIN}` }

/** What the fast path answers; built files and tags have their own names and are added. */
const PREPARED = [
  ...['/', '/privacidade', '/termos', '/cookies', '/compliance', '/robots.txt', '/llms.txt', '/sitemap.xml'],
  ...['/site.webmanifest', '/.well-known/security.txt', '/favicon.ico', '/apple-touch-icon.png'],
]
const POLICY_HEADERS = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
]
const SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'none'"

interface LogLine {
  msg: string
  path?: string
  count?: number
  reason?: string
  status: number
}

interface Place {
  name: string
  host: string
  env: Record<string, string>
}
const PLACES: Place[] = [
  { name: 'one host', host: 'localhost', env: {} },
  { name: 'two hosts, the public one', host: SITE, env: SPLIT },
  { name: 'two hosts, the one of the dashboard', host: ADMIN, env: SPLIT },
]

/** One path of each class: what ends the connection does so for every path, and each attempt takes a connection. */
const ENDING_TOO = new Set(['/admin', '/auth/v1/token', '/rest/v1/tracking_pixels', '/', '/healthz'])
/** Requests pipelined behind the page at a time. */
const DEPTH = 150

const tally = { spellings: 0, refused: 0 }

describe.each(PLACES)('every spelling of every route, on $name', ({ host, env }) => {
  let site: TestApp
  let routes: AppRoute[]
  const log: LogLine[] = []
  beforeAll(async () => {
    const lines = { write: (line: string) => void log.push(JSON.parse(line)) }
    site = await startTestApp({
      listen: true,
      env,
      log: pino({ level: 'info' }, lines),
      connectionLimits: { pipelined: 2 * DEPTH },
    })
    routes = onePerPath([...appRoutes(site.app, 'id-1'), ...(await preparedRoutes(site))])
  })
  afterAll(() => site.close())

  test('is refused, or answered like the route itself, or is another path without content', async () => {
    const plain = await ask(
      site,
      routes.map((route) => ({ route, spelling: { target: route.path } })),
      host,
    )
    const asked = routes.flatMap((route) =>
      spellingsOf(route.path, host)
        .filter((spelling) => keepsConnection(spelling) || ENDING_TOO.has(route.path))
        .map((spelling) => ({ route, spelling })),
    )
    const answers = await ask(site, asked, host)
    const wrong = asked.flatMap(({ route, spelling }, at) => {
      const own = plain[routes.indexOf(route)]
      const fault = own == null ? 'unanswered' : judge(spelling, route, own, answers[at] ?? null)
      return fault === null ? [] : [`${route.method} ${JSON.stringify(spelling)}: ${fault}`]
    })
    expect(wrong).toEqual([])

    const refused = answers.filter((answer) => answer !== null && isRefusal(answer))
    tally.refused += refused.length
    tally.spellings += asked.length
    await site.app.close()
    // What is no HTTP at all is answered without a date; the rest is in the log, alone or counted.
    const logged = refused.filter((answer) => answer?.headers.date !== undefined)
    expect(total(log.filter((line) => line.reason !== undefined))).toBe(logged.length)
    expect(log.filter((line) => line.msg === 'request completed' && !isLoggedPlainly(line))).toEqual([])
  }, 180_000)
})

test('writes the number of attempts into docs/reports/attacks.md', () => {
  expect(tally.refused).toBeGreaterThan(tally.spellings / 2)
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'A1',
    'every route × every spelling of its path (escapes of each character, double escapes, case, dots, slashes, semicolons, absolute form, HTTP/1.0, hosts), pipelined behind the page, on one host and on two',
    'refused with 400 and the strictest headers, or the same route with the same headers and host rule, or a 404',
    '`src/server/request-boundary.full.test.ts`',
  ])
})

async function preparedRoutes({ url }: TestApp): Promise<AppRoute[]> {
  const page = await (await fetch(url)).text()
  const [, asset = ''] = /src:"(\/assets\/[^"]+)"/.exec(page) ?? []
  expect(asset).not.toBe('')
  return [...PREPARED, asset].map((path) => ({ method: 'GET', path }))
}

/** The spelling of a path does not depend on the method. */
function onePerPath(routes: readonly AppRoute[]): AppRoute[] {
  return [...new Map(routes.toReversed().map((route) => [route.path, route])).values()]
}

interface Asked {
  route: AppRoute
  spelling: Spelling
}

async function ask(site: TestApp, asked: readonly Asked[], host: string): Promise<(RawAnswer | null)[]> {
  const { port } = site.config
  const lead = `GET / HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: br\r\n\r\n`
  const kept = asked.filter(({ spelling }) => keepsConnection(spelling))
  const answers = await pipelinedRequests(
    port,
    kept.map((each) => messageOf(each, host)),
    { lead, depth: DEPTH },
  )
  const known = new Map<Asked, RawAnswer | null>(kept.map((each, at) => [each, answers[at] ?? null]))
  for (const each of asked)
    if (!known.has(each)) known.set(each, await lastRequest(port, lead, messageOf(each, host)))
  return asked.map((each) => known.get(each) ?? null)
}

function messageOf({ route, spelling }: Asked, host: string): string {
  const { target, version = '1.1', hosts = [host] } = spelling
  const lines = hosts.map((each) => `Host: ${each}\r\n`).join('')
  return `${route.method} ${target} HTTP/${version}\r\n${lines}Accept: text/html\r\n\r\n`
}

/** What is wrong with a response, or null. `own` is the response to the canonical spelling. */
function judge(spelling: Spelling, route: AppRoute, own: RawAnswer, answer: RawAnswer | null): string | null {
  if (answer === null) return 'no answer'
  if (isRefusal(answer)) return null
  if (mustBeRefused(spelling, route)) return `not refused: ${answer.status}`
  if (answer.status === 404) {
    const mayBePage = !DASHBOARD.test(spelling.target)
    const isSafe = policyOf(answer) === policyOf(own) || answer.headers['content-security-policy'] === SANDBOX
    return isSafe || mayBePage ? null : 'a 404 with the policy of a public page'
  }
  // Every address below the dashboard that is no endpoint is one of its tabs.
  if (spelling.target.startsWith('/admin/') && isDashboardPage(answer)) return null
  // Without a key, an unknown path of the auth service only reports the missing key.
  const asksForKey = answer.status === 401 && spelling.target.startsWith('/auth/')
  if (own.status === 404 && !asksForKey) return `${answer.status} where the route answers 404`
  // A page's path with a slash at its end leads to the page.
  if (answer.status === 301) return isEmptyRedirect(answer, route) ? null : 'redirected elsewhere'
  return policyOf(answer) === policyOf(own) ? null : 'not the policy of the route'
}

function isEmptyRedirect({ headers, body }: RawAnswer, { path }: AppRoute): boolean {
  return headers.location === path && body === '' && headers['content-security-policy'] === SANDBOX
}

function isDashboardPage({ headers }: RawAnswer): boolean {
  return headers['content-security-policy']?.includes('trusted-types') ?? false
}

const DASHBOARD = /^\/(?:admin|auth|rest)(?:[/?]|$)/i
/** Escapes of letters, digits, `-._~`, slash, backslash and percent; what may be merged, resolved or read as a slash. */
const FORBIDDEN =
  /%(?:2[DEF5]|3\d|4[1-9A-F]|5[\dACF]|6[1-9A-F]|7[\dAE]|[01]\w|7F)|%(?!\w\w)|\/\/|\\|\/\.{1,2}(?:\/|$)|[^!-~]|#/i

function mustBeRefused({ target, version = '1.1', hosts }: Spelling, { path }: AppRoute): boolean {
  const [spelled = ''] = target.split('?', 1)
  if (!spelled.startsWith('/') || FORBIDDEN.test(spelled)) return true
  const isHealthCheck = version === '1.0' && ['/healthz', '/readyz', '/readyz/serve'].includes(path)
  return hosts !== undefined && !(hosts.length === 0 && isHealthCheck)
}

function isRefusal({ status, body, headers }: RawAnswer): boolean {
  return (
    status === 400 &&
    body.startsWith('{"code":"bad_request"') &&
    headers['content-security-policy'] === SANDBOX
  )
}

function policyOf({ headers }: RawAnswer): string {
  return JSON.stringify(POLICY_HEADERS.map((name) => headers[name]))
}

/** Number of requests behind these lines. */
function total(lines: readonly LogLine[]): number {
  return lines.reduce((sum, { count = 1 }) => sum + count, 0)
}

function isLoggedPlainly({ path = '' }: LogLine): boolean {
  return path.length <= 200 && 'path' in canonicalTarget({ url: path, httpVersion: '1.1', rawHeaders: HOST })
}
const HOST = ['Host', 'x']
