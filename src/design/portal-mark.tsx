import { COLORS } from './colors.ts'
/** The logo, an arch with a door in it. The arch has the text colour around it. */
export function PortalMark() {
  return (
    <svg viewBox="0 0 26 28" width="26" height="28" aria-hidden="true">
      <path fill="currentColor" d="M0 28V13a13 13 0 0 1 26 0v15h-6V13a7 7 0 0 0-14 0v15z" />
      <path fill={COLORS.accent} d="M9 28V13a4 4 0 0 1 8 0v15z" />
    </svg>
  )
}
