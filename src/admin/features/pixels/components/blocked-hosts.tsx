import { useRef } from 'react'
import { Card } from '#admin/components/card.tsx'
import { useFocusAfterRemoval } from '#admin/components/use-focus-after-removal.ts'
import type { Pixel } from '#contract/pixel.ts'
import { useTagOverview } from '../api/tag-overview.ts'
import { BlockedHostRow } from './blocked-host-row.tsx'

/** What the page's policy stopped, for a person to decide about. */
export function BlockedHosts({ pixels }: { pixels: readonly Pixel[] }) {
  const blocked = useTagOverview((overview) => overview.blocked_hosts).data ?? []
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusAfterRemoval(blocked.length, heading)
  if (blocked.length === 0) return null
  return (
    <Card role="region" aria-label="Endereços bloqueados" className="mt-4">
      <header className="px-4 pt-3.5 pb-3 sm:px-5">
        <h3 ref={heading} tabIndex={-1} className="text-base tracking-tight focus:outline-0">
          Endereços bloqueados
        </h3>
        <p className="text-sm text-text-2">
          A página só deixa cada tag falar com os endereços que ela declara. Permita os que você reconhece.
        </p>
      </header>
      <ul>
        {blocked.map((host) => (
          <BlockedHostRow key={host.id} blocked={host} pixels={pixels} />
        ))}
      </ul>
    </Card>
  )
}
