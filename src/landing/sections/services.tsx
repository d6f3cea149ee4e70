import type { ReactNode } from 'react'
import { COLORS, DRAWING_COLORS } from '#design/colors.ts'
import { SERVICES, type ServiceId } from '../content/page.ts'

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
        <b>201</b> <em>Criada</em>
        {'\n{\n  "id": '}
        <em>"cob_7f3a"</em>
        {',\n  "status": '}
        <em>"aprovada"</em>
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

/** A phone in the shape of an arch, with QR code, amount and confirmation. */
function MobileDrawing() {
  return (
    <svg viewBox="0 0 280 400" aria-hidden="true">
      <path d="M0 400V140a140 140 0 0 1 280 0v260z" fill={COLORS.ink} />
      <path d="M16 402V140a124 124 0 0 1 248 0v262z" fill={COLORS.surface} />
      <g transform="translate(66 96)scale(7)" stroke={COLORS.ink} fill="none" shapeRendering="crispEdges">
        <path
          d="M.5.5h20v1H.5v1h20v1H.5v1h20v1H.5v1h20v1H.5v1h20v1H.5v1h20v1H.5v1h20v1H.5v1h20v1H.5v1h20v1H.5v1h20"
          strokeDasharray="1 2 1 1 3 1 2 2 1 1 1 3 2 1 1 1"
        />
        <path d="M0 0h8v8H0zm13 0h8v8h-8zM0 13h8v8H0zm8-5h5v5H8z" fill={COLORS.surface} stroke="none" />
        <path d="M.5.5h6v6h-6zm14 0h6v6h-6zm-14 14h6v6h-6z" />
        <path d="M2 2h3v3H2zm14 0h3v3h-3zM2 16h3v3H2z" fill={COLORS.ink} stroke="none" />
        <path d="M9 12v-1.5a1.5 1.5 0 0 1 3 0V12z" fill={COLORS.accent} stroke="none" shapeRendering="auto" />
      </g>
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

/** The arch upside down as a shield: one line passes, one is stopped. */
function SecurityDrawing() {
  return (
    <svg viewBox="0 0 320 180" aria-hidden="true" fill="none">
      <g stroke={DRAWING_COLORS.blockedLine}>
        <path d="M70 0v60a90 90 0 0 0 180 0V0" />
        <path d="M42 0v60a118 118 0 0 0 236 0V0" strokeOpacity=".5" />
      </g>
      <path d="M98 0h124v60a62 62 0 0 1-124 0z" fill={COLORS.ink} />
      <path d="M0 44h98" stroke={COLORS.ink} strokeWidth="2" />
      <path d="M0 84h58" stroke={COLORS.bad} strokeWidth="2" strokeDasharray="5 4" />
      <path d="m62 78 12 12m0-12L62 90" stroke={COLORS.bad} strokeWidth="2.5" />
      <path d="M222 44h98" stroke={COLORS.accent} strokeWidth="4" />
      <path d="m138 54 16 16 30-34" stroke={COLORS.accent} strokeWidth="7" />
    </svg>
  )
}
