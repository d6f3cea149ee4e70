import { formatTimestamp } from '#admin/lib/format-date.ts'
import { usePauseTags } from '../api/change-tags.ts'
import { useTagOverview } from '../api/tag-overview.ts'

/** One switch that stops every tag at once, and says who did and when. */
export function PauseSwitch() {
  const paused = useTagOverview((overview) => overview.paused).data
  const { pause, isPending } = usePauseTags()
  if (paused === undefined) return null
  const on = paused !== null
  return (
    <div
      className={`flex items-center gap-3.5 border-b border-line px-4 py-2 sm:pl-5 ${on ? 'bg-warn-bg text-warn' : 'text-text-2'}`}
    >
      <button
        type="button"
        role="switch"
        aria-checked={on}
        aria-describedby="pause-note"
        aria-disabled={isPending}
        onClick={() => isPending || pause(!on)}
        className="inline-flex min-h-11 flex-none items-center gap-2.5 text-[0.9375rem] font-semibold text-ink"
      >
        <span
          aria-hidden="true"
          className={`relative h-6 w-10 rounded-full transition-colors ${on ? 'bg-warn' : 'bg-line-2'}`}
        >
          <span
            className={`absolute top-0.5 left-0.5 size-5 rounded-full bg-surface transition-transform ${on ? 'translate-x-4' : ''}`}
          />
        </span>
        Pausar tudo
      </button>
      <p id="pause-note" className="min-w-0 flex-1 text-sm wrap-anywhere">
        {paused === null
          ? 'Para todas as tags do site de uma vez.'
          : `Pausado por ${paused.by}, ${formatTimestamp(paused.at)}. Nenhuma tag roda no site; ao retomar, voltam como estavam.`}
      </p>
    </div>
  )
}
