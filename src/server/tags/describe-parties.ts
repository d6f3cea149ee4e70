import type { EvidencePartiesContent } from '#contract/consent-evidence.ts'
import type { SiteInfo } from '#contract/site.ts'
import type { TagSet } from './compose-tag-set.ts'
import type { PreparedTag } from './prepare-tag.ts'
import { vendorById } from './vendor-sources.ts'

type Recipient = EvidencePartiesContent['recipients'][number]

/** Who answers for the site, and who hears of its visitors while this tag set is served. */
export function describeParties(site: SiteInfo, set: TagSet): EvidencePartiesContent {
  return {
    controller: {
      name: site.legalName ?? site.brandName,
      cnpj: site.cnpj,
      contact: site.dpoEmail ?? site.contactEmail,
      site: site.siteUrl,
    },
    tag_set_version: set.version ?? '',
    recipients: set.recipients.map(describeRecipient),
  }
}

/** Of ten thousand tags one changes at a time: the others are described once, and are the same objects each time. */
const described = new WeakMap<PreparedTag, Recipient>()

function describeRecipient(prepared: PreparedTag): Recipient {
  const known = described.get(prepared)
  if (known !== undefined) return known
  const { tag, marks, isTold } = prepared
  const recipient: Recipient = {
    pixel: tag.id,
    type: tag.type,
    account: tag.vendorId,
    category: tag.category,
    told_by: isTold ? (tag.steps.length === 0 ? 'server' : 'both') : 'browser',
    vendors: marks.flatMap(({ id }) => {
      const vendor = vendorById(id)
      if (vendor === undefined) return []
      const { name, company, country, purpose } = vendor
      return [{ id, name, company, country, purpose }]
    }),
    hosts: tag.hosts,
  }
  described.set(prepared, recipient)
  return recipient
}
