import { describe, expect, test } from 'vitest'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { compileHere } from '#tests/support/compile-here.ts'
import { type CompiledTag, hostsOfSources, type TagSource, withoutOwnHosts } from './compiled-tag.ts'

const OWN = new Set(['portico.example'])
const custom = (code: string): TagSource => ({
  type: 'custom',
  pixel_id: null,
  code,
})
const compile = (source: TagSource) => withoutOwnHosts(compileHere(source), OWN)
const hostsOf = ({ scripts, sources }: CompiledTag) => [...new Set([...scripts, ...hostsOfSources(sources)])]
const codes = (source: TagSource) => compile(source).warnings.map((warning) => warning.code)

describe('compiles the generated snippets without a warning', () => {
  test.each([
    ['meta', '123456789012345', ['own'], ['connect.facebook.net']],
    ['google_analytics', 'G-ABC123', ['vendor', 'own'], ['www.googletagmanager.com']],
    ['google_tag_manager', 'GTM-ABC123', ['own'], ['www.googletagmanager.com']],
  ] as const)('%s', (type, id, kinds, hosts) => {
    const tag = compile({ type, pixel_id: id, code: generateSnippet(type, id) })
    expect(tag.warnings).toEqual([])
    expect(tag.steps.map((step) => step.kind)).toEqual(kinds)
    expect(hostsOf(tag)).toEqual(hosts)
    expect(hostsOfSources(tag.sources)).toEqual([])
  })
})

describe('steps', () => {
  test('keep the order of the snippet, one file per script, with attributes', () => {
    const { steps } = compile(
      custom(`<head><script>var a=1</script><div><script src="//cdn.vendor.com/x.js" data-key="k" nonce="n" defer></script>
        <script async src="https://cdn.vendor.com/y.js"></script></div><img src="https://px.vendor.com/p?i=1"><script type="module">export{}</script></head>`),
    )
    expect(steps).toEqual([
      { kind: 'own', body: 'var a=1', attributes: {} },
      { kind: 'vendor', src: 'https://cdn.vendor.com/x.js', attributes: { 'data-key': 'k' }, wait: true },
      { kind: 'vendor', src: 'https://cdn.vendor.com/y.js', attributes: {}, wait: false },
      { kind: 'image', src: 'https://px.vendor.com/p?i=1' },
      { kind: 'own', body: 'export{}', attributes: { type: 'module' } },
    ])
  })

  test('leave out a broken script and keep the others', () => {
    const { steps, warnings } = compile(
      custom('<script>var ok = 1</script><script>\nif (</script><script>var also = 2</script>'),
    )
    expect(steps).toMatchObject([{ body: 'var ok = 1' }, { body: 'var also = 2' }])
    expect(warnings[0]?.message).toMatch(/^O 2º script tem um erro na linha 2 e não vai rodar/)
  })

  test('contain nothing from noscript, not even an image', () => {
    const { steps } = compile(custom('<noscript><img src="https://px.vendor.com/p"></noscript>'))
    expect(steps).toEqual([])
  })

  test('keep text that looks like markup inside a script', () => {
    const { steps } = compile(custom('<script>var s = "<img src=https://a.example.com>"</script>'))
    expect(steps).toHaveLength(1)
  })
})

test.each<[string, string, string]>([
  ['document.write', '<script>document.write("x")</script>', 'document_write'],
  ['window.document.write', '<script>window.document.write("x")</script>', 'document_write'],
  ['eval', '<script>eval("1")</script>', 'eval'],
  ['new Function', '<script>new Function("1")()</script>', 'eval'],
  ['inline handlers', '<img src="https://a.vendor.com/p" onload="x()">', 'inline_handler'],
  ['plain http', '<script src="http://a.vendor.com/x.js"></script>', 'not_https'],
  ['a relative address', '<script src="/x.js"></script>', 'unusable_address'],
  ['our own host', '<script src="https://portico.example/admin"></script>', 'unusable_address'],
  ['an IP address', '<script src="https://10.0.0.1/x.js"></script>', 'unusable_address'],
  ['a data address', '<script src="data:text/javascript,1"></script>', 'unusable_address'],
  ['code that does not parse', '<script>function (</script>', 'does_not_parse'],
  ['code without its script element', "fbq('track', 'X')", 'no_script'],
  ['other elements', '<iframe src="https://a.vendor.com/"></iframe>', 'element_not_shipped'],
  [
    'a container in another type',
    generateSnippet('google_tag_manager', 'GTM-X').replace(/<noscript>.*/s, ''),
    'hidden_container',
  ],
])('warns about %s', (_name, code, warning) => {
  expect(codes(custom(code))).toContain(warning)
})

test('warns about code that is nested too deeply for the parser', () => {
  expect(codes(custom(`<script>${'['.repeat(40_000)}</script>`))).toContain('does_not_parse')
  expect(codes(custom('<b>'.repeat(30_000)))).toEqual(['element_not_shipped'])
})

test.each<[string, string, TagSource['type'], string, string[]]>([
  ['the same', '111', 'meta', generateSnippet('meta', '111'), []],
  ['another', '222', 'meta', generateSnippet('meta', '111'), ['other_id']],
  ['none', '222', 'meta', '<script>void 0</script>', ['id_missing']],
  [
    'another in the address only',
    'G-A',
    'google_analytics',
    generateSnippet('google_analytics', 'G-A').replace('js?id=G-A', 'js?id=G-B'),
    ['other_id'],
  ],
  [
    'another container',
    'GTM-A',
    'google_tag_manager',
    generateSnippet('google_tag_manager', 'GTM-B'),
    ['other_id'],
  ],
])('compares the ID of the field with the code: %s', (_name, pixel_id, type, code, expected) => {
  expect(codes({ type, pixel_id, code })).toEqual(expected)
})

test('never lists our own hosts, however they are written', () => {
  const tag = compile(
    custom(
      '<script>fetch("https://portico.example/admin");fetch("//PORTICO.example:443/rest/v1");fetch("https://portico.example./x");fetch(`https://ok.vendor.com/`)</script>',
    ),
  )
  expect(hostsOf(tag)).toEqual(['ok.vendor.com'])
})

describe('lists a host only for uses that the code shows', () => {
  const uses = (code: string) => {
    const { sources } = compileHere(custom(code))
    return Object.entries(sources).flatMap(([use, hosts]) => (hosts.includes('a.vendor.com') ? [use] : []))
  }
  test.each<[string, string, string[]]>([
    ['a script element', '<script src="https://a.vendor.com/x"></script>', ['script', 'connect', 'image']],
    ['an image element', '<img src="https://a.vendor.com/x">', ['image']],
    ['fetch', '<script>fetch("https://a.vendor.com/" + id)</script>', ['connect']],
    [
      'window.fetch of a template',
      `<script>window.fetch(\`https://a.vendor.com/\${id}\`)</script>`,
      ['connect'],
    ],
    ['a beacon', '<script>navigator.sendBeacon("//a.vendor.com/x", d)</script>', ['connect']],
    ['a request', '<script>r.open("POST", "https://a.vendor.com/x")</script>', ['connect']],
    ['an import', '<script type="module">import "https://a.vendor.com/x.js"</script>', ['script']],
    ['a late import', '<script>import("https://a.vendor.com/x")</script>', ['script']],
    ['a picture', '<script>new Image().src = "https://a.vendor.com/p.gif?i=1"</script>', ['image']],
    [
      'a script by its name',
      '<script>load("https://a.vendor.com/t.min.js")</script>',
      ['script', 'connect', 'image'],
    ],
    [
      'code that makes scripts',
      '<script>(function(d,s,u){d.createElement(s).src=u})(document,"script","https://a.vendor.com/tag/")</script>',
      ['script', 'connect', 'image'],
    ],
    [
      'a setting',
      '<script>window.config = { endpoint: "https://a.vendor.com" }</script>',
      ['connect', 'image'],
    ],
    [
      'code that makes frames',
      '<script>d.createElement("iframe").src = "https://a.vendor.com/f"</script>',
      ['connect', 'image', 'frame'],
    ],
    ['a window', '<script>window.open("https://a.vendor.com/x")</script>', ['connect', 'image']],
    ['a comment', '<script>// "https://a.vendor.com/x"\n</script>', []],
    ['a picture in noscript', '<noscript><img src="//a.vendor.com/x"></noscript>', ['connect', 'image']],
    ['a frame in noscript', '<noscript><iframe src="https://a.vendor.com/x"></iframe></noscript>', ['frame']],
  ])('%s', (_name, code, expected) => {
    expect(uses(code)).toEqual(expected)
  })
})
