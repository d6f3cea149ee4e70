import { COLORS, DRAWING_COLORS } from '#design/colors.ts'
/** A bar in the shape of an arch for each day; the last has the accent colour. */
export function AnalyticsDrawing() {
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
