import type { SiteInfo } from '#contract/site.ts'

interface RegisterLinkProps {
  site: SiteInfo
  label: string
  /** `go` for dark surfaces, `solid` for light ones. */
  tone: 'go' | 'solid'
}

export function RegisterLink({ site, label, tone }: RegisterLinkProps) {
  return (
    <a className={`btn ${tone}`} href={site.registerUrl} data-app="" data-conversion="lead">
      {label}
    </a>
  )
}
