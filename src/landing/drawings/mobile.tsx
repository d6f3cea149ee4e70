import { COLORS } from '#design/colors.ts'
/** A phone in the shape of an arch, with QR code, amount and confirmation. */
export function MobileDrawing() {
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
