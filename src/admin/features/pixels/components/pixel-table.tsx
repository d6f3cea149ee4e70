import type { Column } from '#admin/components/framed-table.tsx'
import { ListTable } from '#admin/components/list-table.tsx'
import { ROW } from '#admin/components/table-style.ts'
import { cn } from '#admin/lib/cn.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelRuns } from '../api/tag-overview.ts'
import { type PixelActions, PixelCells } from './pixel-cells.tsx'
import { WhyRow } from './why-row.tsx'

export const PIXEL_COLUMNS: readonly Column[] = [
  { label: 'Pixel' },
  { label: 'Tipo', className: 'w-[7.25rem] @min-[54rem]:w-[13%]' },
  { label: 'ID/Código', className: 'w-[9.75rem] @min-[54rem]:w-[17.5%]' },
  { label: 'Status', className: 'w-[11rem] @min-[54rem]:w-[12.5rem] @min-[64rem]:w-[22.5rem]' },
  { label: 'Ações', className: 'w-[9.5rem]' },
]

export const PIXEL_ROW = cn(
  ROW,
  'card:grid-cols-[minmax(0,1fr)_8.25rem] card:gap-x-2 card:pb-1.5 tiny:grid-cols-1',
)

interface PixelTableProps {
  pixels: readonly Pixel[]
  runs: PixelRuns
  shownCodeId: string | null
  actions: PixelActions
}

export function PixelTable({ pixels, runs: { runOf }, shownCodeId, actions }: PixelTableProps) {
  return (
    <ListTable
      label="Pixels"
      columns={PIXEL_COLUMNS}
      items={pixels}
      rowClassName={(pixel) =>
        pixel.id === shownCodeId
          ? cn(PIXEL_ROW, 'bg-[#fafaf6] shadow-[inset_3px_0_0_var(--accent)]')
          : PIXEL_ROW
      }
      renderCells={(pixel) => (
        <PixelCells pixel={pixel} run={runOf(pixel.id)} codeShown={pixel.id === shownCodeId} {...actions} />
      )}
      renderBelow={(pixel) => (
        <WhyRow
          pixel={pixel}
          run={runOf(pixel.id)}
          columns={PIXEL_COLUMNS.length}
          onShowCode={actions.onShowCode}
          onEdit={actions.onEdit}
        />
      )}
    />
  )
}
