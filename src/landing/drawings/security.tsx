import { COLORS, DRAWING_COLORS } from '#design/colors.ts'
/** The arch upside down as a shield: one line passes, one is stopped. */
export function SecurityDrawing() {
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
