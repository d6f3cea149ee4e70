import { COLORS, DRAWING_COLORS } from '#design/colors.ts'
/** Lines from BRL to EUR and USD. */
export function GlobalDrawing() {
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
