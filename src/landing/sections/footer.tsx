import type { SiteInfo } from '#contract/site.ts'
import { NewsletterForm } from '../browser/islands/newsletter-form.tsx'
import { copyrightLine, FOOTER, FOOTER_COLUMNS, type FooterTarget } from '../content/footer.ts'
import { phoneUrl, whatsappUrl } from '../content/outside-links.ts'
import { InstagramIcon, LinkedinIcon } from '../drawings/network-icons.tsx'
import { legalPagePath } from '../legal/legal-paths.ts'
import { LEGAL_TITLES } from '../legal/legal-titles.ts'
import { Brand } from '../parts/brand.tsx'
import { CompanyLine } from '../parts/company-line.tsx'

export function Footer({ site, message }: { site: SiteInfo; message: string | null }) {
  return (
    <footer className="dark later" id="contact">
      <div className="wrap foot">
        <div className="news" id="newsletter">
          <div>
            <h2>{FOOTER.newsletter.title}</h2>
            <p>
              {site.sendsEmail ? FOOTER.newsletter.purposeWithMeta : FOOTER.newsletter.purpose}{' '}
              {FOOTER.newsletter.cancel} {site.contactEmail}.
            </p>
          </div>
          <div data-island="newsletter">
            <NewsletterForm initialMessage={message} />
          </div>
        </div>
        <div className="in">
          <Contact site={site} />
          <div className="cols links">
            {FOOTER_COLUMNS.map(({ title, links }) => (
              <div key={title}>
                <h3>{title}</h3>
                {links.map(({ label, to }) => (
                  <a key={label} {...linkTo(site, to)}>
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

function Contact({ site }: { site: SiteInfo }) {
  return (
    <div>
      <Brand name={site.brandName} href="#home" />
      <p className="blurb">{FOOTER.blurb}</p>
      <address className="links">
        <a href={`mailto:${site.contactEmail}`}>{site.contactEmail}</a>
        <a href={phoneUrl(site.contactPhone)}>{site.contactPhone}</a>
        <p>{FOOTER.city}</p>
      </address>
      <div className="row">
        {/* Without an address of their own they stay on the page. */}
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
      <a href={legalPagePath('cookies')} data-preferences="">
        {FOOTER.preferences}
      </a>
      <CompanyLine site={site} />
    </div>
  )
}

function linkTo(
  site: SiteInfo,
  to: FooterTarget,
): React.ComponentProps<'a'> & Record<`data-${string}`, string> {
  if (to === 'register') return { href: site.registerUrl, 'data-app': '', 'data-conversion': 'lead' }
  if (to === 'whatsapp') {
    return { href: whatsappUrl(site), target: '_blank', rel: 'noopener', 'data-conversion': 'contact' }
  }
  if (to === 'compliance') return { href: legalPagePath(to) }
  return { href: to }
}
