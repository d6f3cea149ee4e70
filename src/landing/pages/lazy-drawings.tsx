import { renderToStaticMarkup } from 'react-dom/server'
import { PRODUCT_PICTURE_PATH, SHIELD_PICTURE_PATH } from '#contract/site.ts'
import { COLORS, DRAWING_COLORS } from '#design/colors.ts'

/** Drawings that are loaded when they come near the screen, by path: in the page they would delay its first frame. */
export function renderLazyDrawings(): [path: string, svg: string][] {
  return [
    [PRODUCT_PICTURE_PATH, renderToStaticMarkup(<ProductDrawing />)],
    [SHIELD_PICTURE_PATH, renderToStaticMarkup(<ShieldDrawing />)],
  ]
}

/** An image has no access to the page's typeface: the fonts that stand in for it there. */
const FONT = 'Arial,Roboto,system-ui,sans-serif'

/**
 * The panel of a merchant beside a checkout. The amounts are examples. Phones show the right part, which therefore makes
 * sense alone.
 */
function ProductDrawing() {
  return (
    <svg
      aria-hidden="true"
      xmlns="http://www.w3.org/2000/svg"
      viewBox="0 0 1184 560"
      fontFamily={FONT}
      fontSize="17"
    >
      <path fill={COLORS.ink} d="M0 0h1184v560H0z" />
      <g fill="none" stroke={COLORS.ink2} strokeWidth="2">
        <path d="M690 560V380a270 270 0 0 1 540 0v180M610 560V380a350 350 0 0 1 700 0v180" />
      </g>
      <Panel />
      <Checkout />
    </svg>
  )
}

const SALES = [
  ['Curso de inglês', 'PIX', 'R$ 49,90', 'Aprovado'],
  ['Ingresso, setor A', 'Cartão', 'R$ 189,90', 'Aprovado'],
  ['Plano mensal', 'Débito', 'R$ 72,00', 'Aprovado'],
] as const

const HOURS = [38, 30, 52, 46, 70, 58, 84, 76, 98, 90, 112, 124]

function Panel() {
  return (
    <g fill={COLORS.ink}>
      <path fill={COLORS.surface} d="M48 560V72a24 24 0 0 1 24-24h684a24 24 0 0 1 24 24v488z" />
      <path fill={COLORS.paper} d="M48 560V72a24 24 0 0 1 24-24h128v512z" />
      <path d="M80 108V95a13 13 0 0 1 26 0v13h-6V95a7 7 0 0 0-14 0v13z" />
      <path fill={COLORS.accent} d="M89 108V95a4 4 0 0 1 8 0v13z" />
      <rect x="64" y="136" width="120" height="40" rx="10" fill={COLORS.ink} />
      <g fontSize="16">
        <text x="80" y="162" fill={COLORS.onInk} fontWeight="600">
          Vendas
        </text>
        <g fill={COLORS.text2}>
          {['Saldo', 'Saques', 'Clientes', 'Relatórios'].map((label, index) => (
            <text key={label} x="80" y={210 + 46 * index}>
              {label}
            </text>
          ))}
        </g>
      </g>
      <text x="232" y="104" fill={COLORS.text2}>
        Vendas de hoje
      </text>
      <text x="232" y="150" fontSize="40" fontWeight="600" letterSpacing="-1">
        R$ 48.213,70
      </text>
      {HOURS.map((height, index) => (
        <path
          key={height}
          fill={index === HOURS.length - 1 ? COLORS.accent : DRAWING_COLORS.pastDay}
          d={`M${232 + 43 * index} 320v${-height}a15 15 0 0 1 30 0v${height}z`}
        />
      ))}
      <path stroke={COLORS.line} strokeWidth="2" d="M232 321h508" />
      {SALES.map(([what, method, amount, state], index) => (
        <g key={what} transform={`translate(232 ${372 + 62 * index})`}>
          <text fontWeight="600">{what}</text>
          <text x="196" fill={COLORS.text2}>
            {method}
          </text>
          <text x="372" textAnchor="end">
            {amount}
          </text>
          <rect x="396" y="-22" width="112" height="32" rx="16" fill={COLORS.paper} />
          <text x="452" y="0" textAnchor="middle" fontSize="15" fill={COLORS.ok} fontWeight="600">
            {state}
          </text>
          <path stroke={COLORS.line} d="M0 26h508" />
        </g>
      ))}
    </g>
  )
}

function Checkout() {
  return (
    <g fill={COLORS.ink}>
      <path fill={COLORS.surface} d="M828 560V96a24 24 0 0 1 24-24h260a24 24 0 0 1 24 24v464z" />
      <text x="860" y="122" fill={COLORS.text2}>
        Ingresso, setor A
      </text>
      <text x="860" y="164" fontSize="36" fontWeight="600" letterSpacing="-1">
        R$ 189,90
      </text>
      <rect x="860" y="192" width="244" height="48" rx="12" fill={COLORS.paper} />
      <rect x="864" y="196" width="78" height="40" rx="9" fill={COLORS.ink} />
      <g textAnchor="middle" fontSize="16" fontWeight="600">
        <text x="903" y="222" fill={COLORS.onInk}>
          Cartão
        </text>
        <text x="983" y="222">
          PIX
        </text>
        <text x="1062" y="222">
          Débito
        </text>
      </g>
      <g fill="none" stroke={COLORS.line2}>
        <rect x="860" y="284" width="244" height="50" rx="10" />
        <rect x="860" y="378" width="114" height="50" rx="10" />
        <rect x="990" y="378" width="114" height="50" rx="10" />
      </g>
      <g fontSize="15" fill={COLORS.text2}>
        <text x="860" y="272">
          Número do cartão
        </text>
        <text x="860" y="366">
          Validade
        </text>
        <text x="990" y="366">
          CVV
        </text>
      </g>
      <text x="876" y="315">
        •••• •••• •••• 4821
      </text>
      <text x="876" y="409">
        08/29
      </text>
      <text x="1006" y="409">
        •••
      </text>
      <rect x="860" y="454" width="244" height="56" rx="12" fill={COLORS.accent} />
      <text x="982" y="488" textAnchor="middle" fontSize="18" fontWeight="600">
        Pagar R$ 189,90
      </text>
    </g>
  )
}

/** The arch upside down as a shield: one line passes, one is stopped. */
function ShieldDrawing() {
  return (
    <svg aria-hidden="true" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 180" fill="none">
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
