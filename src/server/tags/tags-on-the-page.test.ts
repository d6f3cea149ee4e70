import { createHash } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { raiseTagsVersion } from './serve/tag-version.ts'

let site: TestApp
afterEach(() => site.close())

const get = (path: string) => fetch(site.url + path)
const policyOf = (response: Response) => response.headers.get('content-security-policy') ?? ''
const setOf = (html: string) => /<html [^>]*data-tags="([^"]+)" data-tag-kinds="([a-z]+)"/.exec(html)
const seen = <T>(check: () => Promise<T> | T) => vi.waitFor(check, { timeout: 30_000, interval: 100 })

describe.each(TIER_ENGINES)('tags on the page, on %s', (engine) => {
  test('names no foreign host without a tag, the tag and its hosts with one, and none after it is deleted', async () => {
    site = await startTestApp({ engine, listen: true })
    const before = await get('/')
    expect(policyOf(before)).not.toMatch(/https:\/\/(?!localhost|127)/)
    expect(setOf(await before.text())).toBeNull()

    await insertPixel(site.database.db, { type: 'meta' })
    const [version, kinds] = await seen(async () => {
      const page = await get('/')
      const match = setOf(await page.text())
      expect(match).not.toBeNull()
      expect(policyOf(page)).toContain('https://connect.facebook.net')
      expect(policyOf(page)).toContain('report-uri /api/csp-report')
      expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin-allow-popups')
      return match?.slice(1) ?? []
    })
    expect(kinds).toBe('m')

    const manifest = await get(`/tags/${version}.js`)
    expect(manifest.headers.get('cache-control')).toContain('immutable')
    expect(policyOf(manifest)).toContain('sandbox')
    const { tags } = await import(`data:text/javascript,${encodeURIComponent(await manifest.text())}`)
    expect(tags).toMatchObject([{ type: 'meta', category: 'marketing', steps: [{ kind: 'own' }] }])
    const file = await get(tags[0].steps[0].src)
    expect(await file.text()).toContain("fbq('init', '123456789012345');")

    await site.database.db.deleteFrom('tracking_pixels').execute()
    await raiseTagsVersion(site.database.db)
    await seen(async () => expect(setOf(await (await get('/')).text())).toBeNull())
    // A page loaded a moment ago may still request it.
    expect((await get(`/tags/${version}.js`)).status).toBe(200)
    expect((await get('/tags/unknown.js')).status).toBe(404)
  })
})

test('a container: trusts the loader by its hash and what it creates, and keeps the opener', async () => {
  site = await startTestApp({ listen: true })
  await insertPixel(site.database.db, { type: 'google_tag_manager', pixel_id: 'GTM-A' })
  await seen(async () => {
    const page = await get('/')
    const html = await page.text()
    const [loader, ...others] = [...html.matchAll(/<script>([^<]*)<\/script>/g)].map(
      (match) => match[1] ?? '',
    )
    expect(others).toEqual([])
    const hash = createHash('sha256')
      .update(loader ?? '')
      .digest('base64')
    expect(policyOf(page)).toMatch(/script-src 'strict-dynamic' /)
    expect(policyOf(page)).toContain(`'sha256-${hash}'`)
    expect(page.headers.has('cross-origin-opener-policy')).toBe(false)
    expect(html).not.toMatch(/<script[^>]*src=/)
  })
})

test.each([
  [
    'a host of ours in the code',
    { code: '<script>fetch("https://portico.test-site.com/rest/v1/x")</script>' },
  ],
  ['a host of ours that was allowed', { allowed_hosts: ['portico.test-site.com'] }],
  ['a wildcard that was allowed', { allowed_hosts: ['*', '*.test-site.com', "x.com 'unsafe-inline'"] }],
])('the policy never opens this site to its tags: %s', async (_name, pixel) => {
  site = await startTestApp({ listen: true, env: { SITE_URL: 'https://portico.test-site.com' } })
  await insertPixel(site.database.db, { type: 'custom', code: '<script>var a=1</script>', ...pixel })
  await seen(async () => expect(setOf(await (await get('/')).text())).not.toBeNull())
  const policy = policyOf(await get('/'))
  expect(policy).not.toMatch(
    /test-site\.com(?!\/(assets|tags|api)\/|\/(favicon\.ico|site\.webmanifest|robots\.txt|llms\.txt)[ ;])/,
  )
  expect(policy).not.toMatch(/\*| 'unsafe|'self'/)
})

test('a tag that cannot be parsed leaves the page and the others unchanged', async () => {
  site = await startTestApp({ listen: true })
  const { db } = site.database
  await insertPixel(db, { type: 'custom', code: `<script>${'('.repeat(50_000)}</script>` })
  await insertPixel(db, { type: 'custom', code: '\u0000<<<>>><script' })
  await insertPixel(db, { type: 'meta' })
  const version = await seen(async () => {
    const match = setOf(await (await get('/')).text())
    expect(match).not.toBeNull()
    return match?.[1]
  })
  const manifest = await (await get(`/tags/${version}.js`)).text()
  expect(manifest.match(/"kind":"own"/g)).toHaveLength(1)
})

test('200 active pixels add less than 200 bytes to the compressed page', async () => {
  site = await startTestApp({ listen: true })
  const { db } = site.database
  const size = async () => brotliCompressSync(Buffer.from(await (await get('/')).text())).length
  const empty = await size()
  for (let index = 0; index < 200; index++) {
    await insertPixel(db, { type: 'meta', pixel_id: String(100_000_000_000 + index) })
  }
  await seen(async () => {
    const match = setOf(await (await get('/')).text())
    const manifest = await (await get(`/tags/${match?.[1]}.js`)).text()
    expect(manifest.match(/"type":"meta"/g)).toHaveLength(200)
  })
  expect((await size()) - empty).toBeLessThan(200)
})

test('serves verification metas and structured data to everybody, and removes them with their pixel', async () => {
  site = await startTestApp({ listen: true })
  const { db } = site.database
  const id = await insertPixel(db, {
    type: 'custom',
    code: `<meta name="google-site-verification" content="a&quot;b&amp;c"><meta http-equiv="refresh" content="0">
      <script type="application/ld+json">{"name":"</script><script>alert(1)<\\/script><!--"}</script>`,
  })
  const ld = await insertPixel(db, {
    type: 'custom',
    code: '<script type="application/ld+json">{"name":"a<b <!-- c"}</script>',
  })
  const html = await seen(async () => {
    const text = await (await get('/')).text()
    expect(text).toContain('ld+json">{"name":"a\\u003cb \\u003c!-- c"}</script></body>')
    // On a busy machine the two are compiled in different steps.
    expect(text).toContain('<meta name="google-site-verification" content="a&quot;b&amp;c"/></head>')
    return text
  })
  expect(html).not.toMatch(/http-equiv|alert\(1\)/)
  expect(setOf(html)).toBeNull()
  for (const pixel of [id, ld]) await db.deleteFrom('tracking_pixels').where('id', '=', pixel).execute()
  await raiseTagsVersion(db)
  await seen(async () => expect(await (await get('/')).text()).not.toContain('google-site-verification'))
})

test('an isolated tag: its hosts are only in its frame’s policy, and the page may frame only that path', async () => {
  site = await startTestApp({ listen: true })
  const { db } = site.database
  const code = `<script>kwaiq('</scr' + 'ipt><!--')</script><script src="https://cdn.custom-vendor.com/t.js"></script>`
  const id = await insertPixel(db, { type: 'custom', code })
  await seen(async () => expect(policyOf(await get('/'))).toContain('https://cdn.custom-vendor.com'))
  expect(policyOf(await get('/'))).toContain("frame-src 'none'")

  await db.updateTable('tracking_pixels').set({ runs_in: 'isolated' }).where('id', '=', id).execute()
  await raiseTagsVersion(db)
  const version = await seen(async () => {
    const page = await get('/')
    expect(policyOf(page)).not.toContain('custom-vendor')
    expect(policyOf(page)).toContain(
      `frame-src ${site.url}/isolado/ http://127.0.0.1:${site.config.port}/isolado/;`,
    )
    return setOf(await page.text())?.[1]
  })
  const manifest = await (await get(`/tags/${version}.js`)).text()
  const { tags } = await import(`data:text/javascript,${encodeURIComponent(manifest)}`)
  const key = `portico_room_${id}`
  const [{ room }] = tags
  expect(tags).toEqual([
    {
      id,
      type: 'custom',
      category: 'marketing',
      vendorId: null,
      hosts: [],
      steps: [],
      leaves: { local: [key], session: [key] },
      room,
    },
  ])

  for (const path of ['', 'precos?utm_source=a', 'a/b/../c']) {
    const answer = await get(`/isolado/${room}/${path}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toContain('immutable')
    expect(answer.headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect(answer.headers.get('set-cookie')).toBeNull()
    const policy = policyOf(answer)
    expect(policy).toMatch(
      /^sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' https:\/\/cdn/,
    )
    expect(policy).toContain("frame-src 'none'; form-action 'none'; base-uri 'none'")
    expect(policy).toContain(`frame-ancestors ${site.url} `)
    // None of our addresses, and not its own origin, which is opaque.
    expect(policy.replace(/frame-ancestors .*/, '')).not.toMatch(/localhost|127\.0\.0\.1|'self'/)
    const html = await answer.text()
    expect(html.match(/<\/script>/g)).toHaveLength(2)
    const [, json = ''] = /id="tag">([^<]*)</.exec(html) ?? []
    expect(JSON.parse(json).steps[0].body).toBe("kwaiq('</scr' + 'ipt><!--')")
  }
  for (const path of ['/isolado/', `/isolado/${room}`, '/isolado/AAAAAAAAAAAAAAAA/']) {
    const answer = await get(path)
    expect(answer.status).toBe(404)
    expect(policyOf(answer)).toMatch(/^sandbox; default-src 'none'/)
  }
})
