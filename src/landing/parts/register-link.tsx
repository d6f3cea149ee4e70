import type { SiteInfo } from '#contract/site.ts'

interface RegisterLinkProps {
  site: SiteInfo
  label: string
  /** Light on the dark wall, dark on the light one. */
  tone: 'go' | 'solid'
}

export function RegisterLink({ site, label, tone }: RegisterLinkProps) {
  return (
    <a className={`btn ${tone}`} href={site.registerUrl} data-app="" data-conversion="lead">
      {label}
    </a>
  )
}
