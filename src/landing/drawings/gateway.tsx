import { COLORS } from '#design/colors.ts'
/** Three payment methods enter one arch, and one balance leaves it. */
export function GatewayDrawing() {
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
