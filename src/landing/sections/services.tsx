import type { ReactNode } from 'react'
import { PRODUCT_PICTURE_PATH, REGISTER_QR_PATH, SHIELD_PICTURE_PATH } from '#contract/site.ts'
import { COLORS, DRAWING_COLORS } from '#design/colors.ts'
import { SERVICES, type ServiceId } from '../content/page.ts'

const DRAWINGS: Record<ServiceId, ReactNode> = {
  gateway: <GatewayDrawing />,
  mobile: <MobileDrawing />,
  analises: <AnalyticsDrawing />,
  security: <img src={SHIELD_PICTURE_PATH} width="320" height="180" alt="" loading="lazy" />,
  global: <GlobalDrawing />,
  apis: <ApiDrawing />,
}

export function Services() {
  return (
    <section className="wrap end later" id="services">
      <h2>{SERVICES.title}</h2>
      <img
        className="product"
        src={PRODUCT_PICTURE_PATH}
        width="1184"
        height="560"
        alt={SERVICES.picture}
        loading="lazy"
      />
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

/** A bar in the shape of an arch for each day; the last has the accent colour. */
function AnalyticsDrawing() {
  return (
    <svg viewBox="0 0 320 150" aria-hidden="true">
      <path
        fill={DRAWING_COLORS.pastDay}
        d="M0 150V96a17 17 0 0 1 34 0v54zM48 150v-44a17 17 0 0 1 34 0v44zM96 150V84a17 17 0 0 1 34 0v66zM144 150V90a17 17 0 0 1 34 0v60zM192 150V66a17 17 0 0 1 34 0v84zM240 150V58a17 17 0 0 1 34 0v92z"
      />
      <path fill={COLORS.accent} d="M286 150V40a17 17 0 0 1 34 0v110z" />
      <path d="m17 66 48 12 48-24 48 6 48-24 48-6 46-18" fill="none" stroke={COLORS.ink} strokeWidth="2.5" />
      <circle cx="303" cy="12" r="6" fill={COLORS.ink} />
    </svg>
  )
}

/** One request and its answer, as an integrator would see them. */
function ApiDrawing() {
  return (
    <div className="code">
      <pre>
        <b>POST</b> <em>/v1/cobrancas</em>
        {'\n{\n  "meio": '}
        <em>"pix"</em>
        {',\n  "valor": '}
        <em>4990</em>
        {'\n}'}
      </pre>
      <pre>
        <b>201</b> <em>Created</em>
        {'\n{\n  "id": '}
        <em>"cob_7f3a"</em>
        {',\n  "status": '}
        <em>"pendente"</em>
        {'\n}'}
      </pre>
    </div>
  )
}

/** Three payment methods enter one arch, and one balance leaves it. */
function GatewayDrawing() {
  return (
    <svg viewBox="0 0 400 220" aria-hidden="true">
      <g fill="none" stroke={COLORS.ink} strokeWidth="2">
        <path d="M88 36c52 0 24 72 76 72M88 108h76M88 180c52 0 24-72 76-72m112 0h36" />
      </g>
      <g fill={COLORS.paper}>
        <rect y="14" width="88" height="44" rx="10" />
        <rect y="86" width="88" height="44" rx="10" />
        <rect y="158" width="88" height="44" rx="10" />
      </g>
      <path d="M164 220V68a56 56 0 0 1 112 0v152z" fill={COLORS.ink} />
      <g fill={COLORS.accent}>
        <path d="M190 220V68a30 30 0 0 1 60 0v152z" />
        <rect x="312" y="86" width="88" height="44" rx="10" />
      </g>
      <path d="M164 108h26m60 0h26" stroke={COLORS.paper} strokeWidth="2" />
      <path d="M190 108h60" stroke={COLORS.ink} strokeWidth="2" />
      <g fill={COLORS.ink} textAnchor="middle">
        <text x="44" y="41">
          Cartão
        </text>
        <text x="44" y="113">
          Débito
        </text>
        <text x="44" y="185">
          PIX
        </text>
        <text x="356" y="113">
          Saldo
        </text>
      </g>
    </svg>
  )
}

/** Lines from BRL to EUR and USD. */
function GlobalDrawing() {
  return (
    <svg viewBox="0 0 360 170" aria-hidden="true" fill="none">
      <path
        d="M20 170a160 160 0 0 1 320 0M76 170a104 160 0 0 1 208 0M132 170a48 160 0 0 1 96 0M180 10v160M44 86h272M21 148h318M98 34h164"
        stroke={DRAWING_COLORS.meridian}
        strokeWidth="1.5"
      />
      <path
        d="M116 118c20-84 120-94 152-40M116 118c24-60 96-60 120 24"
        stroke={COLORS.ink}
        strokeWidth="2.5"
        strokeDasharray=".1 6"
        strokeLinecap="round"
      />
      <g fill={COLORS.accent} stroke={COLORS.ink} strokeWidth="2">
        <circle cx="116" cy="122" r="9" />
        <circle cx="270" cy="82" r="7" />
        <circle cx="237" cy="148" r="7" />
      </g>
      <g fill={COLORS.ink} stroke={COLORS.surface} strokeWidth="6" paintOrder="stroke">
        <text x="68" y="128">
          BRL
        </text>
        <text x="286" y="80">
          EUR
        </text>
        <text x="254" y="154">
          USD
        </text>
      </g>
    </svg>
  )
}

/** A phone in the shape of an arch, with amount, confirmation and a QR code that opens the registration. */
function MobileDrawing() {
  return (
    <svg viewBox="0 0 280 400" aria-hidden="true">
      <path d="M0 400V140a140 140 0 0 1 280 0v260z" fill={COLORS.ink} />
      <path d="M16 402V140a124 124 0 0 1 248 0v262z" fill={COLORS.surface} />
      <foreignObject x="66" y="92" width="148" height="148">
        <img src={REGISTER_QR_PATH} width="100%" alt="" loading="lazy" />
      </foreignObject>
      <g textAnchor="middle" fill={COLORS.ink}>
        <text x="140" y="298" fontSize="30">
          R$ 49,90
        </text>
        <text x="154" y="332" fill={COLORS.ok}>
          Pago com PIX
        </text>
      </g>
      <path d="m82 327 5 5 9-10" fill="none" stroke={COLORS.ok} strokeWidth="3" />
    </svg>
  )
}
