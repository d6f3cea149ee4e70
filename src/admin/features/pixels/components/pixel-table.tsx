import { type Column, ListTable } from '#admin/components/list-table.tsx'
import { ROW } from '#admin/components/table-style.ts'
import type { Pixel } from '#contract/pixel.ts'
import { usePixelRuns } from '../api/tag-overview.ts'
import { type PixelActions, PixelCells } from './pixel-cells.tsx'

export const PIXEL_COLUMNS: readonly Column[] = [
  { label: 'Pixel', className: 'w-[32%]' },
  { label: 'Tipo', className: 'w-[19%]' },
  { label: 'ID/Código', className: 'w-[20%]' },
  { label: 'Status', className: 'w-[10rem]' },
  { label: 'Ações', className: 'w-[10rem]' },
]

export const PIXEL_ROW = `${ROW} max-md:grid-cols-[minmax(0,1fr)_9.5rem] max-md:pb-1.5`

interface PixelTableProps {
  pixels: readonly Pixel[]
  shownCodeId: string | null
  actions: PixelActions
}

export function PixelTable({ pixels, shownCodeId, actions }: PixelTableProps) {
  const runOf = usePixelRuns()
  return (
    <ListTable
      label="Pixels"
      columns={PIXEL_COLUMNS}
      items={pixels}
      rowClassName={(pixel) =>
        pixel.id === shownCodeId
          ? `${PIXEL_ROW} bg-[#fafaf6] shadow-[inset_3px_0_0_var(--accent)]`
          : PIXEL_ROW
      }
      renderCells={(pixel) => (
        <PixelCells pixel={pixel} run={runOf(pixel.id)} codeShown={pixel.id === shownCodeId} {...actions} />
      )}
    />
  )
}
