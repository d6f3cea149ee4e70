import { CodeXml, Pencil, Trash2 } from 'lucide-react'
import { memo } from 'react'
import { IconButton } from '#admin/components/icon-button.tsx'
import { CELL, LABELLED_CELL } from '#admin/components/table-style.ts'
import { TimeStamp } from '#admin/components/time-stamp.tsx'
import { PIXEL_TYPE_LABELS, type Pixel } from '#contract/pixel.ts'
import type { PixelRun } from '../api/tag-overview.ts'
import { useTogglePixel } from '../api/toggle-pixel.ts'
import { RunLine } from './run-line.tsx'
import { StatusBadge } from './status-badge.tsx'
import { TypeGlyph } from './type-glyph.tsx'
import { WarningCount } from './warning-count.tsx'

export interface PixelActions {
  onShowCode: (id: string) => void
  onEdit: (pixel: Pixel) => void
  onDelete: (pixel: Pixel) => void
}

interface PixelCellsProps extends PixelActions {
  pixel: Pixel
  /** Undefined while it is not known how the pixel is doing. */
  run: PixelRun | undefined
  codeShown: boolean
}

export const PixelCells = memo(function PixelCells(props: PixelCellsProps) {
  const { pixel, run, codeShown, onShowCode, onEdit, onDelete } = props
  const toggle = useTogglePixel(pixel)
  return (
    <>
      <td className={`${CELL} max-md:col-span-2`}>
        <div className="flex items-center gap-3.5">
          <TypeGlyph type={pixel.type} active={pixel.is_active} />
          <div className="min-w-0">
            <p className="leading-snug font-semibold wrap-anywhere">{pixel.name}</p>
            <TimeStamp value={pixel.created_at} className="text-sm" />
            {run ? <WarningCount warnings={run.status.warnings} onShow={() => onShowCode(pixel.id)} /> : null}
          </div>
        </div>
      </td>
      <td data-label="Tipo" className={LABELLED_CELL}>
        {PIXEL_TYPE_LABELS[pixel.type]}
      </td>
      <td data-label="ID/Código" className={`${LABELLED_CELL} wrap-anywhere`}>
        {pixel.pixel_id ? (
          <span className="font-mono text-sm">{pixel.pixel_id}</span>
        ) : (
          <span className="text-text-2">Código personalizado</span>
        )}
      </td>
      <td className={CELL}>
        <StatusBadge
          active={pixel.is_active}
          name={pixel.name}
          onToggle={() => toggle.mutate(!pixel.is_active)}
        />
        {run ? <RunLine pixel={pixel} run={run} /> : null}
      </td>
      <td className={`${CELL} text-right whitespace-nowrap`}>
        <IconButton
          label={`Ver código: ${pixel.name}`}
          aria-pressed={codeShown}
          onClick={() => onShowCode(pixel.id)}
        >
          <CodeXml aria-hidden="true" />
        </IconButton>
        <IconButton label={`Editar: ${pixel.name}`} onClick={() => onEdit(pixel)}>
          <Pencil aria-hidden="true" />
        </IconButton>
        <IconButton label={`Excluir: ${pixel.name}`} danger onClick={() => onDelete(pixel)}>
          <Trash2 aria-hidden="true" />
        </IconButton>
      </td>
    </>
  )
})
