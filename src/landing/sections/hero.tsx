import type { SiteInfo } from '#contract/site.ts'
import { HERO } from '../content/hero.ts'
import { REGISTER_LABEL } from '../content/navigation.ts'
import { Crossing } from '../drawings/crossing.tsx'
import { RegisterLink } from '../parts/register-link.tsx'
import { SpecialistLink } from '../parts/specialist-link.tsx'

export function Hero({ site }: { site: SiteInfo }) {
  return (
    <section id="home">
      <div className="hero dark">
        <div className="wrap">
          <p className="badge">{HERO.badge}</p>
          <h1>
            {HERO.headline.map((line, index) => (
              <span key={line}>{index === 0 ? line : ` ${line}`}</span>
            ))}
          </h1>
          <p className="lead">{HERO.lead}</p>
          <div className="row">
            <RegisterLink site={site} label={REGISTER_LABEL} tone="go" />
            <SpecialistLink site={site} />
          </div>
        </div>
        <Crossing label={HERO.picture} />
      </div>
      <ul className="wrap three later">
        {HERO.highlights.map(({ title, text }) => (
          <li key={title}>
            <h2>{title}</h2>
            <p>{text}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
