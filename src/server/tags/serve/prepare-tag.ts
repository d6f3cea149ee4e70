import { createHash } from 'node:crypto'
import type { ConsentCategory } from '#contract/consent.ts'
import type { EmailRecipient } from '#contract/consent-choice.ts'
import {
  CONVERSION_NAMES,
  CONVERSIONS,
  type Conversion,
  type ConversionLabels,
} from '#contract/conversions.ts'
import { jarKey } from '#contract/isolated-frame.ts'
import type { PixelDelivery, PixelRunsIn, PixelType } from '#contract/pixel.ts'
import { type ConversionCall, type ManifestTag, tagPath } from '#contract/tag-manifest.ts'
import type { ConversionLabelField, ConversionTrigger } from '#contract/tag-status.ts'
import type { Destination } from '#server/conversions/destinations/destination.ts'
import { destinationOf } from '#server/conversions/destinations/destinations.ts'
import {
  isSocketSource,
  SOURCE_KEYS,
  type TagSources,
} from '#server/http/security/content-security-policy.ts'
import { marksOfPixel, type VendorMark, vendorById } from '#server/vendors/marks.ts'
import { type NameRule, toMatchedText, type VendorConversion } from '#server/vendors/vendor.ts'
import { type CompiledTag, hostsOfSources } from '../compile/compiled-tag.ts'
import { type SpendingPixel, sourcesOfPixel } from '../hosts/sources.ts'
import type { IsolatedFrame, RenderFrame } from './isolated-frame.ts'

export interface ActivePixel {
  id: string
  type: PixelType
  pixel_id: string | null
  allowed_hosts: readonly string[]
  consent_category: ConsentCategory
  conversion_labels: ConversionLabels
  compiled: CompiledTag
  delivery?: PixelDelivery
  destination?: string | null
  send_hashed_email?: boolean
  runs_in?: PixelRunsIn
}

/** One pixel's part of the tag set, computed once while nothing about it changes. */
export interface PreparedTag {
  compiled: CompiledTag
  tag: ManifestTag
  /** Its entry for the page; for an isolated tag only its frame. */
  pageTag: ManifestTag
  /** Null if it runs in the page. */
  frame: IsolatedFrame | null
  /** The server sends its events. */
  isSentByServer: boolean
  /** Where the server sends them. */
  destination: Destination | null
  /** Set if it gets hashed addresses, which visitors must have been told. */
  emailRecipient: EmailRecipient | null
  /** Its entry in the manifest. */
  script: string
  /** Content of each file by path. */
  files: ReadonlyMap<string, string>
  /** Every vendor whose hosts it has. */
  marks: readonly VendorMark[]
  /** What its part of the policy is made of. */
  spending: SpendingPixel
  sources: TagSources
  /** Number of entries that it adds to the policy. */
  addedHosts: number
  /** Hash of what the browser runs and the policy allows: observations of another revision do not count. */
  revision: string
  /** Hash of its steps only: a blocked host stays blocked for this code, whatever else was permitted. */
  codeHash: string
}

export function prepareTag(
  pixel: ActivePixel,
  ownHosts: ReadonlySet<string>,
  renderFrame: RenderFrame = noFrames,
): PreparedTag {
  // A pixel sent by the server only has nothing on the page.
  const isAbsent = pixel.delivery === 'server'
  const compiled = isAbsent ? { ...pixel.compiled, steps: [], head: [] } : pixel.compiled
  const isIsolated = pixel.runs_in === 'isolated' && compiled.steps.length > 0
  const files = new Map<string, string>()
  const steps = compiled.steps.map((step) => {
    if (step.kind !== 'own') return step
    const path = tagPath(hashOf(pixel.id, step.body))
    if (!isIsolated) files.set(path, step.body)
    return { kind: step.kind, src: path, attributes: step.attributes }
  })
  const spending: SpendingPixel = {
    type: pixel.type,
    allowed_hosts: pixel.allowed_hosts,
    sources: compiled.sources,
    vendors: compiled.vendors,
  }
  const marks = marksOfPixel(pixel.type, compiled.vendors)
  const sources = sourcesOfPixel(spending, ownHosts)
  const tag: ManifestTag = {
    id: pixel.id,
    type: pixel.type,
    category: pixel.consent_category,
    vendorId: pixel.pixel_id,
    hosts: entriesOf(sources),
    steps,
    ...(isAbsent ? {} : { ...hitOf(pixel, marks), ...conversionsOf(pixel, marks) }),
    ...leftoversOfVendors(marks),
  }
  const frame = isIsolated ? renderFrame({ ...tag, steps: compiled.steps }, sources) : null
  const pageTag = frame === null ? tag : inFrame(tag, frame)
  const script = toScript(pageTag)
  const isSentByServer = (pixel.delivery ?? 'browser') !== 'browser'
  const destination = destinationOf(pixel)
  return {
    compiled,
    tag,
    pageTag,
    frame,
    isSentByServer,
    destination,
    emailRecipient:
      isSentByServer && pixel.send_hashed_email === true ? (destination?.email?.recipient ?? null) : null,
    script,
    files,
    marks,
    spending,
    sources,
    addedHosts: SOURCE_KEYS.reduce((sum, key) => sum + sources[key].length, 0),
    revision: hashOf(script, JSON.stringify(sources)),
    codeHash: hashOf('code', JSON.stringify(steps)),
  }
}

function noFrames(): never {
  throw new Error('an isolated tag needs a frame renderer')
}

/** Its hosts are not in the page's policy, and all that it leaves in the browser is stored by the page. */
function inFrame({ id, type, category, vendorId }: ManifestTag, { hash }: IsolatedFrame): ManifestTag {
  const leaves = { local: [jarKey(id)], session: [jarKey(id)] }
  return { id, type, category, vendorId, hosts: [], steps: [], leaves, room: hash }
}

/** How the page recognises this tag's page view among other requests. */
function hitOf({ pixel_id }: ActivePixel, marks: readonly VendorMark[]): Pick<ManifestTag, 'hit'> {
  // An Ads account in a Google Analytics pixel sends to the hosts of Ads.
  const mark = marks.find(({ account }) => account !== null && account === pixel_id) ?? marks[0]
  const pageView = mark === undefined ? undefined : vendorById(mark.id)?.pageView
  if (mark === undefined || pageView === undefined) return {}
  const account = pixel_id ?? mark.account
  // A Google tag stands for other accounts, whose IDs are in its requests; Google Ads writes its ID without the
  // letters.
  const isShown = pageView.showsId && !account?.startsWith('GT-')
  return {
    hit: {
      hosts: [...pageView.hosts],
      id: isShown && /^[\w-]+$/.test(account ?? '') ? (account?.replace(/^AW-/, '') ?? null) : null,
      ...(pageView.byScript && { byScript: true }),
    },
  }
}

/** Code that listens to the page's own event sends conversions itself: it must not get them twice. */
function conversionsOf(
  { pixel_id, conversion_labels, compiled }: ActivePixel,
  marks: readonly VendorMark[],
): Pick<ManifestTag, 'conversions'> {
  if (listensItself(compiled)) return {}
  const conversions = conversionCalls(marks, pixel_id, conversion_labels)
  return Object.keys(conversions).length === 0 ? {} : { conversions }
}

/** Each host once. Sockets are in no timeline. */
function entriesOf(sources: TagSources): string[] {
  const all = SOURCE_KEYS.flatMap((key) => sources[key]).filter((source) => !isSocketSource(source))
  return [...new Set(all)].sort()
}

export function hashOf(salt: string, text: string): string {
  return createHash('sha256').update(salt).update('\0').update(text).digest('base64url').slice(0, 16)
}

/** JSON is JavaScript, except for two line separators in older engines. */
function toScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

/** The page's event that custom code may listen to. */
const OWN_EVENT = 'portico:event'

const MAX_NAMED = 3

function listensItself({ steps }: Pick<CompiledTag, 'steps'>): boolean {
  return steps.some((step) => step.kind === 'own' && step.body.includes(OWN_EVENT))
}

/** The calls that send each conversion to a pixel's vendors, as far as their labels are known. */
function conversionCalls(
  marks: readonly VendorMark[],
  account: string | null,
  labels: ConversionLabels,
): Partial<Record<Conversion, ConversionCall[]>> {
  const calls: Partial<Record<Conversion, ConversionCall[]>> = {}
  for (const [index, mark] of marks.entries()) {
    const conversion = vendorById(mark.id)?.conversion
    if (conversion === undefined) continue
    // The form's field is the account of the pixel's own vendor; others have theirs in the code.
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

/** Replaces placeholders in all texts; `$id` is left for the page. */
function fill(value: unknown, marks: Record<string, string>): unknown {
  if (typeof value === 'string') return value.replace(/\$(account|label)/g, (mark) => marks[mark] ?? '')
  if (Array.isArray(value)) return value.map((item) => fill(item, marks))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, marks)]))
}

/** Labels that the form asks for, for vendors that identify conversions by label. */
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

/** Events that a container's triggers can use. */
export function listTriggers(marks: readonly VendorMark[]): ConversionTrigger[] {
  const container = marks.flatMap(({ id }) => vendorById(id) ?? []).find(({ pageView }) => pageView?.byScript)
  const events = container?.conversion?.events
  if (events === undefined) return []
  return CONVERSIONS.map((conversion) => ({ conversion, event: events[conversion] }))
}

/** Whole sentences: what is sent automatically, and when. */
export function describeSends(
  compiled: Pick<CompiledTag, 'kind' | 'steps' | 'warnings'>,
  marks: readonly VendorMark[],
  labels: ConversionLabels,
): string[] {
  const { kind } = compiled
  if (kind === 'head')
    return ['Não envia nada: fica no HTML da página para a plataforma confirmar que o site é seu.']
  if (kind !== 'script' && kind !== 'image') return []
  const visit = describeVisit(compiled, marks)
  if (listensItself(compiled))
    return [visit, 'Conversões: enviadas pelo próprio código, que acompanha os eventos da página.']
  return [visit, ...describeConversions(marks, labels)]
}

function describeVisit(
  { steps, warnings }: Pick<CompiledTag, 'steps' | 'warnings'>,
  marks: readonly VendorMark[],
): string {
  const vendor = marks.flatMap(({ id }) => vendorById(id) ?? [])[0]
  if (vendor === undefined) return 'Visita à página, depois do consentimento: conforme o próprio código.'
  const code = toMatchedText(steps.map((step) => (step.kind === 'own' ? step.body : step.src)).join('\n'))
  if (vendor.base !== undefined && !vendor.base.test(code))
    return `Visita à página: não é enviada. Este é só o código de evento de ${vendor.name}, sem a tag base.`
  const hasConversion = warnings.some((warning) => warning.code === 'conversion_at_load')
  return `Visita à página${hasConversion ? ' e uma conversão' : ''}, depois do consentimento: ${vendor.name}.`
}

function describeConversions(marks: readonly VendorMark[], labels: ConversionLabels): string[] {
  const known = marks
    .flatMap(({ id }) => vendorById(id) ?? [])
    .filter(({ conversion }) => conversion !== undefined)
  if (known.length === 0) {
    return [
      'Conversões: não são enviadas automaticamente. Para enviar, o código precisa usar o evento portico:event.',
    ]
  }
  return CONVERSIONS.map((name) => {
    const receivers = known.filter(
      ({ conversion }) => conversion?.label === undefined || labels[name] !== undefined,
    )
    const missing = known.filter((vendor) => !receivers.includes(vendor)).map((vendor) => vendor.name)
    const sent = receivers.map(
      ({ conversion, name: vendor }) =>
        `${vendor} (${conversion?.events[name].replace('$label', labels[name] ?? '')})`,
    )
    return `${CONVERSION_NAMES[name]}: ${[
      ...(sent.length > 0 ? [sent.join(', ')] : []),
      ...(missing.length > 0 ? [`não enviada para ${missing.join(', ')}: falta o rótulo`] : []),
    ].join('; ')}.`
  })
}

/** Describes unrecognised code; null if its warnings say everything. */
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
    : `Não reconhecemos a plataforma. O código roda como está e se comunica com ${hosts.slice(0, MAX_NAMED).join(', ')}${hosts.length > MAX_NAMED ? ' e outros' : ''}.`
}

/** What these vendors leave in a visitor's browser on our site, which the page deletes when consent is withdrawn. */
function leftoversOfVendors(marks: readonly VendorMark[]): Pick<ManifestTag, 'leaves'> {
  const vendors = marks.flatMap(({ id }) => vendorById(id) ?? [])
  const cookies = vendors.flatMap((vendor) => vendor.cookies.map(({ name }) => toText(name)))
  const keys = vendors.flatMap(({ storage }) => storage.filter(({ readOnly }) => readOnly !== true))
  const inArea = (wanted: 'local' | 'session') =>
    keys.filter(({ area }) => area === wanted).map(({ key }) => toText(key))
  const lists = Object.entries({ cookies, local: inArea('local'), session: inArea('session') })
  const named = lists.filter(([, list]) => list.length > 0).map(([what, list]) => [what, [...new Set(list)]])
  return named.length === 0 ? {} : { leaves: Object.fromEntries(named) }
}

/** `name`, `prefix*` or `/pattern/`. */
function toText(rule: NameRule): string {
  if ('exact' in rule) return rule.exact
  return 'prefix' in rule ? `${rule.prefix}*` : `/${rule.pattern.source}/`
}
