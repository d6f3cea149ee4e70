import type { EvidencePartiesContent } from '#contract/consent.ts'
import type { SiteInfo } from '#contract/site.ts'
import { vendorById } from '#server/vendors/marks.ts'
import type { TagSet } from './compose-tag-set.ts'
import type { PreparedTag } from './prepare-tag.ts'
import { listRecipients, type Recipient } from './tools/list-recipients.ts'

type DescribedParty = EvidencePartiesContent['recipients'][number]

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
    recipients: listRecipients(set).map((recipient) => {
      const { prepared, toldBy } = recipient
      const known = described.get(prepared)
      if (known?.toldBy === toldBy) return known.party
      const party = describeParty(recipient)
      described.set(prepared, { toldBy, party })
      return party
    }),
  }
}

/** Of ten thousand tags one changes at a time: the others are described once, and are the same objects each time. */
const described = new WeakMap<PreparedTag, { toldBy: Recipient['toldBy']; party: DescribedParty }>()

function describeParty({ prepared: { tag, marks }, toldBy }: Recipient): DescribedParty {
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
