import type { SiteInfo } from '#contract/site.ts'
import { COLORS, DRAWING_COLORS } from '#design/colors.ts'
import { HERO, HERO_PAYMENTS, REGISTER_LABEL } from '../content/page.ts'
import { RegisterLink, SpecialistLink } from './parts.tsx'

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

/** One payment in each half of the loop on each of three lanes; the style sheet sets positions and times. */
const CROSSINGS = ['card', 'debit', 'pix', 'card', 'debit', 'pix'] as const

/**
 * Payments pass through the arch. Each is drawn once per zone (before, inside, after) and clipped at its edge, so that
 * only `transform` and `opacity` are animated. Two elements for each: the style sheet draws icon and mark.
 */
function Crossing({ label }: { label: string }) {
  return (
    <div className="art" role="img" aria-label={label}>
      <Wall />
      <Zone name="before" />
      <Zone name="inside" />
      <Zone name="after" />
    </div>
  )
}

function Zone({ name }: { name: string }) {
  return (
    <div className={`zone ${name}`}>
      {CROSSINGS.map((payment, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rendered once on the server, never reordered.
        <p className={`chip ${payment}`} key={index}>
          {HERO_PAYMENTS[payment].method}
          <b>{HERO_PAYMENTS[payment].amount}</b>
        </p>
      ))}
    </div>
  )
}

/** Units of a tenth of an em, from the bottom of the door. */
function Wall() {
  return (
    <svg className="wall" viewBox="-380 -640 760 640" fill="none" aria-hidden="true">
      <defs>
        <linearGradient id="fade">
          <stop stopColor={COLORS.surface} stopOpacity="0" />
          <stop offset="1" stopColor={COLORS.surface} stopOpacity=".3" />
        </linearGradient>
        <linearGradient id="spill" x2="0" y2="1">
          <stop stopColor={DRAWING_COLORS.lightOnFloor} />
          <stop offset="1" stopColor={DRAWING_COLORS.lightOnFloor} stopOpacity="0" />
        </linearGradient>
      </defs>
      <path d="M-170 0h340l230 320h-800z" fill="url(#spill)" />
      <g stroke={COLORS.surface}>
        <path strokeOpacity=".2" d="M-290 0v-330a290 290 0 0 1 580 0V0" />
        <path strokeOpacity=".12" d="M-362 0v-330a362 362 0 0 1 724 0V0" />
        <path strokeOpacity=".07" d="M-442 0v-330a442 442 0 0 1 884 0V0" />
      </g>
      <path d="M-226 0v-330a226 226 0 0 1 452 0V0z" fill={COLORS.ink2} />
      <path d="M-170 0v-330a170 170 0 0 1 340 0V0z" fill={COLORS.accent} />
      <g className="lanes">
        <path d="M-300-311h130v2h-130zm0 108h130v2h-130zm0 108h130v2h-130z" fill="url(#fade)" />
        <path
          d="M-170-310h340m0 108h-340m0 108h340"
          stroke={COLORS.ink}
          strokeOpacity=".25"
          strokeWidth="2"
        />
        <path d="M170-310h1800m0 108H170m0 108h1800" stroke={COLORS.accent} strokeWidth="2" />
      </g>
    </svg>
  )
}
