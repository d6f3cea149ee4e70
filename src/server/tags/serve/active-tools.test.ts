import { describe, expect, test } from 'vitest'
import { OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import type { PixelDelivery, PixelType } from '#contract/pixel.ts'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import type { SiteInfo } from '#contract/site.ts'
import { parseConfig } from '#server/config.ts'
import { VENDORS } from '#server/vendors/vendors.ts'
import { compileHere } from '#tests/support/compile-here.ts'
import { HEAD_LIMIT_BYTES, type MeasureHead } from '../hosts/budget.ts'
import { describeTools } from './active-tools.ts'
import { type PreparedTag, prepareTag } from './prepare-tag.ts'
import { describeRecipients, describeServedTags } from './recipients.ts'
import { composeTagSet } from './tag-set.ts'

let made = 0

interface PixelOptions {
  type?: PixelType
  code?: string
  pixel_id?: string | null
  delivery?: PixelDelivery
  runs_in?: 'page' | 'isolated'
  allowed_hosts?: string[]
  category?: 'marketing' | 'desempenho' | 'funcionalidade'
}

function prepare({
  type = 'custom',
  pixel_id = null,
  allowed_hosts = [],
  ...options
}: PixelOptions): PreparedTag {
  const code = options.code ?? generateSnippet(type, pixel_id ?? '')
  const pixel = { type, pixel_id, code }
  return prepareTag(
    {
      id: `pixel-${made++}`,
      type,
      pixel_id,
      allowed_hosts,
      consent_category: options.category ?? 'marketing',
      conversion_labels: {},
      compiled: compileHere(pixel),
      delivery: options.delivery ?? 'browser',
      runs_in: options.runs_in ?? 'page',
    },
    new Set(),
    () => ({ hash: 'h', html: '<!doctype html>', headers: {}, headBytes: 0 }),
  )
}

const SITE = parseConfig({}).site
const mergedHosts = ({ sources }: Parameters<MeasureHead>[0]) => Object.values(sources).flat().length
const setOf = (...pixels: PixelOptions[]) => composeTagSet(pixels.map(prepare), () => 0)
const META: PixelOptions = { type: 'meta', pixel_id: '123456789012345' }
const GA4: PixelOptions = { type: 'google_analytics', pixel_id: 'G-ABC123', category: 'desempenho' }
const HOTJAR: PixelOptions = { code: '<script>h._hjSettings={hjid:1234567,hjsv:6}</script>' }
const OWN: PixelOptions = { code: '<script>fetch("https://painel.loja.example/v")</script>' }

describe('the tools of the cookie policy', () => {
  test('list a known vendor with company, purpose, cookies and duration', () => {
    const [meta] = describeTools(setOf(META))
    expect(meta).toMatchObject({
      category: 'marketing',
      vendor: 'meta-pixel',
      name: 'Meta Pixel',
      company: 'Meta Platforms, Inc.',
      country: 'US',
      told_by: ['browser'],
      hosts: [],
    })
    expect(meta?.cookies).toContainEqual({
      name: '_fbp',
      duration: '90 dias',
      purpose: expect.any(String),
      domain: null,
      kind: 'cookie',
    })
    expect(meta?.cookies).toContainEqual(expect.objectContaining({ name: 'fr', domain: 'facebook.com' }))
  })

  test('list two pixels of one vendor once per category', () => {
    const tools = describeTools(
      setOf(META, { ...META, pixel_id: '999999999999999' }, { ...META, category: 'desempenho' }),
    )
    expect(tools.map(({ vendor, category }) => [vendor, category])).toEqual([
      ['meta-pixel', 'marketing'],
      ['meta-pixel', 'desempenho'],
    ])
  })

  test('list unknown code with its hosts and without cookies', () => {
    const [tool, ...others] = describeTools(setOf(OWN, { code: '<script>1</script>' }))
    expect(tool).toMatchObject({ vendor: null, name: 'Código próprio do site', company: null, cookies: [] })
    expect(tool?.hosts).toEqual(['painel.loja.example'])
    expect(others).toMatchObject([{ vendor: null, hosts: [] }])
  })

  test('name hosts beyond those of the vendor', () => {
    const [tool] = describeTools(setOf({ ...META, allowed_hosts: ['extra.loja.example'] }))
    expect(tool?.hosts).toEqual(['extra.loja.example'])
  })

  test('include what only our server sends, with our server’s cookies', () => {
    const tools = describeTools(
      setOf({ ...META, delivery: 'server' }, { ...GA4, delivery: 'server' }, { ...OWN, delivery: 'server' }),
    )
    expect(
      tools.map(({ vendor, told_by, cookies }) => [vendor, told_by, cookies.map(({ name }) => name)]),
    ).toEqual([
      ['meta-pixel', ['server'], ['_fbp', '_fbc']],
      ['google-analytics-4', ['server'], ['portico_analytics']],
      [null, ['server'], ['portico_visitor']],
    ])
    const [both] = describeTools(setOf({ ...META, delivery: 'both' }))
    expect(both?.told_by).toEqual(['browser', 'server'])
    expect(both?.cookies.filter(({ name }) => name === '_fbp')).toHaveLength(1)
  })

  test('list the stored data of an isolated vendor, and its frame as the served file', () => {
    const set = composeTagSet([prepare({ ...HOTJAR, runs_in: 'isolated' })], () => 0)
    const [tool] = describeTools(set)
    expect(tool?.cookies.map(({ name }) => name)).toEqual(['portico_room_…'])
    const [served] = describeServedTags(set)
    expect(served?.files).toEqual([
      { kind: 'own', path: '/isolado/h/', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
  })

  test('say that a container can load others', () => {
    const [tool] = describeTools(setOf({ type: 'google_tag_manager', pixel_id: 'GTM-ABC1234' }))
    expect(tool?.purpose).toContain('não aparecem nesta lista')
  })

  test('leave out verification metas and empty tags', () => {
    const meta = '<meta name="google-site-verification" content="abc">'
    expect(describeTools(setOf({ code: meta }))).toEqual([])
    expect(describeTools(setOf())).toEqual([])
  })

  test('contain no name given by an administrator', () => {
    expect(JSON.stringify(describeTools(setOf(META, OWN, GA4)))).not.toContain('pixel-')
  })

  test('have all required facts for every vendor of the catalogue', () => {
    for (const vendor of VENDORS.filter(({ category }) => category !== null)) {
      expect([vendor.name, vendor.company, vendor.purpose].every((text) => text.length > 1)).toBe(true)
      expect(vendor.country).toMatch(/^[A-Z]{2}$/)
      expect(OPTIONAL_CATEGORIES).toContain(vendor.category)
      for (const { duration } of [...vendor.cookies, ...vendor.thirdPartyCookies])
        expect(duration.length).toBeGreaterThan(2)
    }
  })
})

describe('where a vendor gets data from', () => {
  const WAYS = { browser: ['browser'], server: ['server'], both: ['browser', 'server'] }
  test.each([
    ['page', 'browser', true, 'browser'],
    ['page', 'both', true, 'both'],
    ['page', 'server', true, 'server'],
    ['isolated', 'browser', true, 'browser'],
    // A tag that is left out of the policy runs in no browser.
    ['page', 'both', false, 'server'],
    ['page', 'server', false, 'server'],
  ] as const)(
    '%s, %s, space in the policy %s: %s, in policy, history and consent proof',
    (runs_in, delivery, fits, sentBy) => {
      const options: PixelOptions = runs_in === 'page' ? { ...META, delivery } : { ...HOTJAR, runs_in }
      const set = composeTagSet([prepare(options)], (policy) =>
        fits || mergedHosts(policy) === 0 ? 0 : HEAD_LIMIT_BYTES,
      )
      expect(describeRecipients(SITE, set).recipients.map(({ told_by }) => told_by)).toEqual([sentBy])
      expect(describeTools(set).map(({ told_by }) => told_by)).toEqual([WAYS[sentBy]])
      expect(describeServedTags(set).map(({ sentBy }) => sentBy)).toEqual([WAYS[sentBy]])
    },
  )
})

describe('served tags in the history', () => {
  test('have a hash for our files and an address for vendors’ files', () => {
    const [meta, google, container, unknown] = describeServedTags(
      setOf(META, GA4, { type: 'google_tag_manager', pixel_id: 'GTM-ABC1234' }, OWN),
    )
    expect(meta?.files).toEqual([
      {
        kind: 'own',
        path: expect.stringMatching(/^\/tags\//),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      { kind: 'vendor', url: 'https://connect.facebook.net/en_US/fbevents.js' },
    ])
    expect(google?.files).toContainEqual({
      kind: 'vendor',
      url: 'https://www.googletagmanager.com/gtag/js?id=G-ABC123',
    })
    expect(container?.files).toContainEqual({
      kind: 'vendor',
      url: 'https://www.googletagmanager.com/gtm.js?id=GTM-ABC1234',
    })
    expect(unknown?.files).toMatchObject([{ kind: 'own' }])
    expect(meta).toMatchObject({ vendors: ['meta-pixel'], account: '123456789012345', sentBy: ['browser'] })
  })

  test('leave out addresses that the policy does not open for scripts', () => {
    const code =
      '<script>var a="https://outro.example/a.js"; new Image().src="https://outro.example/b.js"</script>'
    const [tag] = describeServedTags(
      setOf({ ...META, code: generateSnippet('meta', META.pixel_id ?? '') + code }),
    )
    const urls = tag?.files.flatMap((file) => (file.kind === 'vendor' ? [file.url] : [])) ?? []
    expect(urls.every((url) => tag?.hosts.includes(new URL(url).hostname))).toBe(true)
  })
})

describe('a change of one tag among many', () => {
  const site = {
    legalName: null,
    brandName: 'Pórtico',
    cnpj: null,
    dpoEmail: null,
    contactEmail: 'a@exemplo.com.br',
    siteUrl: 'https://exemplo.com.br',
  } as SiteInfo
  const stay = [META, HOTJAR, OWN].map(prepare)
  const before = composeTagSet([...stay, prepare(GA4)], () => 0)
  const after = composeTagSet(stay, () => 0)

  test('does not describe the others again', () => {
    const served = describeServedTags(before)
    expect(describeServedTags(after).every((tag, index) => tag === served[index])).toBe(true)
    const { recipients } = describeRecipients(site, before)
    expect(
      describeRecipients(site, after).recipients.every((recipient, index) => recipient === recipients[index]),
    ).toBe(true)
  })

  test('describes a tag again that no longer fits into the policy', () => {
    const tag = prepare({ ...META, delivery: 'both' })
    const fits = composeTagSet([tag], () => 0)
    const crowdedSet = composeTagSet([tag], (policy) => (mergedHosts(policy) === 0 ? 0 : HEAD_LIMIT_BYTES))
    const [runs] = describeServedTags(fits)
    const [alone] = describeServedTags(crowdedSet)
    expect([runs?.sentBy, alone?.sentBy, alone?.files]).toEqual([['browser', 'server'], ['server'], []])
    expect(describeTools(crowdedSet)).toMatchObject([{ told_by: ['server'] }])
    expect(describeTools(fits)).toMatchObject([{ told_by: ['browser', 'server'] }])
  })
})
