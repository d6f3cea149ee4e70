import type { SiteInfo } from '#contract/site.ts'
import { LOGIN_LABEL } from '../content/navigation.ts'

/** A new tab on desktop, the same one on a phone: two links, of which the style sheet shows the right one. */
export function LoginLink({
  site,
  className,
  newTab,
}: {
  site: SiteInfo
  className: string
  newTab: boolean
}) {
  return (
    <a
      className={className}
      href={site.loginUrl}
      data-app=""
      {...(newTab ? { target: '_blank', rel: 'noopener' } : {})}
    >
      {LOGIN_LABEL}
    </a>
  )
}
