import type { SiteInfo } from '#contract/site.ts'
import { NICHES } from '../content/niches.ts'
import { SpecialistLink } from '../parts/specialist-link.tsx'

export function Niches({ site }: { site: SiteInfo }) {
  return (
    <section className="sec dark later" id="niches">
      <div className="wrap">
        <h2>{NICHES.title}</h2>
        <ul className="idx">
          {NICHES.cards.map(({ id, name, text }) => (
            <li key={id} id={id}>
              <h3>{name}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ul>
        <div className="ask">
          <h3>{NICHES.other.title}</h3>
          <p>{NICHES.other.text}</p>
          <SpecialistLink site={site} />
        </div>
      </div>
    </section>
  )
}
