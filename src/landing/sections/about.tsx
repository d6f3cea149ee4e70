import { ABOUT } from '../content/about.ts'
import { Figures } from '../parts/figures.tsx'

export function About() {
  return (
    <section className="sec wrap later" id="about">
      <div className="about">
        <div>
          <h2>{ABOUT.title}</h2>
          <p className="lead">{ABOUT.mission}</p>
        </div>
        <Figures className="ledger" figures={ABOUT.figures} />
      </div>
      <div className="why">
        {ABOUT.reasons.map(({ title, text }) => (
          <div key={title}>
            <h3>{title}</h3>
            <p>{text}</p>
          </div>
        ))}
      </div>
    </section>
  )
}
