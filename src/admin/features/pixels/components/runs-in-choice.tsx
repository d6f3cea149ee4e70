import { useId } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { ChoiceCard } from '#admin/components/choice-card.tsx'
import {
  mayBeIsolated,
  PIXEL_RUNS_IN,
  type PixelRunsIn,
  RUNS_IN_LABELS,
  type RunsInProposal,
} from '#contract/pixel.ts'
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
        <ChoiceCard
          key={choice}
          name={id}
          value={choice}
          label={RUNS_IN_LABELS[choice]}
          meaning={MEANINGS[choice]}
          mark={proposal?.runs_in === choice ? 'Sugerido para este código' : null}
          checked={choice === current}
          onChange={() => form.setValue('runs_in', choice, { shouldDirty: true })}
        />
      ))}
      <p id={`${id}-proposal`} role="status" className="text-sm text-pretty text-text-2 empty:hidden">
        {[proposal?.reason, current === 'isolated' ? REMAINS : null].filter(Boolean).join(' ')}
      </p>
    </fieldset>
  )
}
