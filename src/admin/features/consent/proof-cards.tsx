import { FileText } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { Field } from '#admin/components/form.tsx'
import { Input } from '#admin/components/inputs.tsx'
import { MessageBox } from '#admin/components/message.tsx'
import { formatMinute, formatNumber } from '#admin/lib/format.ts'
import { useServices } from '#admin/lib/services.tsx'
import { CONSENT_MAX_DAYS, type ConsentOverview, SEAL_WAITING_MAX } from '#contract/consent.ts'
import { siteDate } from '#contract/site.ts'
import { useSaveDossier, useSaveRecords } from './api.ts'

const DAY_MS = 86_400_000

/** What an auditor gets for a period. */
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
          Dossiê
        </h3>
        <p className="text-sm text-pretty text-text-2">
          Um arquivo só, que se lê e se imprime: números, avisos, tags no site em cada data, endereços, selos
          e como conferir. Nenhum visitante é identificado.
        </p>
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
            {save.isPending ? 'Gerando' : 'Gerar dossiê'}
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
            Baixar os registros
          </Button>
        </div>
        <p className="mt-3 text-sm text-pretty text-text-2">
          Os registros são o que um auditor confere sem confiar em nós, com{' '}
          <span className="font-mono wrap-anywhere">npm run evidence -- verify</span>.
        </p>
      </form>
    </Card>
  )
}

function findFault(from: string, to: string): string | undefined {
  if (from === '' || to === '') return 'Escolha as duas datas.'
  if (from > to) return 'O início precisa vir antes do fim.'
  if (from > siteDate(Date.now())) return 'O período ainda não começou.'
  if ((Date.parse(to) - Date.parse(from)) / DAY_MS >= CONSENT_MAX_DAYS)
    return `O período pode ter até ${CONSENT_MAX_DAYS} dias.`
  return undefined
}

const SEALS_ADDRESS = '/.well-known/portico-seals'

/** Seals come once a minute; past this, something keeps them back. */
const LATE_MS = 5 * 60_000

/** Whether records have their checkpoints, and where anybody can look at them. */
export function CheckpointsCard({ seals, recent }: Pick<ConsentOverview, 'seals' | 'recent'>) {
  const { boot } = useServices()
  const { last, waiting, oldest_waiting_at } = seals
  const isLate = oldest_waiting_at !== null && Date.now() - Date.parse(oldest_waiting_at) > LATE_MS
  return (
    <Card role="region" aria-labelledby="seals-heading">
      <div className="px-4 py-4 sm:px-5">
        <h3 id="seals-heading" className="text-base tracking-tight">
          Selos
        </h3>
        <p className="text-sm text-pretty text-text-2">
          A cada minuto com escolhas, um selo preso ao anterior. Mudar, tirar ou trocar um registro de lugar
          deixa de combinar com eles.
        </p>
        {last === null ? (
          <p className="mt-4 text-[0.9375rem]">
            {waiting === 0
              ? 'Ainda não há escolhas para selar.'
              : 'O primeiro selo vem em cerca de um minuto.'}
          </p>
        ) : (
          <>
            <div aria-hidden="true" className="mt-4 flex items-end overflow-hidden">
              {recent.toReversed().map(({ sequence }, index) => (
                <span key={sequence} className="flex flex-none items-end">
                  {index === 0 ? null : <span className="mb-2 h-px w-3 bg-ink" />}
                  <span
                    className={`h-6 w-5 rounded-t-full border-[1.5px] border-ink ${index === recent.length - 1 ? 'bg-accent' : ''}`}
                  />
                </span>
              ))}
            </div>
            <dl className="mt-3 text-[0.9375rem]">
              <Fact
                term="Último selo"
                fact={`nº ${formatNumber(last.sequence)}, ${formatMinute(last.sealed_at)}`}
              />
              <Fact term="Escolhas sob selo" fact={formatNumber(last.tree_size)} />
              <Fact
                term="Aguardando o próximo"
                fact={
                  waiting >= SEAL_WAITING_MAX ? `${formatNumber(waiting)} ou mais` : formatNumber(waiting)
                }
              />
            </dl>
            <p className="mt-3 font-mono text-xs wrap-anywhere text-text-2">{last.hash}</p>
          </>
        )}
        {isLate ? (
          <div className="mt-3">
            <MessageBox look="warn" advice="Veja o registro do servidor; nada se perde enquanto isso.">
              {`Há escolhas sem selo desde ${formatMinute(oldest_waiting_at)}.`}
            </MessageBox>
          </div>
        ) : null}
        <p className="mt-3 text-sm text-pretty text-text-2">
          Públicos em{' '}
          <a
            href={boot.siteUrl + SEALS_ADDRESS}
            target="_blank"
            rel="noreferrer"
            className="font-mono wrap-anywhere underline underline-offset-4"
          >
            {SEALS_ADDRESS}
          </a>
          . Qualquer pessoa confere sem falar conosco.
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
