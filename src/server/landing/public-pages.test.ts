import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'

let site: TestApp
beforeAll(async () => {
  site = await startTestApp({
    listen: true,
    env: { BRAND_NAME: 'Arco', CONTACT_EMAIL: 'oi@arco.example', SITE_URL: 'https://arco.example' },
  })
})
afterAll(() => site.close())

describe.each([
  [
    '/',
    'text/html; charset=utf-8',
    ['<title>Arco: gateway', 'canonical" href="https://arco.example/"'],
    ['Pórtico'],
  ],
  [
    '/privacidade',
    'text/html; charset=utf-8',
    ['<h1>Política de Privacidade</h1>', 'Agosto de 2025'],
    ['<script'],
  ],
  ['/termos', 'text/html; charset=utf-8', ['<h1>Termos de Uso</h1>'], ['<script']],
  ['/cookies', 'text/html; charset=utf-8', ['<h1>Política de Cookies</h1>'], ['<script']],
  ['/compliance', 'text/html; charset=utf-8', ['<h1>Compliance</h1>'], ['<script']],
  ['/api/legal/termos', 'application/json; charset=utf-8', ['"intro"', 'Arco'], ['<p>']],
  [
    '/robots.txt',
    'text/plain; charset=utf-8',
    ['Disallow: /admin', 'https://arco.example/sitemap.xml'],
    ['localhost'],
  ],
  [
    '/sitemap.xml',
    'application/xml; charset=utf-8',
    ['<loc>https://arco.example/privacidade</loc>'],
    ['/admin'],
  ],
  ['/llms.txt', 'text/plain; charset=utf-8', ['# Arco', '150+', 'E-commerce', 'oi@arco.example'], ['/admin']],
  ['/site.webmanifest', 'application/manifest+json; charset=utf-8', ['"name":"Arco"', '512x512'], []],
  [
    '/.well-known/security.txt',
    'text/plain; charset=utf-8',
    ['Contact: mailto:oi@arco.example', 'Expires: 20'],
    [],
  ],
])('GET %s', (path, type, present, absent) => {
  test('is complete, compressed, revalidated by ETag, and has a policy', async () => {
    const response = await fetch(site.url + path)
    const body = await response.text()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('content-encoding')).toMatch(/^(br|gzip)$/)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    for (const words of present) expect(body).toContain(words)
    for (const words of absent) expect(body).not.toContain(words)

    const etag = response.headers.get('etag') ?? ''
    const again = await fetch(site.url + path, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
  })
})

test('pictures of the page exist', async () => {
  const page = await (await fetch(`${site.url}/`)).text()
  const manifest = (await (await fetch(`${site.url}/site.webmanifest`)).json()) as {
    icons: { src: string }[]
  }
  const share = /og:image" content="https:\/\/arco\.example([^"]+)"/.exec(page)?.[1] ?? ''
  for (const path of [share, ...manifest.icons.map(({ src }) => src)]) {
    const response = await fetch(site.url + path)
    expect(response.headers.get('content-type')).toBe('image/png')
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.subarray(1, 4).toString()).toBe('PNG')
    if (path === share) expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630])
  }
})

test.each([
  ['/favicon.ico', 'image/x-icon'],
  ['/apple-touch-icon.png', 'image/png'],
])('serves %s to programs that do not read the page', async (path, type) => {
  const response = await fetch(site.url + path)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe(type)
})

test("an unknown address gets the brand's error page", async () => {
  const response = await fetch(`${site.url}/nada`, { headers: { accept: 'text/html' } })
  expect(response.status).toBe(404)
  expect(await response.text()).toContain('Página não encontrada')
})
