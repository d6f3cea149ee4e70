import type { OptionalCategory } from '#contract/consent.ts'
import type { ActiveTool, ToolCookie } from '#contract/inventory.ts'
import { jarKey } from '#contract/isolated-frame.ts'
import { matchesSource, SOURCE_KEYS } from '#server/http/security/content-security-policy.ts'
import { vendorById } from '#server/vendors/marks.ts'
import type { NameRule, Vendor } from '#server/vendors/vendor.ts'
import { sourcesOfVendors } from '../hosts/sources.ts'
import type { PreparedTag } from './prepare-tag.ts'
import { listRecipients, type Recipient } from './recipients.ts'
import type { TagSet } from './tag-set.ts'

const OWN_TOOL = 'Ferramenta própria'

const OWN_PURPOSE =
  'Código escrito para este site, que não é de nenhuma ferramenta conhecida. O que ele grava no navegador não está descrito aqui.'

const OWN_SERVER_PURPOSE =
  'Recebe do nosso servidor o que foi feito no site, em um sistema escolhido por nós.'

/** Of the one vendor whose script is there to load others. */
const CONTAINER = 'google-tag-manager'

const CONTAINER_NOTE = 'Outras ferramentas que ele carregue não aparecem nesta lista.'

/**
 * The tools behind the tags that are on the site, each vendor once in each category, in the order in which they run.
 * Names that administrators gave to their pixels are their own affair and stay out.
 */
export function describeTools(set: Pick<TagSet, 'members' | 'recipients'>): ActiveTool[] {
  const tools = new Map<string, ActiveTool>()
  const seen = new Set<string>()
  for (const recipient of listRecipients(set)) {
    const text = spellTools(recipient)
    // Of ten thousand tags most are alike, and joining a tool with itself changes nothing.
    if (seen.has(text)) continue
    seen.add(text)
    addTools(tools, JSON.parse(text) as ActiveTool[])
  }
  return [...tools.values()]
}

function addTools(tools: Map<string, ActiveTool>, more: readonly ActiveTool[]): void {
  for (const tool of more) {
    const key = JSON.stringify([tool.category, tool.vendor, tool.vendor === null ? tool.hosts : null])
    const known = tools.get(key)
    tools.set(key, known === undefined ? tool : join(known, tool))
  }
}

/** Described once for as long as nothing about the tag changes. */
const spelled = new WeakMap<PreparedTag, Map<Recipient['toldBy'], string>>()

function spellTools(recipient: Recipient): string {
  const { prepared, toldBy } = recipient
  const known = spelled.get(prepared) ?? new Map<Recipient['toldBy'], string>()
  const text = known.get(toldBy) ?? JSON.stringify(toolsOf(recipient))
  spelled.set(prepared, known.set(toldBy, text))
  return text
}

function toolsOf(recipient: Recipient): ActiveTool[] {
  const { prepared, toldBy } = recipient
  const vendors = prepared.marks
    .flatMap(({ id }) => vendorById(id) ?? [])
    // Proofs of whose site this is observe nobody.
    .filter((vendor) => vendor.category !== null)
  const [first, ...others] = vendors
  if (first === undefined) return [ownTool(recipient)]
  return [
    { ...vendorTool(first, recipient), hosts: hostsBeyondVendors(recipient) },
    // Our server tells the vendor of the pixel's type alone.
    ...(toldBy.includes('browser') ? others : []).map((vendor) =>
      vendorTool(vendor, { prepared, toldBy: ['browser'] }),
    ),
  ]
}

function vendorTool(vendor: Vendor, { prepared, toldBy }: Recipient): ActiveTool {
  return {
    category: categoryOf(prepared),
    vendor: vendor.id,
    name: vendor.name,
    company: vendor.company,
    country: vendor.country,
    purpose: vendor.id === CONTAINER ? `${vendor.purpose} ${CONTAINER_NOTE}` : vendor.purpose,
    told_by: [...toldBy],
    cookies: [
      ...(toldBy.includes('browser') ? cookiesInBrowser(vendor, prepared) : []),
      ...(toldBy.includes('server') ? cookiesOfServer(prepared) : []),
    ].filter(isFirstOfItsName),
    hosts: [],
  }
}

function ownTool(recipient: Recipient): ActiveTool {
  const { prepared, toldBy } = recipient
  return {
    category: categoryOf(prepared),
    vendor: null,
    name: OWN_TOOL,
    company: null,
    country: null,
    purpose: toldBy.includes('browser') ? OWN_PURPOSE : OWN_SERVER_PURPOSE,
    told_by: [...toldBy],
    cookies: [
      ...(prepared.room === null ? [] : [JAR]),
      ...(toldBy.includes('server') ? cookiesOfServer(prepared) : []),
    ],
    hosts: hostsBeyondVendors(recipient),
  }
}

/** A frame of an opaque origin keeps no cookies; the page keeps its jar for it. */
function cookiesInBrowser(vendor: Vendor, { room }: PreparedTag): ToolCookie[] {
  return room === null ? cookiesOfVendor(vendor) : [JAR]
}

function categoryOf({ tag }: PreparedTag): OptionalCategory {
  return tag.category as OptionalCategory
}

/** What the code names, or an administrator permitted, and the catalogue does not. */
function hostsBeyondVendors({ prepared: { tag, marks }, toldBy }: Recipient): string[] {
  if (!toldBy.includes('browser')) return []
  const vendors = sourcesOfVendors(marks)
  const known = SOURCE_KEYS.flatMap((key) => vendors[key])
  return tag.hosts.filter((host) => !known.some((source) => host === source || matchesSource(host, source)))
}

function join(a: ActiveTool, b: ActiveTool): ActiveTool {
  return {
    ...a,
    told_by: (['browser', 'server'] as const).filter(
      (way) => a.told_by.includes(way) || b.told_by.includes(way),
    ),
    cookies: [...a.cookies, ...b.cookies].filter(isFirstOfItsName),
    hosts: [...new Set([...a.hosts, ...b.hosts])].sort(),
  }
}

function isFirstOfItsName(cookie: ToolCookie, index: number, all: readonly ToolCookie[]): boolean {
  const isSame = ({ name, domain, kind }: ToolCookie) =>
    name === cookie.name && domain === cookie.domain && kind === cookie.kind
  return all.findIndex(isSame) === index
}

/** What an isolated tag keeps: the page stores it for it, and nothing else of it is in the browser. */
const JAR: ToolCookie = {
  name: jarKey('…'),
  duration: 'até ser apagado',
  purpose: 'O que a ferramenta, isolada em um quadro, pediu para guardar.',
  domain: null,
  kind: 'local_storage',
}

/** What the vendor's own script leaves in the browser, here and on its own domain. */
function cookiesOfVendor(vendor: Vendor): ToolCookie[] {
  return [
    ...vendor.cookies.map(({ name, duration, purpose }) => ownCookie(nameOf(name), duration, purpose)),
    ...vendor.thirdPartyCookies.map(
      ({ name, domain, duration }): ToolCookie => ({
        name,
        duration,
        purpose: null,
        domain,
        kind: 'cookie',
      }),
    ),
    ...vendor.storage
      .filter(({ readOnly }) => readOnly !== true)
      .map(
        ({ area, key }): ToolCookie => ({
          name: nameOf(key),
          duration: area === 'local' ? 'até ser apagado' : 'sessão',
          purpose: null,
          domain: null,
          kind: area === 'local' ? 'local_storage' : 'session_storage',
        }),
      ),
  ]
}

/** What our server sets in order to send events to a vendor, or to a system of ours. */
function cookiesOfServer({ destination }: PreparedTag): ToolCookie[] {
  return (destination?.cookies ?? []).map(({ name, days, purpose }) =>
    ownCookie(name, `${days} dias`, purpose),
  )
}

function ownCookie(name: string, duration: string, purpose: string): ToolCookie {
  return { name, duration, purpose, domain: null, kind: 'cookie' }
}

/** As a visitor would find it in the browser; what changes from one to another is an ellipsis, or an example. */
function nameOf(rule: NameRule): string {
  if ('exact' in rule) return rule.exact
  return 'prefix' in rule ? `${rule.prefix}…` : `ex.: ${rule.sample}`
}
