import { describe, expect, test } from 'vitest'
import type { PixelType } from '#contract/pixel.ts'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { marksOfPixel } from '#server/vendors/marks.ts'
import { VENDORS } from '#server/vendors/vendors.ts'
import { compileHere } from '#tests/support/compile-here.ts'
import { describeSends, describeUnknown, labelFields, listTriggers } from './prepare-tag.ts'

const LABELS = { lead: 'AbCd1', contact: 'AbCd2', sign_up: 'AbCd3' }
const BASE = `<script async src="https://www.googletagmanager.com/gtag/js?id=AW-1029384756"></script>
<script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}
gtag('js', new Date());gtag('config', 'AW-1029384756');</script>`
const EVENT = `<script>gtag('event', 'conversion', {'send_to': 'AW-1029384756/AbC-D_efG'});</script>`
const CLICK = `<script>function gtag_report_conversion(url){gtag('event', 'conversion', {'send_to': 'AW-1029384756/AbC-D_efG'});return false}</script>`

function look(code: string, type: PixelType = 'custom', pixel_id: string | null = null) {
  const compiled = compileHere({ type, pixel_id, code })
  const marks = marksOfPixel(type, compiled.vendors)
  return {
    warnings: compiled.warnings.map((warning) => warning.code),
    sends: describeSends(compiled, marks, LABELS),
    found: labelFields(marks, code).map(({ found }) => found),
    triggers: listTriggers(marks),
    about: compiled.vendors.length > 0 ? null : describeUnknown(compiled),
  }
}

describe('an event snippet of Google Ads', () => {
  test('beside the base tag is a conversion of every visit, with a warning and its label suggested', () => {
    const { warnings, sends, found } = look(BASE + EVENT)
    expect(warnings).toEqual(['conversion_at_load'])
    expect(sends[0]).toBe('Visita à página e uma conversão, depois do consentimento: Google Ads.')
    expect(found).toEqual(Array(3).fill('AbC-D_efG'))
  })

  test('alone sends no page view', () => {
    const { warnings, sends } = look(EVENT)
    expect(warnings).toEqual(['conversion_at_load'])
    expect(sends[0]).toBe(
      'Visita à página: não é enviada. Este é só o código de evento de Google Ads, sem a tag base.',
    )
  })

  test('in a function called by a click is no conversion of a visit', () => {
    const { warnings, sends, found } = look(BASE + CLICK)
    expect([warnings, found[0]]).toEqual([[], 'AbC-D_efG'])
    expect(sends[0]).toBe('Visita à página, depois do consentimento: Google Ads.')
  })

  test('for remarketing is no conversion', () => {
    expect(
      look(`${BASE}<script>gtag('event','page_view',{send_to:'AW-1029384756'})</script>`).warnings,
    ).toEqual([])
  })
})

test.each([
  [
    'Meta',
    generateSnippet('meta', '482910377165024').replace("fbq('track', 'PageView')", "fbq('track', 'Lead')"),
  ],
  [
    'Meta in a function that is called at once',
    `<script>(function(){fbq('init','482910377165024');fbq('track','Contact')})()</script>`,
  ],
  ['X', `<script>twq('config','abc12');twq('event','tw-abc12-def34',{})</script>`],
  ['TikTok', `<script>ttq.load('CPRT1C0ABCDEFGHIJKL0');ttq.track('Lead')</script>`],
  ['TikTok by a former name', `<script>ttq.load('CPRT1C0ABCDEFGHIJKL0');ttq.track('SubmitForm')</script>`],
])('finds a conversion at load of %s', (_vendor, code) => {
  expect(look(code).warnings).toContain('conversion_at_load')
})

test.each(
  VENDORS.filter(({ conversion }) => conversion !== undefined).map(
    (vendor) => [vendor.name, vendor] as const,
  ),
)('names the conversions of %s as the catalogue does', (_name, { id, conversion, name }) => {
  const marks = [{ id, account: 'a1' }]
  const compiled = compileHere({ type: 'custom', pixel_id: null, code: '<script>var a = 1</script>' })
  const [, ...sentences] = describeSends(compiled, marks, LABELS)
  expect(sentences).toHaveLength(3)
  for (const [index, key] of (['lead', 'contact', 'sign_up'] as const).entries()) {
    const event = conversion?.events[key] ?? ''
    expect(JSON.stringify(conversion?.args[key])).toContain(event === '$label' ? '$label' : `"${event}"`)
    const said = event === '$label' ? LABELS[key] : event
    expect(said).toMatch(/^[\w ]{3,}$/)
    expect(sentences[index]).toContain(`${name} (${said}).`)
  }
})

test("lists the events that a container's triggers can use", () => {
  const { triggers } = look(
    generateSnippet('google_tag_manager', 'GTM-PRT1C0'),
    'google_tag_manager',
    'GTM-PRT1C0',
  )
  expect(triggers.map(({ event }) => event)).toEqual(['site_lead', 'site_contact', 'site_sign_up'])
  expect(look(BASE).triggers).toEqual([])
})

describe('unrecognised code', () => {
  test.each([
    [
      'an agency’s script',
      '<script src="https://tags.agencia.com.br/a.js"></script>',
      'Não reconhecemos a plataforma. O código roda como está e se comunica com tags.agencia.com.br.',
    ],
    [
      'own code',
      '<script>var a = 1</script>',
      'Não reconhecemos a plataforma. O código roda como está, e não sabemos o que ele envia.',
    ],
    [
      'structured data',
      '<script type="application/ld+json">{"@context":"https://schema.org"}</script>',
      'São dados estruturados (JSON-LD): ficam no HTML da página e não enviam nada.',
    ],
    ['text', 'só um texto', null],
  ])('%s', (_what, code, about) => {
    expect(look(code).about).toBe(about)
  })

  test('claims nothing about any vendor', () => {
    expect(look('<script>var a = 1</script>').sends[0]).toBe(
      'Visita à página, depois do consentimento: conforme o próprio código.',
    )
  })

  test('says that Google ended Universal Analytics', () => {
    const code = `<script>(function(i,s){i['GoogleAnalyticsObject']='ga'})(window,document);ga('create','UA-12345-1','auto')</script>`
    const compiled = compileHere({ type: 'custom', pixel_id: null, code })
    expect(compiled.warnings.map(({ message }) => message)).toEqual([
      'UA-12345-1 é do Universal Analytics, que o Google encerrou: nada mais é medido por ele. Use uma propriedade do GA4, com o ID que começa com "G-".',
    ])
  })
})

test('accepts Analytics and Ads in one Google tag, and warns about two accounts of one product', () => {
  const tag = (...ids: string[]) =>
    `<script async src="https://www.googletagmanager.com/gtag/js?id=${ids[0]}"></script><script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}${ids.map((id) => `gtag('config','${id}');`).join('')}</script>`
  const codes = (...ids: string[]) => look(tag(...ids), 'google_analytics', ids[0]).warnings
  expect(codes('G-PRT1C0AB12', 'AW-1029384756')).toEqual([])
  expect(codes('G-PRT1C0AB12', 'G-OTHER12345')).toEqual(['other_id'])
})
