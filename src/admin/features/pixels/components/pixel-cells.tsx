import { CodeXml, Pencil, Trash2 } from 'lucide-react'
import { memo } from 'react'
import { IconButton } from '#admin/components/icon-button.tsx'
import { focusPageHeading } from '#admin/components/page-heading.tsx'
import { CELL, LABELLED_CELL } from '#admin/components/table-style.ts'
import { TimeStamp } from '#admin/components/time-stamp.tsx'
import { cn } from '#admin/lib/cn.ts'
import { openHere } from '#admin/lib/open-here.ts'
import { pixelPath } from '#admin/lib/places.ts'
import { PIXEL_TYPE_LABELS, type Pixel } from '#contract/pixel.ts'
import type { PixelRun } from '../api/tag-overview.ts'
import { useTogglePixel } from '../api/toggle-pixel.ts'
import { healthOf } from '../pixel-health.ts'
import type { FormStart } from './form-start.ts'
import { HealthMark } from './health-mark.tsx'
import { StatusBadge } from './status-badge.tsx'
import { TypeGlyph } from './type-glyph.tsx'
import { WarningCount } from './warning-count.tsx'

export interface PixelActions {
  onShowCode: (id: string) => void
  onEdit: (pixel: Pixel, startsAt?: FormStart) => void
  onDelete: (pixel: Pixel) => void
}

interface PixelCellsProps extends PixelActions {
  pixel: Pixel
  /** Undefined while it is not known how the pixel is doing. */
  run: PixelRun | undefined
  codeShown: boolean
}

/** The row may be out of sight, and then not in the document. */
export function focusCodeButton(id: string): void {
  const button = document.querySelector<HTMLElement>(`[data-code-of="${id}"]`)
  if (button) button.focus()
  else focusPageHeading()
}

export const PixelCells = memo(function PixelCells(props: PixelCellsProps) {
  const { pixel, run, codeShown, onShowCode, onEdit, onDelete } = props
  const toggle = useTogglePixel(pixel)
  const health = healthOf(pixel, run?.status)
  return (
    <>
      <td className={cn(CELL, 'card:col-span-2 tiny:col-span-1')}>
        <div className="flex items-center gap-3.5">
          <TypeGlyph type={pixel.type} active={pixel.is_active} />
          <div className="min-w-0">
            <a
              href={pixelPath(pixel.id)}
              onClick={(event) => openHere(event, pixelPath(pixel.id))}
              className="relative leading-snug font-semibold wrap-anywhere after:absolute after:-inset-x-2 after:-top-4 after:-bottom-1.5 decoration-1 underline-offset-4 hyphens-auto hover:underline"
            >
              {pixel.name}
            </a>
            <div className="flex flex-wrap items-center gap-x-3">
              <TimeStamp value={pixel.created_at} className="text-sm" />
              {run ? <WarningCount status={run.status} onShow={() => onShowCode(pixel.id)} /> : null}
            </div>
          </div>
        </div>
      </td>
      <td data-label="Tipo" className={cn(LABELLED_CELL, 'text-[0.9375rem]')}>
        {PIXEL_TYPE_LABELS[pixel.type]}
      </td>
      <td data-label="ID/Código" className={LABELLED_CELL}>
        {pixel.pixel_id ? (
          <span className="font-mono text-sm wrap-anywhere">{pixel.pixel_id}</span>
        ) : (
          <span className="text-text-2">Código personalizado</span>
        )}
      </td>
      <td className={cn(CELL, 'card:contents')}>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 card:contents not-card:@min-[64rem]:flex-nowrap">
          <StatusBadge
            active={pixel.is_active}
            name={pixel.name}
            onToggle={() => toggle.mutate(!pixel.is_active)}
          />
          {health === undefined ? null : (
            // In a card it has a line of its own, under the badge and what can be done.
            <div className="min-w-0 card:order-1 card:col-span-full card:pb-2">
              <HealthMark health={health} run={run} />
            </div>
          )}
        </div>
      </td>
      <td className={cn(CELL, 'text-right whitespace-nowrap tiny:text-left tiny:whitespace-normal')}>
        <IconButton
          label={`Ver código: ${pixel.name}`}
          data-code-of={pixel.id}
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
