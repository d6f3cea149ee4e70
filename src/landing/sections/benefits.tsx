import type { SiteInfo } from '#contract/site.ts'
import { BENEFITS, TECHNOLOGY } from '../content/benefits.ts'
import { FeesDrawing } from '../drawings/fees.tsx'
import { Figures } from '../parts/figures.tsx'

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
