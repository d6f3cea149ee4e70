import { useMemo, useRef, useState } from 'react'
import { Card } from '#admin/components/card.tsx'
import { Select } from '#admin/components/select.tsx'
import { useFocusAfterRemoval } from '#admin/components/use-focus-after-removal.ts'
import type { Pixel } from '#contract/pixel.ts'
import { useTagOverview } from '../api/tag-overview.ts'
import { type BlockedLine, listBlockedLines } from '../list-blocked-lines.ts'
import { BlockedLineNote } from './blocked-line-note.tsx'

const NONE: readonly BlockedLine[] = []

/** What the page's policy stopped of nobody knows which pixel; the rest stands in the rows of its pixels. */
export function BlockedHosts({ pixels }: { pixels: readonly Pixel[] }) {
  const lines = useTagOverview(listBlockedLines).data ?? NONE
  const ids = useMemo(() => new Set(pixels.map(({ id }) => id)), [pixels])
  const nobodys = lines.filter(({ pixelIds }) => !pixelIds.some((id) => ids.has(id)))
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusAfterRemoval(nobodys.length, heading)
  if (nobodys.length === 0) return null
  return (
    <Card role="region" aria-label="Endereços bloqueados" className="mt-4">
      <header className="px-4 pt-3.5 pb-3 sm:px-5">
        <h3 ref={heading} tabIndex={-1} className="text-base tracking-tight focus:outline-0">
          Endereços bloqueados
        </h3>
        <p className="text-sm text-text-2">
          Alguma tag tentou falar com estes endereços, e ninguém sabe qual. Permita só os que você reconhece.
        </p>
      </header>
      <ul>
        {nobodys.map((line) => (
          <NobodysLine key={line.key} line={line} pixels={pixels} />
        ))}
      </ul>
    </Card>
  )
}

function NobodysLine({ line, pixels }: { line: BlockedLine; pixels: readonly Pixel[] }) {
  const [pixelId, setPixelId] = useState('')
  // Only what runs can have tried.
  const active = pixels.filter(({ is_active }) => is_active)
  const choice = (
    <Select
      small
      aria-label={`Para qual pixel permitir ${line.hosts.join(', ')}`}
      value={pixelId}
      onChange={(event) => setPixelId(event.target.value)}
      options={[['', 'Para qual pixel?'], ...active.map(({ id, name }) => [id, name] as const)]}
      className="max-w-56"
    />
  )
  return (
    <li className="border-t border-line py-2.5 pr-3 pl-4 sm:pl-5">
      <BlockedLineNote line={line} owner={{ choice, pixelId }} />
    </li>
  )
}
