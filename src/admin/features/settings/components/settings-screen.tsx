import { Card } from '#admin/components/card.tsx'
import { EmptyState } from '#admin/components/empty-state.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { ProductionNotices } from './production-notices.tsx'

export function SettingsScreen() {
  return (
    <>
      <PageHeading title="Configurações" />
      <ProductionNotices />
      <Card>
        <EmptyState
          picture={<DoorUnderConstruction />}
          title="Configurações do sistema em desenvolvimento"
          text="Por enquanto, os ajustes do site ficam em Pixels & Tags e Usuários Admin."
        />
      </Card>
    </>
  )
}

function DoorUnderConstruction() {
  return (
    <svg width="168" height="120" fill="none" className="stroke-ink" strokeWidth="1.5" aria-hidden="true">
      <path d="M44 119V66a40 40 0 0 1 80 0v53" strokeDasharray="4 5" />
      <path d="M0 119h168M30 119V20m108 99V20M20 52h128M20 84h128" />
    </svg>
  )
}
