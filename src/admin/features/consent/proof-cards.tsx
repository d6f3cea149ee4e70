import { FileText } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { Field } from '#admin/components/form.tsx'
import { Input } from '#admin/components/inputs.tsx'
import { MessageBox } from '#admin/components/message.tsx'
import { SaibaMais } from '#admin/components/saiba-mais.tsx'
import { formatMinute, formatNumber } from '#admin/lib/format.ts'
import { useServices } from '#admin/lib/services.tsx'
import { CHECKPOINT_WAITING_MAX, CONSENT_MAX_DAYS, type ConsentOverview } from '#contract/consent.ts'
import { DAY_MS, MINUTE_MS } from '#contract/durations.ts'
import { siteDate } from '#contract/site.ts'
import { useSaveDossier, useSaveRecords } from './api.ts'

/** The dossier for an auditor. */
export function DossierCard({ start }: { start: { from: string; to: string } }) {
  const [{ from, to }, setRange] = useState(start)
  const [error, setError] = useState<string | undefined>(undefined)
  const save = useSaveDossier()
  const saveRecords = useSaveRecords()
  const isBusy = save.isPending || saveRecords.isPending
  const whenSound = (act: () => void) => {
    const fault = findFault(from, to)
    setError(fault)
    if (fault === undefined && !isBusy) act()
  }
  const make = (format: 'html' | 'json') => whenSound(() => save.mutate({ from, to, format }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make('html')
  }
  return (
    <Card role="region" aria-labelledby="dossier-heading">
      <form noValidate onSubmit={submit} className="px-4 py-4 sm:px-5">
        <h3 id="dossier-heading" className="text-base tracking-tight">
          Dossiê para auditoria
        </h3>
        <p className="text-sm text-pretty text-text-2">
          Reúne em um arquivo os números, os avisos e as tags do período, com as provas de integridade. Não
          identifica visitantes.
        </p>
        <SaibaMais about="sobre o dossiê" topic="dossiê para auditoria">
          <p>Traz também os domínios, os selos e o passo a passo para conferir.</p>
          <p>
            Com os registros, a auditoria pode conferir tudo por conta própria, com o comando{' '}
            <span className="font-mono wrap-anywhere">npm run evidence -- verify</span>.
          </p>
        </SaibaMais>
        <div className="mt-4 grid gap-3 min-[420px]:grid-cols-2">
          <Field label="De" error={error}>
            {(control) => (
              <Input
                {...control}
                type="date"
                required
                max={siteDate(Date.now())}
                value={from}
                onChange={(event) => setRange({ from: event.target.value, to })}
              />
            )}
          </Field>
          <Field label="Até">
            {(control) => (
              <Input
                {...control}
                type="date"
                required
                max={siteDate(Date.now())}
                value={to}
                onChange={(event) => setRange({ from, to: event.target.value })}
              />
            )}
          </Field>
        </div>
        <div className="mt-4 flex flex-wrap gap-3">
          <Button type="submit" aria-disabled={isBusy} className="max-sm:w-full">
            <FileText aria-hidden="true" />
            {save.isPending ? 'Gerando...' : 'Gerar dossiê'}
          </Button>
          <Button
            look="outline"
            aria-disabled={isBusy}
            className="max-sm:w-full"
            onClick={() => make('json')}
          >
            Baixar em JSON
          </Button>
          <Button
            look="outline"
            aria-disabled={isBusy}
            className="max-sm:w-full"
            onClick={() => whenSound(() => saveRecords.mutate({ from, to }))}
          >
            Baixar registros
          </Button>
        </div>
      </form>
    </Card>
  )
}

function findFault(from: string, to: string): string | undefined {
  if (from === '' || to === '') return 'Escolha a data inicial e a data final.'
  if (from > to) return 'A data inicial precisa ser anterior à final.'
  if (from > siteDate(Date.now())) return 'A data inicial está no futuro. Escolha hoje ou uma data anterior.'
  if ((Date.parse(to) - Date.parse(from)) / DAY_MS >= CONSENT_MAX_DAYS)
    return `Escolha um período de até ${CONSENT_MAX_DAYS} dias.`
  return undefined
}

const CHECKPOINTS_ADDRESS = '/.well-known/portico-seals'

/** Checkpoints are made once a minute; after this time something is wrong. */
const LATE_MS = 5 * MINUTE_MS

/** Whether records have their checkpoints, and where to see them. */
export function CheckpointsCard({ seals, recent }: Pick<ConsentOverview, 'seals' | 'recent'>) {
  const { boot } = useServices()
  const { last, waiting, oldest_waiting_at } = seals
  const isLate = oldest_waiting_at !== null && Date.now() - Date.parse(oldest_waiting_at) > LATE_MS
  return (
    <Card role="region" aria-labelledby="seals-heading">
      <div className="px-4 py-4 sm:px-5">
        <h3 id="seals-heading" className="text-base tracking-tight">
          Selos de integridade
        </h3>
        <p className="text-sm text-pretty text-text-2">
          O selo é um código de verificação, publicado e ligado ao anterior, que prova que as respostas não
          foram alteradas.
        </p>
        <SaibaMais about="sobre os selos" topic="selo">
          <p>
            A cada minuto com respostas, geramos um selo ligado ao anterior. Se um registro for alterado,
            apagado ou trocado de lugar, a conferência acusa.
          </p>
        </SaibaMais>
        {last === null ? (
          <p className="mt-4 text-[0.9375rem]">
            {waiting === 0
              ? 'O primeiro selo aparece depois da primeira resposta ao aviso.'
              : 'O primeiro selo fica pronto em cerca de 1 minuto.'}
          </p>
        ) : (
          <>
            {/* Newest first and reversed: where there is no space, the oldest are cut. */}
            <div
              aria-hidden="true"
              className="mt-4 flex w-fit max-w-full flex-row-reverse items-end overflow-hidden"
            >
              {recent.map(({ sequence }, age) => (
                <span key={sequence} className="flex flex-none items-end">
                  {age === recent.length - 1 ? null : <span className="mb-2 h-px w-3 bg-ink" />}
                  <span
                    className={`h-6 w-5 rounded-t-full border-[1.5px] border-ink ${age === 0 ? 'bg-accent' : ''}`}
                  />
                </span>
              ))}
            </div>
            <dl className="mt-3 text-[0.9375rem]">
              <Fact
                term="Último selo"
                fact={`nº ${formatNumber(last.sequence)}, ${formatMinute(last.sealed_at)}`}
              />
              <Fact term="Respostas com selo" fact={formatNumber(last.tree_size)} />
              <Fact
                term="Respostas aguardando selo"
                fact={
                  waiting >= CHECKPOINT_WAITING_MAX
                    ? `${formatNumber(waiting)} ou mais`
                    : formatNumber(waiting)
                }
              />
            </dl>
            <p className="mt-3 font-mono text-xs wrap-anywhere text-text-2">{last.hash}</p>
          </>
        )}
        {isLate ? (
          <div className="mt-3">
            <MessageBox
              look="warn"
              advice="Nenhuma resposta se perde. Peça à equipe de TI para verificar os logs do servidor."
            >
              {`Os selos estão atrasados desde ${formatMinute(oldest_waiting_at)}.`}
            </MessageBox>
          </div>
        ) : null}
        <p className="mt-3 text-sm text-pretty text-text-2">
          Os selos são públicos, e qualquer pessoa pode conferir:{' '}
          <a
            href={boot.siteUrl + CHECKPOINTS_ADDRESS}
            target="_blank"
            rel="noreferrer"
            className="font-mono wrap-anywhere underline underline-offset-4"
          >
            {CHECKPOINTS_ADDRESS}
          </a>
        </p>
      </div>
    </Card>
  )
}

function Fact({ term, fact }: { term: string; fact: string }) {
  return (
    <div className="flex items-baseline gap-2.5 border-b border-line py-1.5">
      <dt>{term}</dt>
      <span aria-hidden="true" className="min-w-4 flex-1" />
      <dd className="text-right font-semibold tabular-nums">{fact}</dd>
    </div>
  )
}
