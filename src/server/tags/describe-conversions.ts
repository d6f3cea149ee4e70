import {
  CONVERSION_NAMES,
  CONVERSIONS,
  type Conversion,
  type ConversionLabels,
} from '#contract/conversion.ts'
import type { ConversionCall } from '#contract/tag-manifest.ts'
import type { ConversionLabelField } from '#contract/tag-status.ts'
import type { VendorConversion } from '../vendors/vendor.ts'
import type { CompiledTag, VendorMark } from './compiled-tag.ts'
import { vendorById } from './vendor-sources.ts'

/** Event of the page that the code of a tag may listen to. */
const OWN_EVENT = 'portico:event'

export function listensItself({ steps }: Pick<CompiledTag, 'steps'>): boolean {
  return steps.some((step) => step.kind === 'own' && step.body.includes(OWN_EVENT))
}

/** The calls by which a pixel's vendors are told of each conversion, as far as there is what they need. */
export function conversionCalls(
  marks: readonly VendorMark[],
  account: string | null,
  labels: ConversionLabels,
): Partial<Record<Conversion, ConversionCall[]>> {
  const calls: Partial<Record<Conversion, ConversionCall[]>> = {}
  for (const [index, mark] of marks.entries()) {
    const conversion = vendorById(mark.id)?.conversion
    if (conversion === undefined) continue
    // The field of the form is the account of the pixel's own vendor; the others have theirs in the code.
    const own = (index === 0 ? account : null) ?? mark.account
    for (const name of CONVERSIONS) {
      const call = makeCall(conversion, name, own, labels[name])
      if (call !== null) calls[name] = [...(calls[name] ?? []), call]
    }
  }
  return calls
}

function makeCall(
  { call, args, label: needsLabel }: VendorConversion,
  name: Conversion,
  account: string | null,
  label: string | undefined,
): ConversionCall | null {
  if (needsLabel !== undefined && label === undefined) return null
  const text = JSON.stringify(args[name])
  if (account === null && text.includes('$account')) return null
  return { call, args: fill(args[name], { $account: account ?? '', $label: label ?? '' }) as unknown[] }
}

/** Every text inside, with its marks replaced; `$id` is left for the page. */
function fill(value: unknown, marks: Record<string, string>): unknown {
  if (typeof value === 'string') return value.replace(/\$(account|label)/g, (mark) => marks[mark] ?? '')
  if (Array.isArray(value)) return value.map((item) => fill(item, marks))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, marks)]))
}

/** What the form asks for, so that a vendor that tells conversions apart by labels can be told of them. */
export function labelFields(marks: readonly VendorMark[]): ConversionLabelField[] {
  const asking = marks.flatMap(({ id }) => vendorById(id)?.conversion?.label ?? [])[0]
  if (asking === undefined) return []
  return CONVERSIONS.map((conversion) => ({
    conversion,
    label: `${asking.name}: ${CONVERSION_NAMES[conversion]}`,
    placeholder: asking.example,
  }))
}

/** Whole sentences: what goes out by itself, and when. */
export function describeSends(
  compiled: Pick<CompiledTag, 'kind' | 'steps'>,
  marks: readonly VendorMark[],
  labels: ConversionLabels,
): string[] {
  const { kind } = compiled
  if (kind === 'head') return ['Nada sai: isto só fica no HTML da página, para quem verifica o site.']
  if (kind !== 'script' && kind !== 'image') return []
  const name = marks.flatMap(({ id }) => vendorById(id)?.name ?? [])[0]
  const visit = `Ao abrir a página, depois do consentimento: a visita${name === undefined ? ', como o código mandar' : `, para ${name}`}.`
  if (listensItself(compiled))
    return [visit, 'Conversões: como o código mandar, porque ele ouve os eventos da página.']
  return [visit, ...describeConversions(marks, labels)]
}

function describeConversions(marks: readonly VendorMark[], labels: ConversionLabels): string[] {
  const known = marks
    .flatMap(({ id }) => vendorById(id) ?? [])
    .filter(({ conversion }) => conversion !== undefined)
  if (known.length === 0) {
    return ['Conversões não saem sozinhas: o código pode ouvir o evento portico:event da página.']
  }
  return CONVERSIONS.map((name) => {
    const told = known.filter(
      ({ conversion }) => conversion?.label === undefined || labels[name] !== undefined,
    )
    const missing = known.filter((vendor) => !told.includes(vendor)).map((vendor) => vendor.name)
    const sent = told.map(
      ({ conversion, name: vendor }) => `${vendor} (${eventName(conversion?.args[name])})`,
    )
    return `${CONVERSION_NAMES[name]}: ${[
      ...(sent.length > 0 ? [sent.join(', ')] : []),
      ...(missing.length > 0 ? [`não sai para ${missing.join(', ')} sem o rótulo`] : []),
    ].join('; ')}.`
  })
}

/** The vendor's own word for it: the last text among what it is called with, but for our marks. */
function eventName(args: readonly unknown[] | undefined): string {
  const texts = JSON.stringify(args ?? []).match(/"[^"$]+"(?!:)/g) ?? []
  const names = texts
    .map((text) => text.slice(1, -1))
    .filter((text) => !['track', 'event', 'beacon', 'trackEvent'].includes(text))
  return names[0] ?? 'conversão'
}
