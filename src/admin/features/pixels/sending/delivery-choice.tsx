import { useId } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { ChoiceCard } from '#admin/components/choice-card.tsx'
import { DELIVERY_CHOICES, DELIVERY_LABELS, type PixelDelivery, type PixelType } from '#contract/pixel.ts'
import type { PixelForm } from '../api/save-pixel.ts'
import { deliveryOf } from './sending-form.ts'

/** What each way means for whom, in a sentence. */
const MEANINGS: Record<PixelType, Partial<Record<PixelDelivery, string>>> = {
  meta: {
    browser: 'O script da Meta roda na página. Bloqueadores tiram parte das visitas.',
    server: 'Nenhum script da Meta na página: nada a bloquear, nada em que confiar.',
    both: 'As duas cópias levam o mesmo código, e a Meta conta uma vez.',
  },
  google_analytics: {
    browser: 'O script do Google roda na página. Bloqueadores tiram parte das visitas.',
    server:
      'Nenhum script do Google na página. Só com este protocolo os relatórios ficam parciais, sem vínculo com o Google Ads, e o Google não confirma o que recebe.',
  },
  google_tag_manager: {},
  custom: {
    browser: 'O código acima roda na página.',
    server:
      'Nada roda na página. Cada conversão vai assinada para o seu endereço, no padrão Standard Webhooks.',
  },
}
const RECOMMENDED: Partial<Record<PixelType, PixelDelivery>> = { meta: 'server' }

interface DeliveryChoiceProps {
  form: UseFormReturn<PixelForm>
  /** Whoever comes to mend the sending begins here when there is nothing else to fill in. */
  startsHere: boolean
}

/** "Envio": who tells the vendor. */
export function DeliveryChoice({ form, startsHere }: DeliveryChoiceProps) {
  const [type, delivery] = form.watch(['type', 'delivery'])
  const id = useId()
  const current = deliveryOf({ type, delivery })
  const error = form.formState.errors.delivery?.message
  return (
    <fieldset aria-describedby={error ? `${id}-error` : undefined} className="grid grid-cols-1 gap-2">
      <legend className="pb-1.5 text-[0.9375rem] font-semibold">Envio</legend>
      {DELIVERY_CHOICES[type].map((choice) => (
        <ChoiceCard
          key={choice}
          name={id}
          value={choice}
          label={DELIVERY_LABELS[choice]}
          meaning={MEANINGS[type][choice]}
          mark={RECOMMENDED[type] === choice ? 'Recomendado' : null}
          checked={choice === current}
          onChange={() => {
            form.setValue('delivery', choice, { shouldDirty: true })
            form.clearErrors('delivery')
          }}
          {...(startsHere && choice === current ? { 'data-autofocus': true } : {})}
        />
      ))}
      {error ? (
        <p id={`${id}-error`} role="alert" ref={reveal} className="text-sm text-bad">
          {error}
        </p>
      ) : null}
    </fieldset>
  )
}

function reveal(text: HTMLElement | null): void {
  text?.scrollIntoView({ block: 'nearest' })
}
