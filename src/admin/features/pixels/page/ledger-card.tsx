import { useState } from 'react'
import { Card } from '#admin/components/card.tsx'
import { LoadFailure } from '#admin/components/load-failure.tsx'
import { LedgerChart } from './ledger-chart.tsx'
import { longLabel, sumRows } from './ledger-series.ts'
import { LedgerTable } from './ledger-table.tsx'
import { LedgerTotal } from './ledger-total.tsx'
import { PERIODS, type Period, useLedger } from './read-ledger.ts'

const VIEWS = ['Gráfico', 'Tabela'] as const

/** What became of each visit: chart and sum, or all numbers. */
export function LedgerCard({ pixelId }: { pixelId: string }) {
  const [period, setPeriod] = useState<Period>(PERIODS[0])
  const [view, setView] = useState<(typeof VIEWS)[number]>('Gráfico')
  const [selected, setSelected] = useState<number | null>(null)
  const { data, isError, error, refetch } = useLedger(pixelId, period)
  const row = selected === null ? undefined : data?.rows[selected]
  return (
    <Card role="region" aria-labelledby="ledger-heading" aria-busy={data === undefined && !isError}>
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3 px-4 pt-4 pb-2 sm:px-5">
        <div className="min-w-0 flex-[1_1_16rem]">
          <h3 id="ledger-heading" className="text-base tracking-tight">
            Cada visita, contada
          </h3>
          <p className="text-sm text-pretty text-text-2">
            {period.step === 'hour' ? 'Por hora' : 'Por dia'}, no horário de Brasília. As parcelas sempre
            fecham com o total.
          </p>
        </div>
        <fieldset aria-label="Período" className="segment max-sm:w-full">
          {PERIODS.map((each) => (
            <button
              key={each.label}
              type="button"
              aria-pressed={each === period}
              onClick={() => {
                setPeriod(each)
                setSelected(null)
              }}
            >
              {each.label}
            </button>
          ))}
        </fieldset>
        <fieldset aria-label="Ver como" className="segment max-sm:w-full">
          {VIEWS.map((each) => (
            <button key={each} type="button" aria-pressed={each === view} onClick={() => setView(each)}>
              {each}
            </button>
          ))}
        </fieldset>
      </header>
      {data === undefined ? (
        isError ? (
          <LoadFailure
            error={error}
            fallback="Não deu para ler as visitas deste pixel."
            onRetry={() => void refetch()}
          />
        ) : (
          <div className="h-64" />
        )
      ) : view === 'Tabela' ? (
        <LedgerTable rows={data.rows} step={data.step} />
      ) : (
        <div className="@container px-4 pt-4 pb-5 sm:px-5">
          <div className="grid gap-x-10 gap-y-6 @min-[46rem]:grid-cols-[minmax(0,1fr)_18rem]">
            <LedgerChart rows={data.rows} step={data.step} selected={selected} onSelect={setSelected} />
            <LedgerTotal
              sum={sumRows(row === undefined ? data.rows : [row])}
              title={
                row === undefined
                  ? `Últim${data.step === 'hour' ? 'as' : 'os'} ${period.label}`
                  : longLabel(row, data.step)
              }
            />
          </div>
          <p className="pt-4 text-sm text-pretty text-text-2">
            Rodou: nada impediu a tag, e a saúde acima diz se alguém confirmou. Quem não escolheu, ou recusou
            em outra visita, não entra na conta.
          </p>
        </div>
      )}
    </Card>
  )
}
