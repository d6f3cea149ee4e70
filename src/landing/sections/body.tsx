import type { SiteInfo } from '#contract/site.ts'
import { nichePath } from '#contract/site-content.ts'
import { COLORS } from '#design/colors.ts'
import { ABOUT, BENEFITS, CLOSING, NICHES, QUESTIONS, TECHNOLOGY } from '../content/page.ts'
import { Figures, hasNichePage, RegisterLink, SpecialistLink } from './parts.tsx'

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

export function Benefits({ site }: { site: SiteInfo }) {
  return (
    <section className="sec wrap later" id="benefits">
      <h2>{BENEFITS.title}</h2>
      <div className="split">
        <FeesDrawing brandName={site.brandName} />
        <div className="bene">
          {BENEFITS.cards.map(({ title, text }) => (
            <div key={title}>
              <h3>{title}</h3>
              <p>{text}</p>
            </div>
          ))}
        </div>
      </div>
      <div className="tech" id="technology">
        <div>
          <h3>{TECHNOLOGY.title}</h3>
          <p>{TECHNOLOGY.text}</p>
        </div>
        <div>
          <div className="up" />
          <Figures className="cols" figures={TECHNOLOGY.figures} />
        </div>
      </div>
    </section>
  )
}

/** To scale: the lit arch is 60 where the grey one is 100. */
function FeesDrawing({ brandName }: { brandName: string }) {
  return (
    <svg viewBox="0 0 360 340" role="img" aria-label={BENEFITS.chart.picture}>
      <path d="M0 300V85a85 85 0 0 1 170 0v215z" fill={COLORS.line} />
      <path
        d="M191 300V85a84 84 0 0 1 168 0v215"
        fill="none"
        stroke={COLORS.line2}
        strokeWidth="2"
        strokeDasharray="4 5"
      />
      <path d="M190 300v-95a85 85 0 0 1 170 0v95z" fill={COLORS.accent} />
      <g textAnchor="middle" fill={COLORS.ink}>
        <text x="275" y="44">
          até
        </text>
        <text x="275" y="84" fontSize="42" letterSpacing="-1">
          {BENEFITS.chart.saving}
        </text>
        <text x="275" y="108">
          menos
        </text>
        <text x="85" y="330">
          {BENEFITS.chart.others}
        </text>
        <text x="275" y="330">
          {brandName}
        </text>
      </g>
    </svg>
  )
}

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

export function Niches({ site }: { site: SiteInfo }) {
  return (
    <section className="sec dark later" id="niches">
      <div className="wrap">
        <h2>{NICHES.title}</h2>
        <ul className="idx">
          {NICHES.cards.map(({ id, name, text }) => (
            <li key={id} id={id}>
              <h3>{hasNichePage(site, id) ? <a href={nichePath(id)}>{name}</a> : name}</h3>
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
