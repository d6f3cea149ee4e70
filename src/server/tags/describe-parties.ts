import type { EvidencePartiesContent } from '#contract/consent-evidence.ts'
import type { SiteInfo } from '#contract/site.ts'
import type { TagSet } from './compose-tag-set.ts'
import { vendorById } from './vendor-sources.ts'

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
    recipients: set.recipients.map(({ tag, marks, isTold }) => ({
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
    })),
  }
}
