import { useFocusAfterRemoval } from '#admin/components/use-focus-after-removal.ts'
import { cn } from '#admin/lib/cn.ts'
import { formatCount } from '#contract/format-count.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelRun } from '../api/tag-overview.ts'
import { listNotes } from '../list-notes.ts'
import { healthOf, isProblem } from '../pixel-health.ts'
import { focusCodeButton, type PixelActions } from './pixel-cells.tsx'
import { PixelNote } from './pixel-note.tsx'

interface WhyRowProps extends Pick<PixelActions, 'onShowCode' | 'onEdit'> {
  pixel: Pixel
  run: PixelRun | undefined
  columns: number
}

/** Under the row of a pixel that needs somebody: why, and the button that mends it. The rest is in its panel. */
export function WhyRow({ pixel, run, columns, onShowCode, onEdit }: WhyRowProps) {
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
              onMend={(startsAt) => onEdit(pixel, startsAt)}
            />
          </div>
          {others.length === 0 ? null : (
            <button
              type="button"
              onClick={() => onShowCode(pixel.id)}
              className="min-h-11 px-1.5 text-sm font-semibold underline underline-offset-4"
            >
              {formatCount(others.length, 'outro motivo', 'outros motivos')}
            </button>
          )}
        </div>
      </td>
    </tr>
  )
}
