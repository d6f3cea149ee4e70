import type { ActiveTool } from '#contract/active-tools.ts'
import type { OptionalCategory } from '#contract/consent.ts'
import type { Vendor } from '#server/vendors/vendor.ts'
import type { TagSet } from '../compose-tag-set.ts'
import type { PreparedTag } from '../prepare-tag.ts'
import { matchesSource, SOURCE_KEYS } from '../source-keys.ts'
import { sourcesOfVendors, vendorById } from '../vendor-sources.ts'
import { cookiesOfServer, cookiesOfVendor } from './tool-cookies.ts'

const OWN_TOOL = 'Ferramenta própria'
const OWN_PURPOSE =
  'Código escrito para este site, que não é de nenhuma ferramenta conhecida. O que ele grava no navegador não está descrito aqui.'
/** Of the one vendor whose script is there to load others. */
const CONTAINER = 'google-tag-manager'
const CONTAINER_NOTE = 'Outras ferramentas que ele carregue não aparecem nesta lista.'
const OWN_SERVER_PURPOSE =
  'Recebe do nosso servidor o que foi feito no site, em um sistema escolhido por nós.'

/**
 * The tools behind the tags that are on the site, each vendor once in each category, in the order in which they run.
 * Names that administrators gave to their pixels are their own affair and stay out.
 */
export function describeTools({ members, told }: Pick<TagSet, 'members' | 'told'>): ActiveTool[] {
  const tools = new Map<string, ActiveTool>()
  for (const prepared of [...members, ...told]) {
    for (const tool of toolsOf(prepared)) {
      const key = JSON.stringify([tool.category, tool.vendor, tool.vendor === null ? tool.hosts : null])
      const known = tools.get(key)
      tools.set(key, known === undefined ? tool : join(known, tool))
    }
  }
  return [...tools.values()]
}

function toolsOf(prepared: PreparedTag): ActiveTool[] {
  const { tag, marks } = prepared
  const vendors = marks
    .flatMap(({ id }) => vendorById(id) ?? [])
    // Proofs of whose site this is observe nobody.
    .filter((vendor) => vendor.category !== null)
  const [first, ...others] = vendors
  if (first === undefined) return [ownTool(prepared)]
  const hosts = hostsBeyondVendors(prepared)
  const category = tag.category as OptionalCategory
  return [
    { ...vendorTool(first, category, prepared), hosts },
    // Our server tells the vendor of the pixel's type alone.
    ...(tag.steps.length === 0 ? [] : others.map((vendor) => vendorTool(vendor, category, null))),
  ]
}

function vendorTool(vendor: Vendor, category: OptionalCategory, told: PreparedTag | null): ActiveTool {
  const told_by = told === null ? ['browser' as const] : waysOf(told)
  return {
    category,
    vendor: vendor.id,
    name: vendor.name,
    company: vendor.company,
    country: vendor.country,
    purpose: vendor.id === CONTAINER ? `${vendor.purpose} ${CONTAINER_NOTE}` : vendor.purpose,
    told_by,
    cookies: [
      ...(told_by.includes('browser') ? cookiesOfVendor(vendor) : []),
      ...(told_by.includes('server') && told !== null ? cookiesOfServer(told.tag.type, vendor) : []),
    ].filter(isFirstOfItsName),
    hosts: [],
  }
}

function ownTool(prepared: PreparedTag): ActiveTool {
  const told_by = waysOf(prepared)
  const runs = told_by.includes('browser')
  return {
    category: prepared.tag.category as OptionalCategory,
    vendor: null,
    name: OWN_TOOL,
    company: null,
    country: null,
    purpose: runs ? OWN_PURPOSE : OWN_SERVER_PURPOSE,
    told_by,
    cookies: told_by.includes('server') ? cookiesOfServer(prepared.tag.type, null) : [],
    hosts: hostsBeyondVendors(prepared),
  }
}

function waysOf({ tag, isTold }: PreparedTag): ActiveTool['told_by'] {
  return [...(tag.steps.length > 0 ? ['browser' as const] : []), ...(isTold ? ['server' as const] : [])]
}

/** What the code names, or an administrator permitted, and the catalogue does not. */
function hostsBeyondVendors({ tag, marks }: PreparedTag): string[] {
  if (tag.steps.length === 0) return []
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

function isFirstOfItsName(
  cookie: ActiveTool['cookies'][number],
  index: number,
  all: readonly ActiveTool['cookies'][number][],
): boolean {
  return (
    all.findIndex(
      ({ name, domain, kind }) => name === cookie.name && domain === cookie.domain && kind === cookie.kind,
    ) === index
  )
}
