import { CodeXml, LoaderCircle, Pencil, Trash2 } from 'lucide-react'
import { memo } from 'react'
import { IconButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { focusPageHeading, useFocusAfterRemoval } from '#admin/components/page-heading.tsx'
import { Skeleton } from '#admin/components/query-view.tsx'
import { CELL, type Column, LABELLED_CELL, ListTable, ListToolbar, ROW } from '#admin/components/table.tsx'
import { TimeStamp } from '#admin/components/text.tsx'
import { cn } from '#admin/lib/cn.ts'
import { Link, paths } from '#admin/lib/router.tsx'
import { formatCount } from '#contract/format-count.ts'
import { PIXEL_TYPE_LABELS } from '#contract/pixel.ts'
import { type ListedPixel, useTogglePixel } from '../api.ts'
import { HealthMark, StatusBadge, TypeGlyph, WarningCount } from '../badges.tsx'
import type { FormStart } from '../form/schema.ts'
import { healthOf, isProblem, listNotes } from '../health.ts'
import { PixelNote } from '../health-notes.tsx'
import type { PixelRun, PixelRuns } from '../tag-status.ts'
import { PauseSwitch } from './notices.tsx'

/** The table's layout, so that nothing moves when the pixels arrive. */
export function PixelSkeleton() {
  return (
    <Card aria-busy="true">
      <PauseSwitch />
      <p role="status" className="sr-only">
        Carregando pixels
      </p>
      <div aria-hidden="true">
        <ListToolbar summary={<Skeleton className="my-1.5 h-3 w-36 rounded-md" />} aside={null} />
        <ListTable
          label="Carregando"
          columns={PIXEL_COLUMNS}
          items={[{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]}
          rowClassName={() => PIXEL_ROW}
          renderCells={() => <SkeletonCells />}
        />
      </div>
    </Card>
  )
}

function SkeletonCells() {
  return (
    <>
      <td className={`${CELL} card:col-span-2`}>
        <div className="flex items-center gap-3.5">
          <Skeleton className="h-11 w-10 rounded-[20px_20px_6px_6px]" />
          <div>
            <Skeleton className="h-3 w-38 rounded-md" />
            <Skeleton className="mt-2.5 h-2.5 w-20 rounded-md" />
          </div>
        </div>
      </td>
      <td data-label="Tipo" className={LABELLED_CELL}>
        <Skeleton className="my-1.5 h-3 w-24 rounded-md" />
      </td>
      <td data-label="ID/Código" className={LABELLED_CELL}>
        <Skeleton className="my-1.5 h-3 w-32 rounded-md" />
      </td>
      <td className={CELL}>
        <Skeleton className="my-2 h-7 w-18 rounded-full" />
      </td>
      <td className={CELL}>
        <Skeleton className="ml-auto h-5 w-27 rounded-md" />
      </td>
    </>
  )
}

const PIXEL_COLUMNS: readonly Column[] = [
  { label: 'Pixel' },
  { label: 'Tipo', className: 'w-[7rem] @min-[54rem]:w-[13%]' },
  { label: 'ID/Código', className: 'w-[9.75rem] @min-[54rem]:w-[17.5%]' },
  { label: 'Status', className: 'w-[11.5rem] @min-[54rem]:w-[12.5rem] @min-[64rem]:w-[22.5rem]' },
  { label: 'Ações', className: 'w-[9.5rem]' },
]

const PIXEL_ROW = cn(ROW, 'card:grid-cols-[minmax(0,1fr)_8.25rem] card:gap-x-2 card:pb-1.5 tiny:grid-cols-1')

interface PixelTableProps {
  pixels: readonly ListedPixel[]
  runs: PixelRuns
  shownCodeId: string | null
  /** The one whose form is on its way. */
  openingId: string | null
  actions: PixelActions
}

export function PixelTable({ pixels, runs, shownCodeId, openingId, actions }: PixelTableProps) {
  const { runOf } = runs
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
        <PixelCells
          pixel={pixel}
          run={runOf(pixel.id)}
          codeShown={pixel.id === shownCodeId}
          isOpening={pixel.id === openingId}
          {...actions}
        />
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

interface WhyRowProps extends Pick<PixelActions, 'onShowCode' | 'onEdit'> {
  pixel: ListedPixel
  run: PixelRun | undefined
  columns: number
}

/** Below a pixel with a problem: the reason and its fix. The rest is in its panel. */
function WhyRow({ pixel, run, columns, onShowCode, onEdit }: WhyRowProps) {
  const health = healthOf(pixel, run?.status)
  const needsSomebody = isProblem(health) || (health === 'waiting' && (run?.status.reasons.length ?? 0) > 0)
  const notes = run && needsSomebody ? listNotes(run.status.reasons, run.blocked) : []
  useFocusAfterRemoval(notes.length, () => focusCodeButton(pixel.id))
  const [first, ...others] = notes
  if (first === undefined) return null
  return (
    <tr className="card:block">
      <td
        colSpan={columns}
        className="not-card:px-3 not-card:pb-3.5 not-card:@min-[54rem]:pl-18.5 card:block card:px-3 card:pb-3"
      >
        <div
          className={cn(
            'flex flex-wrap items-center gap-x-4 rounded-r-xl rounded-l-sm border border-l-4 border-line bg-[#fafaf6] py-2.5 pr-2.5 pl-4 text-[0.9375rem]/[1.45]',
            health === 'broken'
              ? 'border-l-bad'
              : health === 'partial'
                ? 'border-l-[#b25a12]'
                : 'border-l-line-2',
          )}
        >
          <div className="min-w-0 flex-[1_1_20rem]">
            <PixelNote
              note={first}
              pixelId={pixel.id}
              lastError={run?.status.last_error ?? null}
              onFix={(startsAt) => onEdit(pixel, startsAt)}
            />
          </div>
          {others.length === 0 ? null : (
            <button
              type="button"
              onClick={() => onShowCode(pixel.id)}
              className="min-h-11 px-1.5 text-sm font-semibold underline underline-offset-4"
            >
              {`Ver mais ${formatCount(others.length, 'motivo', 'motivos')}`}
            </button>
          )}
        </div>
      </td>
    </tr>
  )
}

export interface PixelActions {
  onShowCode: (id: string) => void
  onEdit: (pixel: ListedPixel, startsAt?: FormStart) => void
  onDelete: (pixel: ListedPixel) => void
}

interface PixelCellsProps extends PixelActions {
  pixel: ListedPixel
  /** Undefined while it is not known how the pixel is doing. */
  run: PixelRun | undefined
  codeShown: boolean
  isOpening: boolean
}

/** The row may be out of sight, and then not in the document. */
export function focusCodeButton(id: string): void {
  const button = document.querySelector<HTMLElement>(`[data-code-of="${id}"]`)
  if (button) button.focus()
  else focusPageHeading()
}

const PixelCells = memo(function PixelCells(props: PixelCellsProps) {
  const { pixel, run, codeShown, isOpening, onShowCode, onEdit, onDelete } = props
  const toggle = useTogglePixel(pixel)
  const health = healthOf(pixel, run?.status)
  return (
    <>
      <td className={cn(CELL, 'card:col-span-2 tiny:col-span-1')}>
        <div className="flex items-center gap-3.5">
          <TypeGlyph type={pixel.type} active={pixel.is_active} />
          <div className="min-w-0">
            <Link
              href={paths.pixel(pixel.id)}
              className="relative leading-snug font-semibold wrap-anywhere after:absolute after:-inset-x-2 after:-top-4 after:-bottom-1.5 decoration-1 underline-offset-4 hyphens-auto hover:underline not-card:@max-[54rem]:text-[0.9375rem]"
            >
              {pixel.name}
            </Link>
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
            // In a card it has its own line, below badge and actions.
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
        <IconButton label={`Editar: ${pixel.name}`} aria-busy={isOpening} onClick={() => onEdit(pixel)}>
          {isOpening ? (
            <LoaderCircle aria-hidden="true" className="motion-safe:animate-spin" />
          ) : (
            <Pencil aria-hidden="true" />
          )}
        </IconButton>
        <IconButton label={`Excluir: ${pixel.name}`} danger onClick={() => onDelete(pixel)}>
          <Trash2 aria-hidden="true" />
        </IconButton>
      </td>
    </>
  )
})
