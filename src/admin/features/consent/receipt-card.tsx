import { type FormEvent, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { Field } from '#admin/components/form.tsx'
import { Input } from '#admin/components/inputs.tsx'
import { toFailure } from '#admin/lib/api.ts'
import { formatMinute, formatNumber } from '#admin/lib/format.ts'
import {
  type ConsentProofRecord,
  type ConsentState,
  type FoundRecord,
  TAG_CATEGORY_LABELS,
} from '#contract/consent.ts'
import { describeFailure } from '#contract/error-messages.ts'
import { useFindReceipt } from './api.ts'

/** The beginning of a choice's id, or all of it; the server decides. */
const CODE = /^(?:[0-9a-f]{12}|[0-9a-f]{32})$/i

/** Finds a visitor's choice by its code. */
export function ReceiptCard() {
  const [code, setCode] = useState('')
  const [error, setError] = useState<string | undefined>(undefined)
  const find = useFindReceipt()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!CODE.test(code.replaceAll(/[\s-]/g, ''))) {
      find.reset()
      return setError('Digite os 12 caracteres do código, como 1A2B3C4D-5E6F.')
    }
    setError(undefined)
    if (!find.isPending) find.mutate(code)
  }
  const failure = find.isError
    ? describeFailure(toFailure(find.error), 'Não foi possível fazer a busca.')
    : undefined
  return (
    <Card role="region" aria-labelledby="receipt-heading">
      <div className="px-4 py-4 sm:px-5">
        <h3 id="receipt-heading" className="text-base tracking-tight">
          Buscar comprovante
        </h3>
        <p className="text-sm text-pretty text-text-2">
          Digite o código que a pessoa vê em "Preferências de cookies", no site. O registro não identifica
          ninguém.
        </p>
        <form noValidate onSubmit={submit} className="mt-4 flex flex-wrap items-start gap-3">
          <Field label="Código do comprovante" error={error ?? failure} className="flex-[1_1_12rem]">
            {(control) => (
              <Input
                {...control}
                autoComplete="off"
                autoCapitalize="characters"
                spellCheck={false}
                className="font-mono"
                value={code}
                onChange={(event) => setCode(event.target.value)}
              />
            )}
          </Field>
          <Button type="submit" className="min-h-12 max-sm:w-full sm:mt-7" aria-disabled={find.isPending}>
            {find.isPending ? 'Buscando...' : 'Buscar'}
          </Button>
        </form>
        <div aria-live="polite">
          {find.data === undefined ? null : find.data.length === 0 ? (
            <p className="mt-4 text-[0.9375rem]">
              Nenhum registro com este código. Confira o código: o registro também pode já ter sido apagado
              pelo prazo de guarda.
            </p>
          ) : (
            <ol className="mt-4 grid gap-5">
              {find.data.map((found) => (
                <li key={found.record.record_id}>
                  <FoundReceipt found={found} />
                </li>
              ))}
            </ol>
          )}
        </div>
      </div>
    </Card>
  )
}

const STATES: Record<ConsentState, string> = {
  accepted: 'Aceitou tudo',
  partial: 'Aceitou em parte',
  refused: 'Recusou',
}

/** One recorded choice. */
function FoundReceipt({ found: { record, leaf } }: { found: FoundRecord }) {
  const given = givenBy(record)
  const facts: [string, string][] = [
    [
      'Resposta',
      record.event === 'revoke' ? `${STATES[record.state]} (mudou a resposta)` : STATES[record.state],
    ],
    ...(record.state === 'partial' ? [['Categorias aceitas', given] as [string, string]] : []),
    ['Data e hora', formatMinute(record.recorded_at)],
    ['Aviso de cookies', `versão ${record.notice.version}`],
    ['Selo', leaf === null ? 'pendente, leva cerca de 1 minuto' : `nº ${formatNumber(leaf.seal)}`],
  ]
  return (
    <dl className="text-[0.9375rem]">
      {facts.map(([term, fact]) => (
        <div key={term} className="flex items-baseline gap-2.5 border-b border-line py-1.5">
          <dt>{term}</dt>
          <span aria-hidden="true" className="min-w-4 flex-1" />
          <dd className="text-right font-semibold">{fact}</dd>
        </div>
      ))}
    </dl>
  )
}

function givenBy({ purposes }: ConsentProofRecord): string {
  const names = purposes
    .filter(({ status }) => status === 'given')
    .map(({ purpose }) => TAG_CATEGORY_LABELS[purpose])
  return names.length === 0 ? 'nenhuma' : names.join(', ')
}
