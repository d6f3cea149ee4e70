import type { ReactNode } from 'react'
import { EmptyState } from '#admin/components/empty-state.tsx'

export function PixelsEmpty({ action }: { action: ReactNode }) {
  return (
    <EmptyState
      picture={<DoorWithCode />}
      title="Nenhum pixel configurado"
      text="Adicione seu primeiro pixel para começar o rastreamento"
      lesson="Um pixel conta ao Meta ou ao Google quais campanhas trazem clientes. Ele só roda na página depois que o visitante consente."
      action={action}
    />
  )
}

function DoorWithCode() {
  return (
    <svg width="168" height="132" fill="none" strokeWidth="1.5" aria-hidden="true">
      <path className="stroke-line" d="M30 132V70a54 54 0 0 1 108 0v62" />
      <path className="fill-[#f0f1ea]" d="M44 132V70a40 40 0 0 1 80 0v62z" />
      <path className="stroke-ink" d="M0 131h168" />
      <path className="stroke-line-2" d="M0 88h168" strokeDasharray="4 5" />
      <rect
        className="fill-surface stroke-ink"
        x="52"
        y="70"
        width="64"
        height="36"
        rx="9"
        strokeDasharray="4 4"
      />
      <path
        className="stroke-ink"
        d="m76 82-6 6 6 6m16-12 6 6-6 6m-5-14-6 16"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
