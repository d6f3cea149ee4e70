import { type FormEvent, useState } from 'react'
import { Field } from '#admin/components/form.tsx'
import { Input, Select } from '#admin/components/inputs.tsx'
import { FormModal } from '#admin/components/modal.tsx'
import { TAG_CATEGORY_LABELS } from '#contract/consent.ts'
import { fitsField } from '#contract/conversions.ts'
import type { OutcomeDeliveries, OutcomeDestination, OutcomeRow } from '#contract/outcomes.ts'
import { useChooseEvent } from './api.ts'

const NONE = ''
const OTHER = '*'

interface EventFormProps {
  row: OutcomeRow
  destination: OutcomeDestination
  deliveries: OutcomeDeliveries
  onClose: () => void
}

/** Chooses the event under which a destination gets an outcome, and whether it gets the value. */
export function EventForm({ row, destination, deliveries, onClose }: EventFormProps) {
  const { event: field, known_events: known, events_with_value: withValue, category } = destination
  const { suggestion } = deliveries
  const action = useChooseEvent()
  const offered = [...new Set([...(suggestion === null ? [] : [suggestion]), ...known])]
  const start = deliveries.event ?? suggestion ?? NONE
  const [choice, setChoice] = useState(start === NONE || offered.includes(start) ? start : OTHER)
  const [typed, setTyped] = useState(offered.includes(start) ? '' : start)
  const [sendsValue, setSendsValue] = useState(deliveries.sends_value)
  const [error, setError] = useState<string>()
  const event = choice === OTHER ? typed.trim() : choice
  if (field === null) return null
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault()
    const isRight = choice !== OTHER || fitsField(field, event)
    const lacksValue = withValue.includes(event) && !sendsValue
    setError(
      isRight ? (lacksValue ? `Para enviar como ${event}, envie também o valor.` : undefined) : field.refusal,
    )
    if (!isRight || lacksValue) return
    action.mutate(
      {
        name: row.name,
        pixelId: destination.id,
        event: event === NONE ? null : event,
        sends_value: event !== NONE && sendsValue,
      },
      { onSuccess: onClose },
    )
  }
  return (
    <FormModal
      title={`${row.label}: ${destination.name}`}
      width="md"
      dirty={event !== (deliveries.event ?? NONE) || sendsValue !== deliveries.sends_value}
      onClose={onClose}
      action={action}
      failure="Não foi possível salvar o envio."
      submit="Salvar"
      submitting="Salvando..."
      onSubmit={submit}
    >
      <Field
        label={offered.length === 0 ? 'Envio' : field.label}
        error={choice === OTHER ? undefined : error}
        hint={null}
      >
        {(control) => (
          <Select
            {...control}
            data-autofocus
            value={choice}
            onChange={({ target }) => setChoice(target.value)}
            options={[
              [NONE, 'Não enviar'],
              ...offered.map((name) => [name, name === suggestion ? `${name} (sugestão)` : name] as const),
              [OTHER, offered.length === 0 ? 'Enviar' : 'Outro nome'],
            ]}
          />
        )}
      </Field>
      {choice === OTHER ? (
        <Field
          label={offered.length === 0 ? field.label : `${field.label}: outro nome`}
          hint={field.hint}
          error={error}
        >
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={field.max_length}
              placeholder={field.example ?? undefined}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              className="font-mono"
            />
          )}
        </Field>
      ) : null}
      {choice === NONE ? null : (
        <label className="flex min-h-11 items-center gap-3">
          <input
            type="checkbox"
            className="size-5.5 accent-ink"
            checked={sendsValue}
            onChange={({ target }) => setSendsValue(target.checked)}
          />
          Enviar também o valor
        </label>
      )}
      <p className="text-sm text-pretty text-text-2">
        {`Só enviamos o resultado de quem aceitou ${TAG_CATEGORY_LABELS[category]} e chegou ao seu sistema com o código da visita. O servidor confere de novo na hora de enviar.`}
      </p>
    </FormModal>
  )
}
