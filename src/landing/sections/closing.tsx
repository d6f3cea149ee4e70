import type { SiteInfo } from '#contract/site.ts'
import { CLOSING, QUESTIONS } from '../content/closing.ts'
import { Figures } from '../parts/figures.tsx'
import { RegisterLink } from '../parts/register-link.tsx'
import { SpecialistLink } from '../parts/specialist-link.tsx'

export function Closing({ site }: { site: SiteInfo }) {
  return (
    <section className="close later">
      <div className="wrap">
        <div>
          <h2>{CLOSING.title}</h2>
          <p className="lead">{CLOSING.text}</p>
          <div className="row">
            <RegisterLink site={site} label={CLOSING.start} tone="solid" />
            <SpecialistLink site={site} />
          </div>
        </div>
        <div>
          <h3>{QUESTIONS.title}</h3>
          {QUESTIONS.list.map(({ question, answer }) => (
            <details key={question}>
              <summary>{question}</summary>
              <p>{answer}</p>
            </details>
          ))}
          <Figures className="arcade" figures={CLOSING.figures} />
        </div>
      </div>
    </section>
  )
}
