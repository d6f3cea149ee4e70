import type { ReactNode } from 'react'
import { SERVICES, type ServiceId } from '../content/services.ts'
import { AnalyticsDrawing } from '../drawings/analytics.tsx'
import { ApiDrawing } from '../drawings/api.tsx'
import { GatewayDrawing } from '../drawings/gateway.tsx'
import { GlobalDrawing } from '../drawings/global.tsx'
import { MobileDrawing } from '../drawings/mobile.tsx'
import { SecurityDrawing } from '../drawings/security.tsx'

const DRAWINGS: Record<ServiceId, ReactNode> = {
  gateway: <GatewayDrawing />,
  mobile: <MobileDrawing />,
  analises: <AnalyticsDrawing />,
  security: <SecurityDrawing />,
  global: <GlobalDrawing />,
  apis: <ApiDrawing />,
}

export function Services() {
  return (
    <section className="wrap end later" id="services">
      <h2>{SERVICES.title}</h2>
      <div className="bento">
        {SERVICES.cards.map(({ id, title, features }) => (
          <article className={id === 'apis' ? 'tile dark' : 'tile'} id={id} key={id}>
            <div>
              <h3>{title}</h3>
              <ul className="feat">
                {features.map((feature) => (
                  <li key={feature}>{feature}</li>
                ))}
              </ul>
            </div>
            {DRAWINGS[id]}
          </article>
        ))}
      </div>
      <a className="btn" href="#benefits">
        {SERVICES.explore}
      </a>
    </section>
  )
}
