import { describe, expect, test } from 'vitest'
import {
  DIRECTIVE_OF,
  matchesSource,
  publicPolicy,
  SOURCE_KEYS,
  serializePolicy,
  type TagSources,
  withTags,
} from '#server/http/security/content-security-policy.ts'
import type { Vendor } from '#server/vendors/vendor.ts'
import { VENDORS } from '#server/vendors/vendors.ts'
import { compileHere, encodeHere } from '#tests/support/compile-here.ts'
import { STAND_INS } from '#tests/support/vendor-stand-ins/stand-ins.ts'
import { mergeSources, sourcesOfPixel } from '../hosts/sources.ts'
import { prepareTag } from '../serve/prepare-tag.ts'
import { composeTagSet, type TagSet } from '../serve/tag-set.ts'
import { decodeNeeds } from './compiled-tag.ts'

const SCRIPTS = VENDORS.filter(({ kind }) => kind === 'script')

/** The part of the policy of a custom pixel with this code, as stored. */
function needsOf(code: string): TagSources {
  const needs = decodeNeeds(encodeHere({ type: 'custom', pixel_id: null, code }).sources)
  if (needs === null) throw new Error('unreadable')
  return sourcesOfPixel({ type: 'custom', allowed_hosts: [], ...needs }, new Set())
}

/** `script cdn.vendor.com` for each host of the catalogue that the policy lacks. */
function missing({ hosts }: Vendor, sources: TagSources): string[] {
  return SOURCE_KEYS.flatMap((key) =>
    (hosts[DIRECTIVE_OF[key]] ?? [])
      .filter((host) => !host.includes('{'))
      .filter(
        (host) =>
          !sources[key].includes(host) &&
          (host.startsWith('wss:') || !sources[key].some((source) => matchesSource(host, source))),
      )
      .map((host) => `${key} ${host}`),
  )
}

describe.each(SCRIPTS.map((vendor) => [vendor.id, vendor] as const))('%s', (_id, vendor) => {
  test('opens each host of the vendor in its directive, and no other', () => {
    const sources = needsOf(vendor.sample.code)
    expect(missing(vendor, sources)).toEqual([])
    const named = Object.values(vendor.hosts).flat()
    const strange = SOURCE_KEYS.flatMap((key) => sources[key]).filter(
      (source) =>
        !named.some((host) => source === host || (host.includes('{id}') && source.endsWith(host.slice(4)))),
    )
    expect(strange).toEqual([])
  })
})

test('keeps all hosts of a pixel when any other one is switched off', () => {
  const parts = new Map(SCRIPTS.map((vendor) => [vendor, needsOf(vendor.sample.code)]))
  for (const off of SCRIPTS) {
    const rest = SCRIPTS.filter((vendor) => vendor !== off)
    const policy = mergeSources(rest.map((vendor) => parts.get(vendor) as TagSources))
    expect(rest.flatMap((vendor) => missing(vendor, policy))).toEqual([])
  }
})

test('keeps manifest, files and head items of the others byte for byte', () => {
  const pixels = STAND_INS.map(({ snippet, account }, index) => {
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
    const pixel = {
      id,
      type: 'custom',
      pixel_id: null,
      allowed_hosts: [`own-${index}.example.com`],
      consent_category: 'marketing',
      conversion_labels: { lead: 'AbC-1' },
      compiled: compileHere({ type: 'custom', pixel_id: null, code: snippet(account) }),
    } as const
    return prepareTag(pixel, new Set())
  })
  const tagsOf = (set: TagSet) => new Map(set.members.map((member) => [member.tag.id, member.script]))
  const all = composeTagSet(pixels, () => 0)
  expect(all.members).toHaveLength(STAND_INS.length)
  expect(STAND_INS.length).toBeGreaterThanOrEqual(20)
  for (const off of pixels) {
    const without = composeTagSet(
      pixels.filter((pixel) => pixel !== off),
      () => 0,
    )
    const expected = tagsOf(all)
    expected.delete(off.tag.id)
    expect(tagsOf(without)).toEqual(expected)
    for (const { files, sources } of without.members) {
      for (const [path, text] of files) expect(without.files.get(path)).toBe(text)
      for (const key of SOURCE_KEYS) {
        const lost = sources[key].filter(
          (source) =>
            !without.sources[key].includes(source) &&
            !without.sources[key].some(
              (wildcard) => wildcard.startsWith('*.') && matchesSource(source, wildcard),
            ),
        )
        expect(lost).toEqual([])
      }
    }
    expect(without.head).toEqual(all.head.filter((item) => !off.compiled.head.includes(item)))
  }
})

test('fills in an account that is part of a host’s name', () => {
  expect(needsOf("<script>gtag('config','DC-7654321')</script>").frame).toContain(
    '7654321.fls.doubleclick.net',
  )
})

test('leaves more than a kilobyte of the header’s eight with the twenty largest vendors', () => {
  const policyOf = (vendors: readonly Vendor[]) =>
    serializePolicy(
      withTags(
        publicPolicy({
          origins: ['https://portico.example'],
          styleHashes: ['a', 'b'].map((letter) => `'sha256-${letter.repeat(44)}'`),
          scriptHashes: [`'sha256-${'c'.repeat(44)}'`],
        }),
        {
          sources: mergeSources(vendors.map((vendor) => needsOf(vendor.sample.code))),
          trustsContainer: true,
          reportPath: '/api/csp-report',
          https: true,
        },
      ),
    ).length
  const heaviest = [...SCRIPTS].sort((a, b) => policyOf([b]) - policyOf([a])).slice(0, 20)
  expect(policyOf(heaviest)).toBeLessThan(7_168)
})

describe('what a snippet contains', () => {
  const compile = (code: string) => compileHere({ type: 'custom', pixel_id: null, code })
  test.each([
    ['script', '<script>var a = 1</script>', []],
    ['image', '<img src="https://px.vendor.com/p.gif">', []],
    ['noscript', '<noscript><img src="https://px.vendor.com/p.gif"></noscript>', ['noscript_only']],
    ['link', '<a href="https://wa.me/5511912345678">Oi</a>', ['element_not_shipped', 'link_only']],
    ['head', '<meta name="p:domain_verify" content="0123456789abcdef0123456789abcdef">', []],
    ['head', '<script type="application/ld+json">{"@type":"Organization"}</script>', []],
    ['nothing', '<script></script>', ['nothing_runs']],
    ['nothing', '<!-- Código personalizado aqui -->', []],
    ['nothing', 'qualquer texto', ['no_script']],
    ['nothing', '<script type="application/ld+json">{</script>', ['json_ld_unreadable']],
    ['nothing', '<meta http-equiv="refresh" content="0">', ['meta_not_shipped']],
    ['nothing', '<meta name="robots" content="noindex">', ['meta_not_shipped']],
    ['nothing', '<meta name="google-site-verification" content="">', ['meta_without_code']],
    ['script', "<script>init('YOUR_PIXEL_ID')</script>", ['placeholder']],
    ['script', "<script>snaptr('init','1',{'user_email':'<user_email_address>'})</script>", ['placeholder']],
    ['script', "<script>gtag('config','G-XXXXXXXXXX')</script>", ['placeholder']],
  ])('%s: %s', (kind, code, warnings) => {
    const compiled = compile(code)
    expect(compiled.kind).toBe(kind)
    expect(compiled.warnings.map((warning) => warning.code)).toEqual(warnings)
  })

  test('parses structured data, serialises it again, and limits its size', () => {
    const { head } = compile('<script type="application/ld+json">\n{ "name": "a</b>", "n": 1 }\n</script>')
    expect(head).toEqual([{ kind: 'json_ld', json: '{"name":"a</b>","n":1}' }])
    const large = `<script type="application/ld+json">{"a":"${'x'.repeat(2_100)}"}</script>`
    expect(compile(large).warnings).toMatchObject([{ code: 'json_ld_too_large' }])
  })
})
