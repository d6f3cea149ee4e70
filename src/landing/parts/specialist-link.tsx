import type { SiteInfo } from '#contract/site.ts'
import { SPECIALIST_LABEL } from '../content/navigation.ts'
import { whatsappUrl } from '../content/outside-links.ts'

export function SpecialistLink({ site }: { site: SiteInfo }) {
  return (
    <a className="btn" href={whatsappUrl(site)} target="_blank" rel="noopener" data-conversion="contact">
      {SPECIALIST_LABEL}
    </a>
  )
}
