import {
  CONVERSION_NAMES,
  CONVERSIONS,
  type Conversion,
  type ConversionLabels,
} from '#contract/conversions.ts'
import type { ConversionCall } from '#contract/tag-manifest.ts'
import type { ConversionLabelField, ConversionTrigger } from '#contract/tag-status.ts'
import { type VendorMark, vendorById } from '#server/vendors/marks.ts'
import { toMatchedText, type VendorConversion } from '../vendors/vendor.ts'
import { type CompiledTag, hostsOfSources } from './compiled-tag.ts'

/** Event of the page that the code of a tag may listen to. */
const OWN_EVENT = 'portico:event'
const MAX_NAMED = 3

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
export function labelFields(marks: readonly VendorMark[], code: string): ConversionLabelField[] {
  const asking = marks.flatMap(({ id }) => vendorById(id) ?? []).find(({ conversion }) => conversion?.label)
  const label = asking?.conversion?.label
  if (asking === undefined || label === undefined) return []
  const text = toMatchedText(code)
  const found = (asking.extra ?? []).flatMap(({ pattern }) => pattern.exec(text)?.[1] ?? [])[0] ?? null
  return CONVERSIONS.map((conversion) => ({
    conversion,
    label: `${label.name}: ${CONVERSION_NAMES[conversion]}`,
    placeholder: label.example,
    found,
  }))
}

/** What a container's own triggers listen for. */
export function listTriggers(marks: readonly VendorMark[]): ConversionTrigger[] {
  const container = marks.flatMap(({ id }) => vendorById(id) ?? []).find(({ pageView }) => pageView?.byScript)
  const events = container?.conversion?.events
  if (events === undefined) return []
  return CONVERSIONS.map((conversion) => ({ conversion, event: events[conversion] }))
}

/** Whole sentences: what goes out by itself, and when. */
export function describeSends(
  compiled: Pick<CompiledTag, 'kind' | 'steps' | 'warnings'>,
  marks: readonly VendorMark[],
  labels: ConversionLabels,
): string[] {
  const { kind } = compiled
  if (kind === 'head') return ['Nada sai: isto só fica no HTML da página, para quem verifica o site.']
  if (kind !== 'script' && kind !== 'image') return []
  const visit = describeVisit(compiled, marks)
  if (listensItself(compiled))
    return [visit, 'Conversões: como o código mandar, porque ele ouve os eventos da página.']
  return [visit, ...describeConversions(marks, labels)]
}

function describeVisit(
  { steps, warnings }: Pick<CompiledTag, 'steps' | 'warnings'>,
  marks: readonly VendorMark[],
): string {
  const vendor = marks.flatMap(({ id }) => vendorById(id) ?? [])[0]
  if (vendor === undefined)
    return 'Ao abrir a página, depois do consentimento: o que o próprio código mandar.'
  const code = toMatchedText(steps.map((step) => (step.kind === 'own' ? step.body : step.src)).join('\n'))
  if (vendor.base !== undefined && !vendor.base.test(code))
    return `Aqui só há o código de evento de ${vendor.name}, sem a tag base: a visita não é enviada.`
  const hasConversion = warnings.some((warning) => warning.code === 'conversion_at_load')
  return `Ao abrir a página, depois do consentimento: a visita${hasConversion ? ' e uma conversão' : ''}, para ${vendor.name}.`
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
      ({ conversion, name: vendor }) =>
        `${vendor} (${conversion?.events[name].replace('$label', labels[name] ?? '')})`,
    )
    return `${CONVERSION_NAMES[name]}: ${[
      ...(sent.length > 0 ? [sent.join(', ')] : []),
      ...(missing.length > 0 ? [`não sai para ${missing.join(', ')} sem o rótulo`] : []),
    ].join('; ')}.`
  })
}

/** What is known of code that nobody recognised; null where its warnings say it all. */
export function describeUnknown({
  kind,
  sources,
  head,
  warnings,
}: Pick<CompiledTag, 'kind' | 'sources' | 'head' | 'warnings'>): string | null {
  if (kind === 'head')
    return head.some((item) => item.kind === 'json_ld')
      ? 'São dados estruturados (JSON-LD): ficam no HTML da página e não enviam nada.'
      : 'É uma verificação do site: fica no HTML da página e não envia nada.'
  if (kind !== 'script' && kind !== 'image') return null
  if (warnings.some(({ code }) => code === 'universal_analytics')) return null
  const hosts = hostsOfSources(sources)
  return hosts.length === 0
    ? 'Não reconhecemos a plataforma. O código roda como está, e não sabemos o que ele envia.'
    : `Não reconhecemos a plataforma. O código roda como está e fala com ${hosts.slice(0, MAX_NAMED).join(', ')}${hosts.length > MAX_NAMED ? ' e outros' : ''}.`
}
