import { spawn } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CONSENT_PATH, CONSENT_TEXT_VERSION } from '#contract/consent-choice.ts'
import { TAG_SET_ATTRIBUTE, tagPath } from '#contract/tag-manifest.ts'
import { findProgram } from '../../bench/find-program.ts'
import { accepts, Place, until } from '../chaos/scenario.ts'
import { type Administrator, signIn } from '../chaos/sign-in.ts'
import { startReplica } from '../chaos/start-replica.ts'
import { freePort } from '../support/free-port.ts'
import { findTool } from './find-tool.ts'

/** How long the examples keep the page. */
const PAGE_KEPT_MS = 1_000

/** Asked of the server each time, as both examples do with all other paths. */
const PASSED = ['/admin', '/auth/v1/settings', '/rest/v1/', '/readyz', '/robots.txt', '/privacidade']

interface Cache {
  file: string
  /** Starts it in front of an address of this machine; null if the program is not available. */
  start(place: Place, origin: number): Promise<number | null>
}

const CACHES: readonly Cache[] = [
  { file: 'deploy/cdn-nginx.conf', start: startNginx },
  { file: 'deploy/varnish.vcl', start: startVarnish },
]

/** Runs the built server behind each cache, and returns rows of name and finding. Throws if a promise is broken. */
export async function tryCaches(): Promise<[string, string][]> {
  const rows: [string, string][] = []
  for (const { file, start } of CACHES) {
    const place = new Place()
    try {
      const origin = await startOrigin(place)
      const port = await start(place, origin.port)
      if (port === null) rows.push([file, 'not tried: the program cannot be had here'])
      else rows.push([file, await judge(`http://localhost:${port}`, origin)])
    } finally {
      await place.leave()
    }
  }
  return rows
}

interface Asked {
  path: string
  headers: IncomingHttpHeaders
  status: number
}

interface Origin {
  /** Of a relay in front of the server, which notes what arrives. */
  port: number
  asked: Asked[]
  administrator: Administrator
  /** Of the server itself. */
  url: string
  stop(): Promise<unknown>
}

async function startOrigin(place: Place): Promise<Origin> {
  const { url, server } = await startReplica(place, {})
  const asked: Asked[] = []
  const relay = createServer((incoming, outgoing) => {
    const forwarded = request(
      `${url}${incoming.url}`,
      { method: incoming.method ?? 'GET', headers: incoming.headers },
      (answer) => {
        asked.push({ path: incoming.url ?? '', headers: incoming.headers, status: answer.statusCode ?? 0 })
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
        answer.pipe(outgoing)
      },
    )
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  const port = await freePort()
  await new Promise<void>((resolve) => relay.listen(port, '127.0.0.1', resolve))
  place.atEnd(() => {
    relay.closeAllConnections()
    relay.close()
  })
  const administrator = await signIn(url)
  const stop = () => {
    server.child.kill('SIGKILL')
    return server.ended
  }
  return { port, asked, administrator, url, stop }
}

async function judge(edge: string, origin: Origin): Promise<string> {
  const visit = (encoding: string, headers: Record<string, string> = {}) =>
    fetchPlain(`${edge}/`, { 'accept-encoding': encoding, ...headers })
  const pagesAsked = () => origin.asked.filter(({ path }) => path === '/')

  // Varnish answers 503 until its first look at the health of the server.
  await until('the cache reaches the server', async () => (await visit('br')).status === 200)

  // Three encodings, each by whatever spelling, and cookies that reach nobody.
  for (const [spelling, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=1.0, gzip;q=0.8', 'br'],
    ['gzip', 'gzip'],
    ['identity', undefined],
  ] as const) {
    const { headers } = await visit(spelling, { cookie: 'portico_consent=x' })
    expectThat(headers['content-encoding'] === encoding, `${spelling} gets ${headers['content-encoding']}`)
    expectThat(headers['cache-control'] === 'no-cache', `the page says ${headers['cache-control']}`)
  }
  expectThat(
    pagesAsked().every(({ headers }) => headers.cookie === undefined),
    'a cookie reaches the origin with the page',
  )

  // A burst costs a few requests, and the page is asked for again with its ETag.
  const { burst, cost } = await visitWhileKept(() => visit('br'), pagesAsked)
  expectThat(cost < burst / 4, `${cost} of ${burst} visits arrive`)
  let seen: IncomingHttpHeaders = {}
  // After a start the page is compressed better once, which changes its ETag.
  await until('the page is asked for again with its ETag', async () => {
    await sleep(PAGE_KEPT_MS * 1.5)
    const asked = pagesAsked().length
    const answer = await visit('br')
    seen = answer.headers
    const again = pagesAsked()[asked]
    expectThat(answer.status === 200 && answer.body.length > 0, `asked again, the page gets ${answer.status}`)
    return again?.status === 304 && again.headers['if-none-match'] === seen.etag
  })
  expectThat(seen['server-timing'] === undefined, 'a first visit gets the header of a later visit')
  const known = await visit('br', { 'if-none-match': seen.etag ?? '' })
  expectThat(known.status === 304, `a browser that has the page gets ${known.status}`)

  // A change reaches the page, and its files are fetched once.
  const setOf = async () =>
    new RegExp(`${TAG_SET_ATTRIBUTE}="?([\\w-]+)`).exec((await visit('identity')).body)?.[1]
  const { headers, pixelId } = origin.administrator
  await fetch(`${origin.url}/rest/v1/tracking_pixels?id=eq.${pixelId}`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ is_active: true }),
  })
  await until('the page has the tag', async () => (await setOf()) !== undefined)
  const file = tagPath((await setOf()) ?? '')
  for (let visitor = 0; visitor < 3; visitor++) {
    const { status, headers: own } = await fetchPlain(`${edge}${file}`, { cookie: `a=${visitor}` })
    expectThat(status === 200 && /immutable/.test(own['cache-control'] ?? ''), `${file} gets ${status}`)
  }
  expectThat(origin.asked.filter(({ path }) => path === file).length === 1, 'a file is fetched twice')

  // What does not exist yet is not kept, and calls pass.
  const unknown = tagPath('AAAAAAAAAAAAAAAA')
  for (let visitor = 0; visitor < 2; visitor++)
    expectThat((await fetchPlain(`${edge}${unknown}`)).status === 404, 'an unknown file is found')
  expectThat(origin.asked.filter(({ path }) => path === unknown).length === 2, 'a missing file is kept')
  for (let visitor = 0; visitor < 2; visitor++) {
    const choice = await fetch(`${edge}${CONSENT_PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        id: crypto.randomUUID(),
        action: 'reject',
        categories: [],
        text_version: CONSENT_TEXT_VERSION,
        tag_set_version: '',
      }),
    })
    expectThat(choice.status === 204, `a choice gets ${choice.status}`)
    for (const path of PASSED) await fetchPlain(`${edge}${path}`)
  }
  for (const path of [CONSENT_PATH, ...PASSED])
    expectThat(origin.asked.filter((each) => each.path === path).length === 2, `${path} is kept`)

  // Without the origin the page stays.
  await origin.stop()
  for (let visitor = 0; visitor < 4; visitor++) {
    await sleep(PAGE_KEPT_MS * 1.5)
    const without = await visit('br')
    expectThat(without.status === 200, `without the origin the page gets ${without.status}`)
  }
  return `${burst} visits at once cost ${cost}; asked again with the ETag; a change arrives; files once; calls pass; the page stays without the origin`
}

/** Visits at once, as many as a busy machine can make while the page is kept; `cost` of them reach the origin. */
async function visitWhileKept(
  visit: () => Promise<unknown>,
  arrived: () => readonly Asked[],
): Promise<{ burst: number; cost: number }> {
  for (let burst = 200; ; burst = Math.ceil(burst / 2)) {
    await visit()
    const before = arrived().length
    const begun = performance.now()
    await Promise.all(Array.from({ length: burst }, visit))
    const cost = arrived().length - before
    const isInTime = performance.now() - begun < PAGE_KEPT_MS
    if (isInTime || burst <= 25) return { burst, cost }
  }
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** As it is sent: `fetch` would decode the body and ask for encodings of its own. */
function fetchPlain(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks).toString('latin1'),
        }),
      )
    })
      .on('error', reject)
      .end()
  })
}

function expectThat(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise)
}

async function startNginx(place: Place, origin: number): Promise<number | null> {
  const program = findTool('nginx', 'nginx')
  if (program === null) return null
  const folder = mkdtempSync(join(place.folder, 'nginx-'))
  const port = await freePort()
  mkdirSync(join(folder, 'cache'))
  const ours = readFileSync('deploy/cdn-nginx.conf', 'utf8')
    .replaceAll('/var/cache/nginx/portico-cdn', join(folder, 'cache'))
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('127.0.0.1:3000', `127.0.0.1:${origin}`)
  writeFileSync(join(folder, 'portico.conf'), ours)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `pid ${join(folder, 'pid')};\nevents {}\nhttp {\naccess_log off;\n${temporary.join('\n')}\ninclude ${join(folder, 'portico.conf')};\n}\n`,
  )
  const args = ['-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')]
  await startProgram(place, program, [...args, '-g', 'daemon off; master_process off;'], port)
  return port
}

async function startVarnish(place: Place, origin: number): Promise<number | null> {
  const program = findTool('varnishd', 'varnish')
  // It compiles its configuration.
  if (program === null || findProgram('gcc') === null) return null
  const folder = mkdtempSync(join(place.folder, 'varnish-'))
  const port = await freePort()
  const config = join(folder, 'portico.vcl')
  const ours = readFileSync('deploy/varnish.vcl', 'utf8').replace('.port = "3000"', `.port = "${origin}"`)
  writeFileSync(config, ours)
  // Those of an unpacked package.
  const modules = globSync(join(dirname(program), 'usr/lib/*/varnish/vmods'))
  await startProgram(
    place,
    program,
    ['-F', '-n', join(folder, 'work'), '-a', `127.0.0.1:${port}`, '-f', config, '-s', 'malloc,64m']
      .concat(process.getuid?.() === 0 ? ['-j', 'none'] : [])
      .concat(['-p', 'http_gzip_support=off'])
      .concat(modules.flatMap((path) => ['-p', `vmod_path=${path}`])),
    port,
  )
  return port
}

async function startProgram(
  place: Place,
  program: string,
  args: readonly string[],
  port: number,
): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve))
  place.atEnd(async () => {
    child.kill('SIGTERM')
    await ended
  })
  await until(`${program} listens`, () => {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${said}`)
    return accepts(port)
  })
}
