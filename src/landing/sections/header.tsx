import type { SiteInfo } from '#contract/site.ts'
import { NAVIGATION, REGISTER_LABEL } from '../content/page.ts'
import { Brand, LoginLink, RegisterLink } from './parts.tsx'

/** `home` is the page that the links lead to: empty on the landing page itself. */
export function Header({ site, home = '' }: { site: SiteInfo; home?: '' | '/' }) {
  return (
    <>
      <header className="top dark">
        <div className="wrap">
          <Brand name={site.brandName} href={home || '#home'} />
          <nav className="nav" aria-label="Principal">
            <NavigationLinks home={home} />
          </nav>
          <LoginLink site={site} className="btn sm wide" newTab />
          <LoginLink site={site} className="btn sm narrow" newTab={false} />
          <button type="button" className="icon" popoverTarget="menu" aria-label="Menu">
            <svg width="24" height="24" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
              <path d="M2 8h20M2 16h20" />
              <path d="m4 4 16 16M20 4 4 20" />
            </svg>
          </button>
        </div>
      </header>
      <nav id="menu" popover="auto" aria-label="Menu">
        <NavigationLinks home={home} />
        <RegisterLink site={site} label={REGISTER_LABEL} tone="go" />
        <LoginLink site={site} className="btn solid" newTab={false} />
      </nav>
    </>
  )
}

function NavigationLinks({ home }: { home: string }) {
  return NAVIGATION.map(({ id, label }) => (
    <a key={id} href={`${home}#${id}`}>
      {label}
    </a>
  ))
}
