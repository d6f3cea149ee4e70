import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { untilTags } from '#tests/support/until-tags.ts'
import { createLogger } from '../http/logging/logger.ts'
import { readSiteContent, SITE_CONTENT_SCHEMA } from './site-content.ts'

const DEMO = 'src/server/demo/site.json'

let folder: string
let file: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-content-'))
  file = join(folder, 'site.json')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the schema is published as it is', async () => {
  const schema = JSON.stringify(z.toJSONSchema(SITE_CONTENT_SCHEMA, { io: 'input' }), null, 2)
  await expect(`${schema}\n`).toMatchFileSnapshot('../../../docs/operate/site-content.schema.json')
})

describe('a file with faults', () => {
  test.each([
    ['not JSON', '{"fees": [', ['não é JSON válido']],
    ['unknown keys', '{"taxas": []}', ['taxas']],
    [
      'every fault at once',
      '{"fees": [{"method": "", "percent": 101, "fixed_cents": 0.5, "settlement_days": 0}]}',
      ['fees.0.method', 'fees.0.percent', 'fees.0.fixed_cents'],
    ],
    [
      'an address without https',
      '{"developers": {"docs_url": "http://docs.example.com"}}',
      ['developers.docs_url'],
    ],
    [
      'a script as an address',
      '{"developers": {"docs_url": "javascript:alert(1)"}}',
      ['developers.docs_url'],
    ],
    [
      'an unknown niche',
      '{"niches": [{"slug": "x", "headline": "a", "intro": "b", "points": []}]}',
      ['niches.0.slug', 'niches.0.points'],
    ],
    [
      'a logo that nobody permitted',
      '{"clients": [{"name": "a", "logo": "a.svg", "permission": false}, {"name": "b", "logo": "b.svg"}]}',
      ['clients.0.permission: só mostre o logo de quem autorizou', 'clients.1.permission'],
    ],
    [
      'logos that are missing, of another kind or too large',
      `{"clients": ${JSON.stringify(
        ['none.svg', 'page.svg', 'large.svg'].map((logo) => ({ name: logo, logo, permission: true })),
      )}}`,
      [
        'clients.0.logo (none.svg): não foi possível ler',
        'page.svg): não é SVG',
        'large.svg): tem 20011 bytes',
      ],
    ],
  ])('is refused: %s', (_name, text, words) => {
    writeFileSync(file, text)
    writeFileSync(join(folder, 'page.svg'), '<html><svg></svg></html>')
    writeFileSync(join(folder, 'large.svg'), `<svg>${' '.repeat(20_000)}</svg>`)
    const read = () => readSiteContent(file)
    for (const word of words) expect(read).toThrow(word)
  })

  test('names the variable if the file cannot be read', () => {
    expect(() => readSiteContent(folder)).toThrow('SITE_CONTENT_FILE')
  })
})

describe('a site with content', () => {
  let site: TestApp
  const log = createLogger('silent')
  const warn = vi.spyOn(log, 'warn')
  beforeAll(async () => {
    copyFileSync(DEMO, file)
    cpSync('src/server/demo/logos', join(folder, 'logos'), { recursive: true })
    site = await startTestApp({ listen: true, log, env: { SITE_CONTENT_FILE: file } })
    await insertPixel(site.database.db, { type: 'custom', code: '<script>window.ran = true</script>' })
    await untilTags(site.url)
  })
  afterAll(() => site.close())
  const get = async (path: string) => {
    const response = await fetch(site.url + path)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  test('shows what the file says, and links every niche', async () => {
    const { text } = await get('/')
    for (const words of [
      'Simular meu custo',
      '2,99% + R$',
      'Contrato social',
      'válido até 31/05/2027',
      'href="/nichos/gaming"',
    ])
      expect(text).toContain(words)
  })

  test('shows the logos of clients, which run nothing when they are opened', async () => {
    const { text } = await get('/')
    const [, path = ''] = text.match(/<img src="([^"]+)" alt="Feira Viva \(demonstração\)"/) ?? []
    const logo = await get(path)
    expect(logo.status).toBe(200)
    expect(logo.text).toBe(readFileSync('src/server/demo/logos/feira-viva.svg', 'utf8'))
    expect(logo.headers.get('content-type')).toBe('image/svg+xml')
    expect(logo.headers.get('content-security-policy')).toContain('sandbox')
    expect((await get('/nichos/gaming')).text).not.toContain(path)
  })

  test('serves niches with the policy and the tags of the page, and lists them', async () => {
    const [page, niche, sitemap] = await Promise.all(['/', '/nichos/gaming', '/sitemap.xml'].map(get))
    expect(niche?.headers.get('content-security-policy')).toBe(page?.headers.get('content-security-policy'))
    const tags = /data-tags="([^"]+)"/
    expect(niche?.text.match(tags)?.[1]).toBe(page?.text.match(tags)?.[1])
    for (const words of [
      'Depósito na hora.',
      'class="consent"',
      'Meu%20nicho%3A%20Gaming.',
      'href="/#about"',
    ])
      expect(niche?.text).toContain(words)
    for (const path of ['/taxas', '/nichos/gaming', '/nichos/saude'])
      expect(sitemap?.text).toContain(`${path}</loc>`)
  })

  test('names the niche in every WhatsApp link of its page, the footer included', async () => {
    const { text } = await get('/nichos/gaming')
    const messages = text.match(/(?<=https:\/\/wa\.me\/)[^"]+/g) ?? []
    expect(messages.length).toBeGreaterThanOrEqual(2)
    for (const message of messages) expect(message).toContain('Meu%20nicho%3A%20Gaming.')
  })

  test('answers the simulator without scripts, tags or a referrer, and the form leads only there', async () => {
    const { headers, text } = await get('/taxas?volume=50.000&tiquete=50&meio=PIX&hoje=4,99')
    expect(text).toContain('R$\u00a0495,00')
    expect(text).toContain('R$\u00a02.000,00')
    expect(text).not.toMatch(/<script|data-tags/)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    const policy = headers.get('content-security-policy')
    for (const rule of ["script-src 'none'", "connect-src 'none'", "frame-ancestors 'none'"])
      expect(policy).toContain(rule)
    expect(policy).toMatch(/form-action( https?:\/\/[^ /]+\/taxas)+;/)
  })

  test('redirects a path with a slash at its end to the page, with what was typed', async () => {
    const redirect = async (path: string) => {
      const { status, headers } = await fetch(site.url + path, { redirect: 'manual' })
      return [status, headers.get('location'), headers.get('referrer-policy'), headers.get('cache-control')]
    }
    const typed = 'volume=50.000&meio=PIX'
    expect(await redirect(`/taxas/?${typed}`)).toEqual([301, `/taxas?${typed}`, 'no-referrer', 'no-store'])
    const [status, location] = await redirect('/nichos/gaming/?utm_source=ig')
    expect([status, location]).toEqual([301, '/nichos/gaming?utm_source=ig'])
    expect((await redirect('/privacidade/'))[1]).toBe('/privacidade')
    for (const path of ['/nichos/', '/nichos/outro/', '/robots.txt/', '/taxas//', '/assets/'])
      expect((await redirect(path))[0], path).toBeOneOf([400, 404])
  })

  test('writes what was typed as text', async () => {
    const { text } = await get('/taxas?volume=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E')
    expect(text).not.toContain('<script')
    expect(text).toContain('Digite quanto você vende por mês')
  })

  test('reloads a changed file, and keeps the last good one when the next is invalid', async () => {
    const content = JSON.parse(readFileSync(DEMO, 'utf8'))
    content.fees[0].percent = 0.55
    delete content.niches
    writeFileSync(file, JSON.stringify(content))
    await vi.waitFor(async () => expect((await get('/')).text).toContain('0,55%'), {
      timeout: 30_000,
      interval: 200,
    })
    expect((await get('/nichos/gaming')).status).toBe(404)
    expect((await get('/sitemap.xml')).text).not.toContain('/nichos/')
    writeFileSync(file, '{"fees": 1}')
    await vi.waitFor(
      () =>
        expect(warn).toHaveBeenCalledWith(
          expect.anything(),
          expect.stringContaining('the last valid one stays'),
        ),
      { timeout: 30_000, interval: 200 },
    )
    expect((await get('/taxas')).text).toContain('0,55%')
  })
})

test('without a file there is neither page nor section', async () => {
  const site = await startTestApp({ listen: true })
  const page = await (await fetch(site.url)).text()
  expect(page).not.toMatch(/Simular meu custo|\/nichos\/|id="empresa"|id="clientes"/)
  for (const path of ['/taxas', '/taxas/', '/nichos/gaming'])
    expect((await fetch(site.url + path)).status).toBe(404)
  await site.close()
})
