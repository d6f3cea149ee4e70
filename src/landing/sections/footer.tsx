import type { SiteInfo } from '#contract/site.ts'
import { NewsletterForm } from '../browser/islands/newsletter-form.tsx'
import { copyrightLine, FOOTER, FOOTER_COLUMNS, type FooterTarget } from '../content/page.ts'
import { joinNames, LEGAL_TITLES } from '../legal/document.ts'
import { legalPagePath, PREFERENCES_ID } from '../legal/legal-paths.ts'
import { Brand, CompanyLine, phoneUrl, whatsappUrl } from './parts.tsx'

interface FooterProps {
  site: SiteInfo
  /** The server's response to a plain form post. */
  message?: string | null
  /** The page that the links lead to: empty on the landing page itself. */
  home?: '' | '/'
  /** Named in the message to sales. */
  niche?: string
}

export function Footer({ site, message = null, home = '', niche }: FooterProps) {
  return (
    <footer className="dark later" id="contact">
      <div className="wrap foot">
        <div className="news" id="newsletter">
          <div>
            <h2>{FOOTER.newsletter.title}</h2>
            <p>
              {site.emailSharing
                ? FOOTER.newsletter.purposeWithHash(joinNames(site.emailSharing.recipients))
                : FOOTER.newsletter.purpose}{' '}
              {FOOTER.newsletter.cancel} {site.contactEmail}.
            </p>
          </div>
          <div data-island="newsletter">
            <NewsletterForm initialMessage={message} />
          </div>
        </div>
        <div className="in">
          <Contact site={site} home={home} />
          <div className="cols links">
            {FOOTER_COLUMNS.map(({ title, links }) => (
              <div key={title}>
                <h3>{title}</h3>
                {links.map(({ label, to }) => (
                  <a key={label} {...linkTo(site, to, home, niche)}>
                    {label}
                  </a>
                ))}
              </div>
            ))}
          </div>
        </div>
        <Legal site={site} />
      </div>
    </footer>
  )
}

function Contact({ site, home }: { site: SiteInfo; home: string }) {
  return (
    <div>
      <Brand name={site.brandName} href={home || '#home'} />
      <p className="blurb">{FOOTER.blurb}</p>
      <address className="links">
        <a href={`mailto:${site.contactEmail}`}>{site.contactEmail}</a>
        <a href={phoneUrl(site.contactPhone)}>{site.contactPhone}</a>
        <p>{FOOTER.city}</p>
      </address>
      <div className="row">
        {/* Without a configured address they link to the page. */}
        <a className="icon" href={site.linkedinUrl ?? '#contact'} aria-label="LinkedIn">
          <LinkedinIcon />
        </a>
        <a className="icon" href={site.instagramUrl ?? '#contact'} aria-label="Instagram">
          <InstagramIcon />
        </a>
      </div>
    </div>
  )
}

function Legal({ site }: { site: SiteInfo }) {
  return (
    <div className="legal links">
      <p>{copyrightLine(site.brandName)}</p>
      {LEGAL_TITLES.map(({ slug, title }) => (
        <a key={slug} href={legalPagePath(slug)} data-legal={slug}>
          {title}
        </a>
      ))}
      <a href={legalPagePath('cookies')} id={PREFERENCES_ID} data-preferences="">
        {FOOTER.preferences}
      </a>
      <CompanyLine site={site} />
    </div>
  )
}

function linkTo(
  site: SiteInfo,
  to: FooterTarget,
  home: string,
  niche?: string,
): React.ComponentProps<'a'> & Record<`data-${string}`, string> {
  if (to === 'register') return { href: site.registerUrl, 'data-app': '', 'data-conversion': 'lead' }
  if (to === 'whatsapp') {
    return { href: whatsappUrl(site, niche), target: '_blank', rel: 'noopener', 'data-conversion': 'contact' }
  }
  return { href: home + to }
}

function LinkedinIcon() {
  return (
    <svg width="22" height="22" fill="currentColor" aria-hidden="true">
      <path d="M2 8h4v12H2zm2-6a2 2 0 1 1 0 4 2 2 0 0 1 0-4zm5 6h4v2c2-4 8-3 8 2v8h-4v-7c0-3-4-3-4 0v7H9z" />
    </svg>
  )
}

function InstagramIcon() {
  return (
    <svg width="22" height="22" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
      <rect x="2" y="2" width="18" height="18" rx="5" />
      <circle cx="11" cy="11" r="4" />
      <path d="M16 6h.01" />
    </svg>
  )
}
