import { KeyRound } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button, CopyButton, QuietButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { ChoiceCard, Field } from '#admin/components/form.tsx'
import { Input } from '#admin/components/inputs.tsx'
import { ConfirmDialog, FormModal } from '#admin/components/modal.tsx'
import { useFocusAfterRemoval } from '#admin/components/page-heading.tsx'
import { formatAgo, formatDate } from '#admin/lib/format.ts'
import { ACTIVITY_ACTORS } from '#contract/activity.ts'
import {
  type CreatedOutcomeKey,
  OUTCOME_KEY_NAME_MAX_LENGTH,
  OUTCOME_KEY_PREFIX,
  type OutcomeKey,
  type OutcomeMode,
} from '#contract/outcomes.ts'
import { useMakeKey, useRevokeKey } from './api.ts'

interface KeysCardProps {
  keys: readonly OutcomeKey[]
  maxKeys: number
  /** A key that was made just now: the only time that it can be read. */
  made: CreatedOutcomeKey | null
  onMake: () => void
  onStored: () => void
}

/** The keys with which the customer's systems identify themselves. */
export function KeysCard({ keys, maxKeys, made, onMake, onStored }: KeysCardProps) {
  const revoke = useRevokeKey()
  const [leaving, setLeaving] = useState<OutcomeKey | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusAfterRemoval(keys.length, heading)
  const isFull = keys.length >= maxKeys
  return (
    <Card role="region" aria-labelledby="keys-heading">
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3 px-4 pt-4 pb-4 sm:px-5">
        <div className="min-w-0 flex-[1_1_16rem]">
          <h3
            ref={heading}
            id="keys-heading"
            tabIndex={-1}
            className="text-base tracking-tight focus:outline-0"
          >
            Chaves de API
          </h3>
          <p className="text-sm text-pretty text-text-2">
            {isFull
              ? `O limite é de ${maxKeys} chaves. Para criar outra, revogue uma que não é mais usada.`
              : 'Com elas o seu sistema se identifica. Cada uma aparece uma vez só, ao ser criada.'}
          </p>
        </div>
        {isFull ? null : (
          <Button look="outline" onClick={onMake} className="max-sm:w-full">
            <KeyRound aria-hidden="true" />
            Criar chave de API
          </Button>
        )}
      </header>
      {made === null ? null : <KeyOnce key={made.id} made={made} onStored={onStored} />}
      {keys.length === 0 ? (
        <p className="border-t border-line px-4 py-4 text-sm text-text-2 sm:px-5">Nenhuma chave ainda.</p>
      ) : (
        <ul aria-label="Chaves de API">
          {keys.map((key) => (
            <KeyItem key={key.id} outcomeKey={key} onRevoke={() => setLeaving(key)} />
          ))}
        </ul>
      )}
      {leaving === null ? null : (
        <ConfirmDialog
          title="Revogar esta chave?"
          description={`O sistema que usa "${leaving.name}" deixa de enviar resultados na mesma hora. Esta ação não pode ser desfeita.`}
          confirmLabel="Revogar"
          onCancel={() => setLeaving(null)}
          onConfirm={() => {
            revoke.mutate(leaving)
            if (made?.id === leaving.id) onStored()
            setLeaving(null)
          }}
        />
      )}
    </Card>
  )
}

/** The focus goes here: the key must be copied before anything else. */
function KeyOnce({ made, onStored }: { made: CreatedOutcomeKey; onStored: () => void }) {
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    box.current?.focus()
    box.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <section
      ref={box}
      tabIndex={-1}
      aria-label={`Chave nova: ${made.name}`}
      className="mx-4 mb-4 flex flex-wrap items-center gap-x-4 gap-y-3 rounded-1 bg-accent-3 px-4 py-4 focus:outline-0 sm:mx-5"
    >
      <div className="min-w-0 flex-[1_1_20rem]">
        <p>
          <strong>Copie a chave agora.</strong> Depois de fechar, ninguém consegue vê-la de novo.
        </p>
        <p className="mt-1 font-mono text-[0.9375rem] break-all select-all">{made.key}</p>
      </div>
      <div className="flex flex-wrap gap-3 max-sm:w-full max-sm:*:flex-1">
        <CopyButton text={made.key} label="Copiar chave" />
        <Button look="outline" onClick={onStored}>
          Já guardei
        </Button>
      </div>
    </section>
  )
}

function KeyItem({ outcomeKey, onRevoke }: { outcomeKey: OutcomeKey; onRevoke: () => void }) {
  const { name, mode, hint, created_at, created_by, last_used_at } = outcomeKey
  const by = ACTIVITY_ACTORS[created_by] ?? created_by
  const use = last_used_at === null ? 'ainda não usada' : `usada ${formatAgo(last_used_at, Date.now())}`
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-[1_1_16rem]">
        <p className="font-semibold wrap-anywhere">{name}</p>
        <p className="text-sm wrap-anywhere text-text-2">
          {`${mode === 'test' ? 'chave de teste, ' : ''}criada em ${formatDate(created_at)} por ${by}; ${use}`}
        </p>
      </div>
      <span className="font-mono text-[0.8125rem] text-text-2">{`${OUTCOME_KEY_PREFIX[mode]}…${hint}`}</span>
      <QuietButton aria-label={`Revogar: ${name}`} onClick={onRevoke} className="max-sm:ml-auto">
        Revogar
      </QuietButton>
    </li>
  )
}

const MEANINGS: Record<OutcomeMode, { label: string; meaning: string }> = {
  live: { label: 'Valendo', meaning: 'Os resultados contam.' },
  test: { label: 'Teste', meaning: 'As chamadas são conferidas e aparecem em "Teste". Nada conta.' },
}

interface KeyFormProps {
  mode: OutcomeMode
  onClose: () => void
  onMade: (key: CreatedOutcomeKey) => void
}

export function KeyForm({ mode: start, onClose, onMade }: KeyFormProps) {
  const make = useMakeKey()
  const [name, setName] = useState('')
  const [mode, setMode] = useState(start)
  const [error, setError] = useState<string | undefined>(undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return setError('Dê um nome à chave, como o do sistema que vai usá-la.')
    setError(undefined)
    make.mutate({ name: name.trim(), mode }, { onSuccess: onMade })
  }
  return (
    <FormModal
      title="Criar chave de API"
      width="md"
      dirty={name !== ''}
      onClose={onClose}
      action={make}
      failure="Não foi possível criar a chave."
      submit="Criar chave"
      submitting="Criando..."
      onSubmit={submit}
    >
      <Field label="Nome" hint="O sistema que vai usá-la, como Sistema de cadastro." error={error}>
        {(control) => (
          <Input
            {...control}
            data-autofocus
            autoComplete="off"
            maxLength={OUTCOME_KEY_NAME_MAX_LENGTH}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-[0.9375rem] font-semibold">Para que serve</legend>
        {(['live', 'test'] as const).map((each) => (
          <ChoiceCard
            key={each}
            name="mode"
            {...MEANINGS[each]}
            checked={mode === each}
            onChange={() => setMode(each)}
          />
        ))}
      </fieldset>
    </FormModal>
  )
}
