import { useId } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { cn } from '#admin/lib/cn.ts'
import {
  mayBeIsolated,
  PIXEL_RUNS_IN,
  type PixelRunsIn,
  RUNS_IN_LABELS,
  type RunsInProposal,
} from '#contract/pixel-runs-in.ts'
import type { PixelForm } from '../api/save-pixel.ts'

const MEANINGS: Record<PixelRunsIn, string> = {
  page: 'Vê e pode mudar tudo o que está na página, formulários inclusive. Chat, mapas de calor e captura de formulários precisam disto.',
  isolated:
    'Num quadro fechado: mede visitas e conversões, mas não vê a página nem o que se digita, não desenha e não guarda cookies no site.',
}

/** What a closed frame does not keep a tag from. */
const REMAINS =
  'O que um quadro não impede: por WebRTC uma tag ainda alcança outros endereços, e em alguns navegadores uma tag que ocupa o processador ainda trava a página.'

interface RunsInChoiceProps {
  form: UseFormReturn<PixelForm>
  /** Shown, and never taken without a click. */
  proposal: RunsInProposal | null
}

/** "Onde roda": in the page, or in a frame of its own. */
export function RunsInChoice({ form, proposal }: RunsInChoiceProps) {
  const [type, current] = form.watch(['type', 'runs_in'])
  const id = useId()
  if (!mayBeIsolated(type)) return null
  return (
    <fieldset aria-describedby={`${id}-proposal`} className="grid grid-cols-1 gap-2">
      <legend className="pb-1.5 text-[0.9375rem] font-semibold">Onde roda</legend>
      {PIXEL_RUNS_IN.map((choice) => (
        <label
          key={choice}
          className={cn(
            'grid cursor-pointer grid-cols-[auto_1fr] items-start gap-x-3 rounded-1 px-3.5 py-3',
            'has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus',
            choice === current
              ? 'bg-[#fafaf6] shadow-[inset_0_0_0_2px_var(--ink)]'
              : 'shadow-[inset_0_0_0_1px_var(--line-2)] hover:shadow-[inset_0_0_0_1px_var(--ink)]',
          )}
        >
          <input
            type="radio"
            name={id}
            value={choice}
            checked={choice === current}
            aria-labelledby={`${id}-${choice}`}
            aria-describedby={`${id}-${choice}-means`}
            onChange={() => form.setValue('runs_in', choice, { shouldDirty: true })}
            className="mt-0.5 size-5 accent-ink focus-visible:outline-0"
          />
          <span className="min-w-0">
            <span className="flex flex-wrap items-center gap-x-2.5 text-[0.9375rem] font-semibold">
              <span id={`${id}-${choice}`}>{RUNS_IN_LABELS[choice]}</span>
              {proposal?.runs_in === choice ? (
                <span className="chip rounded-sm bg-accent-3 px-1.5 py-0.5 text-xs text-warn">
                  Sugerido para este código
                </span>
              ) : null}
            </span>
            <span id={`${id}-${choice}-means`} className="block text-sm text-pretty text-text-2">
              {MEANINGS[choice]}
            </span>
          </span>
        </label>
      ))}
      <p id={`${id}-proposal`} role="status" className="text-sm text-pretty text-text-2 empty:hidden">
        {[proposal?.reason, current === 'isolated' ? REMAINS : null].filter(Boolean).join(' ')}
      </p>
    </fieldset>
  )
}
