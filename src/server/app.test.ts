import { request } from 'node:http'
import type { KyselyPlugin } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { appRoutes } from '#tests/support/app-routes.ts'
import { type RawAnswer, rawRequest } from '#tests/support/raw-request.ts'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { inSecurityClass } from './http/security/classes.ts'

let site: TestApp
beforeAll(async () => {
  site = await startTestApp({ listen: true })
  site.app.log.level = 'silent'
})
afterAll(() => site.close())

type Kind = 'page' | 'admin' | 'other'

/** Headers that every response of a kind must have (docs/explain/threat-model.md, rules 4 to 6). */
const REQUIRED: Record<Kind, Record<string, RegExp>> = {
  page: {
    'content-security-policy': /^default-src 'none'; script-src (?!.*'self').*frame-ancestors 'none'$/,
    'cross-origin-opener-policy': /^same-origin-allow-popups$/,
    'referrer-policy': /^strict-origin-when-cross-origin$/,
  },
  admin: {
    'content-security-policy':
      /^default-src 'none'; script-src http:\S+\/assets\/ .*frame-ancestors 'none'; require-trusted-types-for 'script'/,
    'cross-origin-opener-policy': /^same-origin$/,
    'referrer-policy': /^no-referrer$/,
    'cache-control': /^no-store$/,
  },
  other: {
    'content-security-policy': /^sandbox; default-src 'none'; frame-ancestors 'none'$/,
    'referrer-policy': /^no-referrer$/,
  },
}
const ALWAYS = {
  'x-content-type-options': /^nosniff$/,
  'x-frame-options': /^DENY$/,
  'cross-origin-resource-policy': /^same-origin$/,
}

function expectHeaders(answer: { headers: Record<string, unknown> }, kind: Kind, what = ''): void {
  for (const [name, pattern] of Object.entries({ ...ALWAYS, ...REQUIRED[kind] })) {
    expect(String(answer.headers[name]), `${what} ${name}`).toMatch(pattern)
  }
}

function kindOf(path: string, answer: RawAnswer): Kind {
  if (!answer.headers['content-type']?.startsWith('text/html')) return 'other'
  return path.startsWith('/admin') ? 'admin' : 'page'
}

/** Over a real socket, so that the fast path is tested too. */
function get(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body = '',
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const call = request(
      site.url + path,
      { method, headers: { accept: 'text/html', ...headers } },
      (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            body: text,
          }),
        )
      },
    )
    call.once('error', reject)
    call.end(body)
  })
}

describe('security headers', () => {
  test('are on every response of every route, for every caller', async () => {
    const routes = appRoutes(site.app)
    expect(routes.map((route) => route.path)).toEqual(
      expect.arrayContaining([
        '/healthz',
        '/admin',
        '/rest/v1/tracking_pixels',
        '/auth/v1/token',
        '/api/newsletter',
      ]),
    )
    for (const { path, method } of routes) {
      for (const accept of ['text/html', 'application/json']) {
        const answer = await get(path, { accept }, method)
        expect(answer.status, `${method} ${path}`).toBeLessThan(500)
        expectHeaders(answer, kindOf(path, answer), `${method} ${path}`)
      }
    }
  })

  test.each(['/', '/privacidade', '/termos', '/cookies', '/compliance'])('%s is a page', async (path) => {
    const answer = await get(path)
    expect(answer.status).toBe(200)
    expectHeaders(answer, 'page')
  })

  test.each(['/robots.txt', '/llms.txt', '/sitemap.xml', '/site.webmanifest', '/.well-known/security.txt'])(
    '%s is no page',
    async (path) => {
      const answer = await get(path)
      expect(answer.status).toBe(200)
      expectHeaders(answer, 'other')
    },
  )

  test.each<[string, string, Record<string, string>, number, Kind]>([
    ['an unknown page', '/nothing-here', {}, 404, 'page'],
    ['an unknown path asked for by a program', '/nothing-here', { accept: 'application/json' }, 404, 'other'],
    ['an unknown asset', '/assets/none.js', {}, 404, 'other'],
    ['an unknown endpoint', '/api/none', {}, 404, 'other'],
    ['an unknown dashboard endpoint', '/admin/api/none', {}, 404, 'other'],
    ['a bad escape in the path', '/%zz', {}, 400, 'other'],
    ['a service worker script', '/', { 'service-worker': 'script' }, 403, 'other'],
    ['a navigation preload', '/admin', { 'service-worker-navigation-preload': 'true' }, 403, 'other'],
  ])('%s', async (_what, path, headers, status, kind) => {
    const answer = await get(path, headers)
    expect(answer.status).toBe(status)
    expectHeaders(answer, kind)
  })

  test('a built file, its 304 and its HEAD', async () => {
    const page = await get('/')
    const [, asset = ''] = /src:"(\/assets\/[^"]+)"/.exec(page.body) ?? []
    const full = await get(asset)
    expect(full.status).toBe(200)
    const cached = await get(asset, { 'if-none-match': full.headers.etag ?? '' })
    expect(cached).toMatchObject({ status: 304, body: '' })
    const head = await get(asset, {}, 'HEAD')
    expect(head).toMatchObject({ status: 200, body: '' })
    for (const answer of [full, cached, head]) expectHeaders(answer, 'other')
  })

  test('a body that is too large, and one of the wrong type', async () => {
    site.app.log.level = 'silent'
    const large = await get(
      '/admin',
      { 'content-type': 'application/json' },
      'POST',
      `"${'a'.repeat(1_100_000)}"`,
    )
    expect([404, 413]).toContain(large.status)
    expect(large.headers['content-security-policy']).toBeDefined()
  })

  test.each([
    ['text that is not HTTP', 'nonsense\r\n\r\n', 400],
    ['a request without a host', 'GET /admin HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['a request with two', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
    ['an expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n', 417],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 400],
    [
      'a body that never comes',
      'POST /api/newsletter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n',
      408,
    ],
    [
      'an upgrade',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      200,
    ],
    ['a header that is too large', `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${'a'.repeat(60_000)}\r\n\r\n`, 431],
  ])('are on the response to %s', async (_what, bytes, status) => {
    const answer = await rawRequest(site.config.port, bytes)
    expect(answer.status).toBe(status)
    expectHeaders(answer, 'other')
  })

  test.each([
    ['a header that is too large', `Cookie: ${'a'.repeat(60_000)}`, 431],
    ['an unknown expectation', 'Expect: tea', 417],
    ['a second host', 'Host: y', 400],
    ['a service worker', 'Service-Worker: script', 403],
  ])('refuses %s with a reason in the form of both protocols', async (_what, header, status) => {
    const answer = await rawRequest(
      site.config.port,
      `GET /rest/v1/tracking_pixels HTTP/1.1\r\nHost: x\r\n${header}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer.status).toBe(status)
    const { code, message, details, hint, error_code, msg } = JSON.parse(answer.body)
    expect({ code, details, hint }).toEqual({ code: error_code, details: null, hint: null })
    expect(message).toMatch(/\w/)
    expect(msg).toBe(message)
  })

  test('accepts a filter of 1,000 ids', async () => {
    const ids = Array.from(
      { length: 1_000 },
      (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    )
    const answer = await get(`/rest/v1/tracking_pixels?id=in.(${encodeURIComponent(ids.join(','))})`)
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([401, '42501'])
  })
})

describe('errors', () => {
  test('an unknown error is a 500 with the request id only, and the process continues', async () => {
    const broken = await startTestApp()
    await inSecurityClass(broken.app, 'public page', (scope) => {
      scope.get('/broken', async () => {
        throw new Error('a secret detail')
      })
    })
    const forProgram = await broken.app.inject({ url: '/broken' })
    expect(forProgram.statusCode).toBe(500)
    expect(forProgram.json()).toEqual({
      error: 'internal_error',
      message: 'Internal server error',
      request_id: expect.any(String),
    })
    const forPerson = await broken.app.inject({ url: '/broken', headers: { accept: 'text/html' } })
    expect(forPerson.statusCode).toBe(500)
    expect(forPerson.body).toContain('Algo deu errado')
    expect(forPerson.body).not.toContain('secret')
    expect((await broken.app.inject({ url: '/healthz' })).statusCode).toBe(200)
    await broken.close()
  })

  test('is alive but not ready without its database', async () => {
    const lost = await startTestApp()
    await lost.database.db.destroy()
    const answer = await lost.app.inject({ url: '/readyz' })
    expect(answer.statusCode).toBe(503)
    expect(answer.json()).toEqual({ status: 'unavailable' })
    expect((await lost.app.inject({ url: '/healthz' })).statusCode).toBe(200)
    await lost.close()
  })

  test('a route without a security class fails the start', async () => {
    const careless = await startTestApp()
    expect(() => careless.app.get('/new', async () => 'hello')).toThrow(
      'GET /new is registered in a scope without a security class',
    )
    await careless.close()
  })

  test("the 404 page is in Portuguese and in the brand's design", async () => {
    const answer = await get('/nothing-here')
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.body).toContain('lang="pt-BR"')
    expect(answer.body).toContain('Pórtico')
  })
})

describe('two hosts', () => {
  const ADMIN = 'painel.exemplo.com.br'
  let split: TestApp
  beforeAll(async () => {
    split = await startTestApp({
      listen: true,
      env: { SITE_URL: 'https://www.exemplo.com.br', ADMIN_URL: `https://${ADMIN}` },
    })
  })
  afterAll(() => split.close())

  const ask = (host: string, path: string) =>
    rawRequest(
      split.config.port,
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`,
    )

  test.each([
    ['www.exemplo.com.br', '/', 200],
    ['www.exemplo.com.br', '/admin', 404],
    ['www.exemplo.com.br', '/admin?x', 404],
    ['www.exemplo.com.br', '/auth/v1/health', 404],
    ['www.exemplo.com.br', '/rest/v1/tracking_pixels', 404],
    [ADMIN, '/admin', 200],
    [ADMIN, '/', 404],
    [ADMIN, '/healthz', 200],
    // It is not configured.
    [ADMIN, '/metrics', 404],
    ['www.exemplo.com.br', '/metrics', 404],
  ])('%s%s returns %i', async (host, path, status) => {
    expect((await ask(host, path)).status).toBe(status)
  })

  test.each([
    ['/rest/v1/tracking_pixels', 'PGRST125'],
    ['/rest/v1/nothing/here', 'PGRST125'],
    ['/auth/v1/health', 404],
    ['/auth/v1/nothing', 404],
    ['/admin/api/trash', undefined],
  ])('%s on the public host is refused with the error of its protocol', async (path, code) => {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const answer = await rawRequest(
        split.config.port,
        `${method} ${path} HTTP/1.1\r\nHost: www.exemplo.com.br\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      )
      expect(answer.status).toBe(404)
      expect(answer.headers['cache-control']).toBe('no-store')
      const error = JSON.parse(answer.body)
      expect(error.code).toBe(code)
      expect(error.message ?? error.msg).toMatch(/\w/)
    }
  })

  test('accepts the default port in the host', async () => {
    expect((await ask(`${ADMIN}:443`, '/admin')).status).toBe(200)
    expect((await ask(`${ADMIN}:80`, '/admin')).status).toBe(404)
    expect((await ask(`${ADMIN}:8443`, '/admin')).status).toBe(404)
  })

  test('sends Strict-Transport-Security over https', async () => {
    // Subdomains are not included without HSTS_SUBDOMAINS.
    expect((await ask('www.exemplo.com.br', '/')).headers['strict-transport-security']).toBe(
      'max-age=63072000',
    )
  })
})

test.each(['/%61dmin', '/%61dminx', '/auth/v1/%00', '//admin'])(
  '%s is refused for injected requests as well',
  async (url) => {
    expect((await site.app.inject({ url })).statusCode).toBe(400)
  },
)

describe('a start whose database stops answering', () => {
  /** The first statement on the table fails as if the server of the database were silent. */
  function silentOnce(table: string): KyselyPlugin {
    let isSilent = true
    return {
      transformQuery: ({ node }) => {
        if (isSilent && JSON.stringify(node).includes(`"${table}"`)) {
          isSilent = false
          throw Object.assign(new Error(`no answer about ${table}`), { code: 'ETIMEDOUT' })
        }
        return node
      },
      transformResult: async ({ result }) => result,
    }
  }

  test.each(['compiled_tags', 'app_secrets'])('waits for it when it reads %s', async (table) => {
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
    const late = await startTestApp({ plugin: silentOnce(table), log })
    onTestFinished(() => late.close())
    expect(lines.join()).toContain(`no answer about ${table}`)
    expect((await late.app.inject('/readyz')).statusCode).toBe(200)
  })
})
