import { createHash } from 'node:crypto'
import type { OptionalCategory, RecipientsContent } from '#contract/consent.ts'
import type { ServedFile } from '#contract/inventory.ts'
import { framePath } from '#contract/isolated-frame.ts'
import type { SiteInfo } from '#contract/site.ts'
import { matchesSource } from '#server/http/security/content-security-policy.ts'
import { vendorById } from '#server/vendors/marks.ts'
import type { PreparedTag } from './prepare-tag.ts'
import type { Recipient, TagSet } from './tag-set.ts'

type DescribedRecipient = RecipientsContent['recipients'][number]

/** The controller of the site and the recipients of its data while this tag set is served. */
export function describeRecipients(site: SiteInfo, set: TagSet): RecipientsContent {
  return {
    controller: {
      name: site.legalName ?? site.brandName,
      cnpj: site.cnpj,
      contact: site.dpoEmail ?? site.contactEmail,
      site: site.siteUrl,
    },
    tag_set_version: set.version ?? '',
    recipients: set.recipients.map((recipient) => {
      const { prepared, sentBy } = recipient
      const known = describedBy.get(prepared)
      if (known?.sentBy === sentBy) return known.description
      const description = describeRecipient(recipient)
      describedBy.set(prepared, { sentBy, description })
      return description
    }),
  }
}

/** Of ten thousand tags one changes at a time: the others are described once and keep their objects. */
const describedBy = new WeakMap<
  PreparedTag,
  { sentBy: Recipient['sentBy']; description: DescribedRecipient }
>()

function describeRecipient({ prepared: { tag, marks }, sentBy }: Recipient): DescribedRecipient {
  return {
    pixel: tag.id,
    type: tag.type,
    account: tag.vendorId,
    category: tag.category,
    told_by: sentBy.length === 2 ? 'both' : (sentBy[0] ?? 'server'),
    vendors: marks.flatMap(({ id }) => {
      const vendor = vendorById(id)
      if (vendor === undefined) return []
      const { name, company, country, purpose } = vendor
      return [{ id, name, company, country, purpose }]
    }),
    hosts: tag.hosts,
  }
}

/** Each tag that is on the page or sent by our server, as the history stores it. */
export function describeServedTags(set: Pick<TagSet, 'recipients'>) {
  return set.recipients.map((recipient) => {
    const { prepared, sentBy } = recipient
    const known = described.get(prepared)
    if (known?.sentBy === sentBy) return known
    const served = describeServedTag(recipient)
    described.set(prepared, served)
    return served
  })
}

/** Described and hashed once while the tag is unchanged. */
const described = new WeakMap<PreparedTag, ReturnType<typeof describeServedTag>>()

function describeServedTag({ prepared, sentBy }: Recipient) {
  const { tag, marks, revision } = prepared
  const runs = sentBy.includes('browser')
  return {
    pixelId: tag.id,
    revision,
    type: tag.type,
    vendors: marks.map(({ id }) => id),
    account: tag.vendorId ?? marks[0]?.account ?? null,
    category: tag.category as OptionalCategory,
    sentBy,
    hosts: runs ? tag.hosts : [],
    files: runs ? filesOf(prepared) : [],
  }
}

/** What a browser runs: our files with their hashes, and vendors' files by address. */
function filesOf(prepared: PreparedTag): ServedFile[] {
  const { files, frame } = prepared
  // All code of an isolated tag is in the document of its frame.
  const served = frame === null ? [...files] : [[framePath(frame.hash), frame.html] as const]
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

/** A whole script address in the code, between quotation marks. */
const LITERAL = /(['"`])((?:https:)?\/\/[\w.-]+\/[\w./~%+@=&?-]*)\1/g

const MAX_ADDRESSES = 20

const MAX_LENGTH = 500

/**
 * Addresses of the vendors' scripts, as far as elements and whole texts in the code name them. Addresses that the code
 * builds in the browser are unknown here.
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
      // The container's own snippet appends its ID.
      else if (address.endsWith('/gtm.js?id=') && account !== null) add(address + account)
    }
  return [...found].slice(0, MAX_ADDRESSES)
}

/** An address that ends in `=` needs a value that the code adds. */
function isScript(address: string): boolean {
  const [path = '', query] = address.split('?', 2)
  return path.endsWith('.js') && (query === undefined || (query !== '' && !address.endsWith('=')))
}
