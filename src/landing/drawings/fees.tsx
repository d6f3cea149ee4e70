import { COLORS } from '#design/colors.ts'
import { BENEFITS } from '../content/benefits.ts'

/** To scale: the lit arch is 60 where the grey one is 100. */
export function FeesDrawing({ brandName }: { brandName: string }) {
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
      <svg height="300" aria-hidden="true">
        <path className="fall" d="M190 420V205a85 85 0 0 1 170 0v215z" fill={COLORS.accent} />
      </svg>
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
