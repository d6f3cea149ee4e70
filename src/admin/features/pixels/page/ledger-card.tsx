import { useState } from 'react'
import { BusyFigures } from '#admin/components/busy-figures.tsx'
import { Card } from '#admin/components/card.tsx'
import { ChartHead } from '#admin/components/chart-head.tsx'
import { LoadFailure } from '#admin/components/load-failure.tsx'
import { type ChartView, ChartViewSegment, Segment } from '#admin/components/segment.tsx'
import type { Pixel, PixelType } from '#contract/pixel.ts'
import { LedgerChart } from './ledger-chart.tsx'
import { copiesOf, longLabel, sumSet, VISITS } from './ledger-series.ts'
import { LedgerTable } from './ledger-table.tsx'
import { LedgerTotal } from './ledger-total.tsx'
import { PERIODS, type Period, useLedger } from './read-ledger.ts'

const COUNTED = ['visits', 'copies'] as const
const COUNTED_LABELS = { visits: 'Visitas', copies: 'Cópias do servidor' } as const

const ABOUT_VISITS =
  'Rodou: nada impediu a tag, e a saúde acima diz se alguém confirmou. Quem não escolheu, ou recusou em outra visita, não entra na conta.'
const ENDINGS =
  'Expirado: passou o prazo em que ainda podia ser enviado. Retido: o visitante retirou o consentimento antes do envio.'
const ABOUT_COPIES: Record<PixelType, string> = {
  meta: `Aceito e recusado são respostas da Meta. ${ENDINGS}`,
  google_analytics: `O Google não confirma o que recebe: enviado é o que saiu daqui. ${ENDINGS}`,
  google_tag_manager: ENDINGS,
  custom: `Aceito e recusado são respostas do seu webhook. ${ENDINGS}`,
}

/** What became of each visit, and of each copy that the server sends: chart and sum, or all numbers. */
export function LedgerCard({ pixel }: { pixel: Pick<Pixel, 'id' | 'type' | 'delivery'> }) {
  const [period, setPeriod] = useState<Period>(PERIODS[0])
  const [view, setView] = useState<ChartView>('chart')
  const [counted, setCounted] = useState<(typeof COUNTED)[number]>(
    pixel.delivery === 'server' ? 'copies' : 'visits',
  )
  const [selected, setSelected] = useState<number | null>(null)
  const { data, isError, error, refetch, isPlaceholderData } = useLedger(pixel.id, period)
  const hasCopies = data?.rows.some(({ events }) => events !== undefined) ?? false
  const isOfCopies = hasCopies && counted === 'copies'
  const set = isOfCopies ? copiesOf(pixel.type, data?.rows ?? []) : VISITS
  const row = selected === null ? undefined : data?.rows[selected]
  return (
    <Card
      role="region"
      aria-labelledby="ledger-heading"
      aria-busy={(data === undefined && !isError) || isPlaceholderData}
    >
      <ChartHead
        id="ledger-heading"
        title={isOfCopies ? 'Cada cópia do servidor, contada' : 'Cada visita, contada'}
        text={`${period.step === 'hour' ? 'Por hora' : 'Por dia'}, no horário de Brasília. As parcelas sempre fecham com o total.`}
      >
        {hasCopies ? (
          <Segment
            label="O que contar"
            options={COUNTED}
            current={counted}
            labelOf={(each) => COUNTED_LABELS[each]}
            onChange={setCounted}
          />
        ) : null}
        <Segment
          label="Período"
          options={PERIODS}
          current={period}
          labelOf={(each) => each.label}
          onChange={(each) => {
            setPeriod(each)
            setSelected(null)
          }}
        />
        <ChartViewSegment current={view} onChange={setView} />
      </ChartHead>
      <BusyFigures isOfBefore={isPlaceholderData} label={period.label}>
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
        ) : view === 'table' ? (
          <LedgerTable rows={data.rows} set={set} step={data.step} />
        ) : (
          <div className="@container px-4 pt-4 pb-5 sm:px-5">
            <div className="grid gap-x-10 gap-y-6 @min-[46rem]:grid-cols-[minmax(0,1fr)_18rem]">
              <LedgerChart
                rows={data.rows}
                set={set}
                step={data.step}
                selected={selected}
                onSelect={setSelected}
              />
              <LedgerTotal
                set={set}
                sum={sumSet(row === undefined ? data.rows : [row], set)}
                title={
                  row === undefined
                    ? `Últim${data.step === 'hour' ? 'as' : 'os'} ${period.label}`
                    : longLabel(row, data.step)
                }
              />
            </div>
            <p className="pt-4 text-sm text-pretty text-text-2">
              {isOfCopies ? ABOUT_COPIES[pixel.type] : ABOUT_VISITS}
            </p>
          </div>
        )}
      </BusyFigures>
    </Card>
  )
}
