import type { OptionalCategory } from '#contract/consent.ts'
import type { ActiveTool, ToolCookie } from '#contract/inventory.ts'
import { jarKey } from '#contract/isolated-frame.ts'
import { matchesSource, SOURCE_KEYS } from '#server/http/security/content-security-policy.ts'
import { vendorById } from '#server/vendors/marks.ts'
import type { NameRule, Vendor } from '#server/vendors/vendor.ts'
import { sourcesOfVendors } from '../hosts/sources.ts'
import type { PreparedTag } from './prepare-tag.ts'
import type { Recipient, TagSet } from './tag-set.ts'

const OWN_TOOL = 'Código próprio do site'

const OWN_PURPOSE =
  'Código feito para este site, sem uma ferramenta conhecida por trás. Não sabemos listar o que ele grava no navegador.'

const OWN_SERVER_PURPOSE =
  'Sistema escolhido por nós que recebe, pelo nosso servidor, as ações feitas no site.'

/** The one vendor whose script loads others. */
const CONTAINER = 'google-tag-manager'

const CONTAINER_NOTE = 'Outras ferramentas carregadas por ele não aparecem nesta lista.'

/**
 * The tools on the site, each vendor once per category, in the order in which they run. Names that administrators gave
 * to pixels are not published.
 */
export function describeTools(set: Pick<TagSet, 'recipients'>): ActiveTool[] {
  const tools = new Map<string, ActiveTool>()
  const seen = new Set<string>()
  for (const recipient of set.recipients) {
    const text = spellTools(recipient)
    // Many tags are alike, and merging a tool with itself changes nothing.
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

/** Computed once while the tag is unchanged. */
const spelled = new WeakMap<PreparedTag, Map<Recipient['sentBy'], string>>()

function spellTools(recipient: Recipient): string {
  const { prepared, sentBy } = recipient
  const known = spelled.get(prepared) ?? new Map<Recipient['sentBy'], string>()
  const text = known.get(sentBy) ?? JSON.stringify(toolsOf(recipient))
  spelled.set(prepared, known.set(sentBy, text))
  return text
}

function toolsOf(recipient: Recipient): ActiveTool[] {
  const { prepared, sentBy } = recipient
  const vendors = prepared.marks
    .flatMap(({ id }) => vendorById(id) ?? [])
    // Verification metas observe nobody.
    .filter((vendor) => vendor.category !== null)
  const [first, ...others] = vendors
  if (first === undefined) return [ownTool(recipient)]
  return [
    { ...vendorTool(first, recipient), hosts: hostsBeyondVendors(recipient) },
    // Our server sends to the vendor of the pixel's type only.
    ...(sentBy.includes('browser') ? others : []).map((vendor) =>
      vendorTool(vendor, { prepared, sentBy: ['browser'] }),
    ),
  ]
}

function vendorTool(vendor: Vendor, { prepared, sentBy }: Recipient): ActiveTool {
  return {
    category: categoryOf(prepared),
    vendor: vendor.id,
    name: vendor.name,
    company: vendor.company,
    country: vendor.country,
    purpose: vendor.id === CONTAINER ? `${vendor.purpose} ${CONTAINER_NOTE}` : vendor.purpose,
    told_by: [...sentBy],
    cookies: [
      ...(sentBy.includes('browser') ? cookiesInBrowser(vendor, prepared) : []),
      ...(sentBy.includes('server') ? cookiesOfServer(prepared) : []),
    ].filter(isFirstOfItsName),
    hosts: [],
  }
}

function ownTool(recipient: Recipient): ActiveTool {
  const { prepared, sentBy } = recipient
  return {
    category: categoryOf(prepared),
    vendor: null,
    name: OWN_TOOL,
    company: null,
    country: null,
    purpose: sentBy.includes('browser') ? OWN_PURPOSE : OWN_SERVER_PURPOSE,
    told_by: [...sentBy],
    cookies: [
      ...(prepared.frame === null ? [] : [JAR]),
      ...(sentBy.includes('server') ? cookiesOfServer(prepared) : []),
    ],
    hosts: hostsBeyondVendors(recipient),
  }
}

/** A frame with an opaque origin has no cookies; the page stores its data. */
function cookiesInBrowser(vendor: Vendor, { frame }: PreparedTag): ToolCookie[] {
  return frame === null ? cookiesOfVendor(vendor) : [JAR]
}

function categoryOf({ tag }: PreparedTag): OptionalCategory {
  return tag.category as OptionalCategory
}

/** Hosts in the code, or permitted by an administrator, that the catalogue does not list. */
function hostsBeyondVendors({ prepared: { tag, marks }, sentBy }: Recipient): string[] {
  if (!sentBy.includes('browser')) return []
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

/** What the page stores for an isolated tag; nothing else of it is in the browser. */
const JAR: ToolCookie = {
  name: jarKey('…'),
  duration: 'até ser apagado',
  purpose: 'Dados que a ferramenta guarda enquanto roda isolada da página.',
  domain: null,
  kind: 'local_storage',
}

/** Cookies and storage of the vendor's script, here and on its own domain. */
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

/** Cookies that our server sets to send events. */
function cookiesOfServer({ destination }: PreparedTag): ToolCookie[] {
  return (destination?.cookies ?? []).map(({ name, days, purpose }) =>
    ownCookie(name, `${days} dias`, purpose),
  )
}

function ownCookie(name: string, duration: string, purpose: string): ToolCookie {
  return { name, duration, purpose, domain: null, kind: 'cookie' }
}

/** As a visitor sees it in the browser; variable parts are an ellipsis or an example. */
function nameOf(rule: NameRule): string {
  if ('exact' in rule) return rule.exact
  return 'prefix' in rule ? `${rule.prefix}…` : `ex.: ${rule.sample}`
}
