import { cn } from '#admin/lib/cn.ts'
import { formatTimestamp } from '#admin/lib/format-date.ts'
import { usePauseTags } from '../api/change-tags.ts'
import { useTagOverview } from '../api/tag-overview.ts'

/**
 * Stops every tag at once, and says who did and when. It is for emergencies, so it is there also while nobody knows how
 * the tags are doing: then it is a button that stops them, for a switch would have to show a state.
 */
export function PauseSwitch() {
  const { data: paused, isError } = useTagOverview((overview) => overview.paused)
  const { pause, isPending } = usePauseTags()
  const on = paused !== undefined && paused !== null
  return (
    <div
      className={cn(
        'flex flex-wrap items-center gap-x-3.5 border-b border-line px-4 py-2 sm:pl-5',
        on ? 'bg-warn-bg text-warn' : 'text-text-2',
      )}
    >
      <button
        type="button"
        {...(paused === undefined ? {} : { role: 'switch', 'aria-checked': on })}
        aria-describedby="pause-note"
        aria-disabled={isPending}
        onClick={() => isPending || pause(!on)}
        className="inline-flex min-h-11 items-center text-left gap-2.5 text-[0.9375rem] font-semibold text-ink"
      >
        <span
          aria-hidden="true"
          className={cn(
            'toggle relative h-6 w-10 flex-none rounded-full transition-colors',
            on ? 'toggle-on bg-warn' : 'bg-line-2',
          )}
        >
          <span
            className={cn(
              'absolute top-0.5 left-0.5 size-5 rounded-full bg-surface transition-transform',
              on && 'translate-x-4',
            )}
          />
        </span>
        Pausar tudo
      </button>
      <p id="pause-note" className="min-w-0 flex-[1_1_13rem] py-1 text-sm text-pretty wrap-anywhere">
        {paused
          ? `Pausado por ${paused.by}, ${formatTimestamp(paused.at)}. Nenhuma tag roda no site; ao retomar, voltam como estavam.`
          : isError && paused === undefined
            ? 'Não deu para saber se as tags estão pausadas. Pausar funciona mesmo assim.'
            : 'Interrompe todas as tags do site de uma vez.'}
      </p>
    </div>
  )
}
