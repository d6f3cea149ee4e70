import type { SiteInfo } from '#contract/site.ts'
import { PortalMark } from '#design/portal-mark.tsx'
import { copyrightLine, FOOTER, LOGIN_LABEL, SPECIALIST_LABEL } from '../content/page.ts'
import { LEGAL_TITLES, type LegalSlug } from '../legal/document.ts'
import { legalPagePath, PREFERENCES_ID } from '../legal/legal-paths.ts'

/** Legal name, CNPJ (Decreto 7.962/2013) and the encarregado (LGPD art. 41 §1), if configured. */
export function CompanyLine({ site }: { site: SiteInfo }) {
  const company = [site.legalName, site.cnpj === null ? null : `CNPJ ${site.cnpj}`].filter(
    (part) => part !== null,
  )
  if (company.length === 0 && site.dpoEmail === null) return null
  return (
    <p className="company">
      {company.length > 0 && <span>{company.join(', ')}</span>}
      {site.dpoEmail !== null && (
        <span>
          Encarregado de dados: <a href={`mailto:${site.dpoEmail}`}>{site.dpoEmail}</a>
        </span>
      )}
    </p>
  )
}

interface Figure {
  label: string
  value: string
}

export function Figures({ className, figures }: { className: string; figures: Figure[] }) {
  return (
    <dl className={className}>
      {figures.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A new tab on desktop, the same one on a phone: two links, of which the style sheet shows one. */
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

/** The link back to the page, for legal texts and errors. */
export function PlainHeader({ brandName, className }: { brandName: string; className: string }) {
  return (
    <header className={className}>
      <div className="wrap">
        <Brand name={brandName} href="/" />
      </div>
    </header>
  )
}

/** The links of the footer that every page has, for those without its other parts. */
export function PlainFooter({ site, current }: { site: SiteInfo; current?: LegalSlug }) {
  return (
    <footer className="dark">
      <div className="wrap foot">
        <div className="legal links">
          <p>{copyrightLine(site.brandName)}</p>
          {LEGAL_TITLES.map(({ slug, title }) => (
            <a key={slug} href={legalPagePath(slug)} aria-current={slug === current ? 'page' : undefined}>
              {title}
            </a>
          ))}
          <a href={`/#${PREFERENCES_ID}`}>{FOOTER.preferences}</a>
          <CompanyLine site={site} />
        </div>
      </div>
    </footer>
  )
}

export function Brand({ name, href }: { name: string; href: string }) {
  return (
    <a className="brand" href={href}>
      <PortalMark />
      {name}
    </a>
  )
}

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

export function SpecialistLink({ site, niche }: { site: SiteInfo; niche?: string }) {
  return (
    <a
      className="btn"
      href={whatsappUrl(site, niche)}
      target="_blank"
      rel="noopener"
      data-conversion="contact"
    >
      {SPECIALIST_LABEL}
    </a>
  )
}

/** The message names the niche of the page, so that sales knows where a conversation came from. */
export function whatsappUrl(site: SiteInfo, niche?: string): string {
  const about = niche === undefined ? '' : ` Meu nicho: ${niche}.`
  const message = `Olá! Quero falar com um especialista da ${site.brandName}.${about}`
  return `https://wa.me/${site.whatsappNumber}?text=${encodeURIComponent(message)}`
}

export function hasNichePage(site: SiteInfo, slug: string): boolean {
  return site.content?.niches?.some((niche) => niche.slug === slug) ?? false
}

export function phoneUrl(phone: string): string {
  return `tel:${phone.replace(/[^\d+]/g, '')}`
}
