import { createHash } from 'node:crypto'
import type { EvidencePartiesContent, OptionalCategory } from '#contract/consent.ts'
import type { ServedFile } from '#contract/inventory.ts'
import { framePath } from '#contract/isolated-frame.ts'
import type { SiteInfo } from '#contract/site.ts'
import { matchesSource } from '#server/http/security/content-security-policy.ts'
import { vendorById } from '#server/vendors/marks.ts'
import type { PreparedTag } from './prepare-tag.ts'
import type { TagSet } from './tag-set.ts'

type DescribedRecipient = EvidencePartiesContent['recipients'][number]

/** Who answers for the site, and who hears of its visitors while this tag set is served. */
export function describeRecipients(site: SiteInfo, set: TagSet): EvidencePartiesContent {
  return {
    controller: {
      name: site.legalName ?? site.brandName,
      cnpj: site.cnpj,
      contact: site.dpoEmail ?? site.contactEmail,
      site: site.siteUrl,
    },
    tag_set_version: set.version ?? '',
    recipients: listRecipients(set).map((recipient) => {
      const { prepared, toldBy } = recipient
      const known = describedBy.get(prepared)
      if (known?.toldBy === toldBy) return known.party
      const party = describeRecipient(recipient)
      describedBy.set(prepared, { toldBy, party })
      return party
    }),
  }
}

/** Of ten thousand tags one changes at a time: the others are described once, and are the same objects each time. */
const describedBy = new WeakMap<PreparedTag, { toldBy: Recipient['toldBy']; party: DescribedRecipient }>()

function describeRecipient({ prepared: { tag, marks }, toldBy }: Recipient): DescribedRecipient {
  return {
    pixel: tag.id,
    type: tag.type,
    account: tag.vendorId,
    category: tag.category,
    told_by: toldBy.length === 2 ? 'both' : (toldBy[0] ?? 'server'),
    vendors: marks.flatMap(({ id }) => {
      const vendor = vendorById(id)
      if (vendor === undefined) return []
      const { name, company, country, purpose } = vendor
      return [{ id, name, company, country, purpose }]
    }),
    hosts: tag.hosts,
  }
}

/** Each tag that is on the page or of which our server tells, as the history keeps it. */
export function describeServedTags(set: Pick<TagSet, 'members' | 'recipients'>) {
  return listRecipients(set).map((recipient) => {
    const { prepared, toldBy } = recipient
    const known = described.get(prepared)
    if (known?.toldBy === toldBy) return known
    const served = describeServedTag(recipient)
    described.set(prepared, served)
    return served
  })
}

/** Described, and its files hashed, once for as long as nothing about the tag changes. */
const described = new WeakMap<PreparedTag, ReturnType<typeof describeServedTag>>()

function describeServedTag({ prepared, toldBy }: Recipient) {
  const { tag, marks, revision } = prepared
  const runs = toldBy.includes('browser')
  return {
    pixelId: tag.id,
    revision,
    type: tag.type,
    vendors: marks.map(({ id }) => id),
    account: tag.vendorId ?? marks[0]?.account ?? null,
    category: tag.category as OptionalCategory,
    toldBy,
    hosts: runs ? tag.hosts : [],
    files: runs ? filesOf(prepared) : [],
  }
}

/** What a browser is given to run: our own files with the hash of each, and the vendors' by their addresses. */
function filesOf(prepared: PreparedTag): ServedFile[] {
  const { files, room } = prepared
  // Isolated, all of its own code is in the document of its frame.
  const served = room === null ? [...files] : [[framePath(room.hash), room.html] as const]
  const own = served.map(
    ([path, text]): ServedFile => ({
      kind: 'own',
      path,
      sha256: createHash('sha256').update(text).digest('hex'),
    }),
  )
  const vendors = findScriptAddresses(prepared).map((url): ServedFile => ({ kind: 'vendor', url }))
  return [...own, ...vendors]
}

/** A tag of the set, and from where its vendor is told. */
export interface Recipient {
  prepared: PreparedTag
  toldBy: readonly Way[]
}

type Way = 'browser' | 'server'

/** Those that run on the page, and those of which our server alone tells: one without room in the policy does not run. */
export function listRecipients({ members, recipients }: Pick<TagSet, 'members' | 'recipients'>): Recipient[] {
  const runs = new Set(members)
  return recipients.map((prepared) => ({
    prepared,
    toldBy: runs.has(prepared) ? (prepared.isTold ? BOTH : BROWSER) : prepared.isTold ? SERVER : NOBODY,
  }))
}

const BOTH: readonly Way[] = ['browser', 'server']

const BROWSER: readonly Way[] = ['browser']

const SERVER: readonly Way[] = ['server']

const NOBODY: readonly Way[] = []

/** A whole address of a script, as code writes it between quotation marks. */
const LITERAL = /(['"`])((?:https:)?\/\/[\w.-]+\/[\w./~%+@=&?-]*)\1/g

const MAX_ADDRESSES = 20

const MAX_LENGTH = 500

/**
 * Where the tag gets its vendors' scripts, as far as it says so: what its elements name, and whole addresses in its code.
 * What the code puts together in each browser is not known here.
 */
function findScriptAddresses({ tag, compiled, sources, marks }: PreparedTag): string[] {
  const found = new Set<string>()
  const add = (address: string) => {
    const url = URL.parse(address.startsWith('//') ? `https:${address}` : address)
    if (url?.protocol !== 'https:' || url.href.length > MAX_LENGTH) return
    if (sources.script.some((source) => matchesSource(url.hostname, source))) found.add(url.href)
  }
  for (const step of tag.steps) if (step.kind === 'vendor') add(step.src)
  const account = tag.vendorId ?? marks[0]?.account ?? null
  const own = compiled.steps.flatMap((step) => (step.kind === 'own' ? [step.body] : []))
  for (const text of own)
    for (const [, , address = ''] of text.matchAll(LITERAL)) {
      if (isScript(address)) add(address)
      // The container's own snippet adds its ID to the end.
      else if (address.endsWith('/gtm.js?id=') && account !== null) add(address + account)
    }
  return [...found].slice(0, MAX_ADDRESSES)
}

/** An address that ends in `=` waits for a value that the code adds. */
function isScript(address: string): boolean {
  const [path = '', query] = address.split('?', 2)
  return path.endsWith('.js') && (query === undefined || (query !== '' && !address.endsWith('=')))
}
