import { type FormEvent, useState } from 'react'
import { Field } from '#admin/components/form.tsx'
import { Input } from '#admin/components/inputs.tsx'
import { FormModal } from '#admin/components/modal.tsx'
import { foldText } from '#admin/components/table.tsx'
import { OUTCOME_LABEL_MAX_LENGTH, OUTCOME_NAME } from '#contract/outcomes.ts'
import { useDeclareName, useRelabel } from './api.ts'

interface NameFormProps {
  /** Empty for a new one; given where a call has brought it. */
  name: string
  /** Null for a new one. */
  label: string | null
  onClose: () => void
}

/** Declares an outcome, or changes its label: programs go on sending the same name. */
export function NameForm({ name: givenName, label: givenLabel, onClose }: NameFormProps) {
  const isNew = givenLabel === null
  const declare = useDeclareName()
  const relabel = useRelabel()
  const action = isNew ? declare : relabel
  const startLabel = givenLabel ?? proposeLabel(givenName)
  const [label, setLabel] = useState(startLabel)
  const [typedName, setTypedName] = useState<string | null>(givenName === '' ? null : givenName)
  const [errors, setErrors] = useState<{ label?: string; name?: string }>({})
  const name = typedName ?? proposeName(label)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = {
      ...(label.trim() === '' ? { label: 'Dê um nome ao resultado.' } : {}),
      ...(OUTCOME_NAME.test(name)
        ? {}
        : { name: 'Use letras minúsculas sem acento, números e _, começando por uma letra.' }),
    }
    setErrors(found)
    if (Object.keys(found).length > 0) return
    action.mutate({ name, label: label.trim() }, { onSuccess: onClose })
  }
  return (
    <FormModal
      title={isNew ? 'Criar resultado' : 'Renomear resultado'}
      width="md"
      dirty={label !== startLabel || (typedName ?? '') !== givenName}
      onClose={onClose}
      action={action}
      failure={isNew ? 'Não foi possível criar o resultado.' : 'Não foi possível renomear.'}
      submit={isNew ? 'Criar resultado' : 'Salvar'}
      submitting={isNew ? 'Criando...' : 'Salvando...'}
      onSubmit={submit}
    >
      <Field
        label="Nome que aparece no painel"
        hint={isNew ? 'Como Primeira venda. Você pode mudar depois.' : null}
        error={errors.label}
      >
        {(control) => (
          <Input
            {...control}
            data-autofocus
            autoComplete="off"
            maxLength={OUTCOME_LABEL_MAX_LENGTH}
            value={label}
            onChange={(event) => setLabel(event.target.value)}
          />
        )}
      </Field>
      {isNew ? (
        <Field
          label="Nome que o seu sistema envia"
          hint="É o campo name da chamada. Não muda depois."
          error={errors.name}
        >
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={40}
              value={name}
              onChange={(event) => setTypedName(event.target.value)}
              className="font-mono"
            />
          )}
        </Field>
      ) : (
        <p className="text-sm text-text-2">
          O seu sistema continua enviando <span className="font-mono">{givenName}</span>. Só o nome no painel
          muda.
        </p>
      )}
    </FormModal>
  )
}

/** "Primeira venda" becomes `primeira_venda`. */
function proposeName(label: string): string {
  return foldText(label)
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .join('_')
    .replace(/^[_0-9]+/, '')
    .slice(0, 40)
}

/** `primeira_venda` becomes "Primeira venda". */
function proposeLabel(name: string): string {
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
