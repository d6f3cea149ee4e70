import { ChartCard, NumbersTable, Segment } from '#admin/components/chart-card.tsx'
import { QueryView } from '#admin/components/query-view.tsx'
import { StackedChart } from '#admin/components/stacked-chart.tsx'
import { formatNumber } from '#admin/lib/format.ts'
import { useFilter } from '#admin/lib/router.tsx'
import { formatShare } from '#contract/format-count.ts'
import type { Pixel, PixelType } from '#contract/pixel.ts'
import type { LedgerRow, LedgerStep } from '#contract/visit-results.ts'
import { PERIODS, useVisitPeriod, useVisitResults } from './api.ts'
import {
  copiesOf,
  longLabel,
  type ResultSet,
  type SetSum,
  shortLabel,
  sumSet,
  VISITS,
} from './visit-series.ts'

const COUNTED = ['visits', 'copies'] as const

const COUNTED_WORDS = { visits: 'visitas', copies: 'servidor' } as const

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
export function VisitResultsCard({ pixel }: { pixel: Pick<Pixel, 'id' | 'type' | 'delivery'> }) {
  const [period, setPeriod] = useVisitPeriod()
  const [counted, setCounted] = useFilter(
    'contar',
    COUNTED_WORDS,
    pixel.delivery === 'server' ? 'copies' : 'visits',
  )
  const results = useVisitResults(pixel.id, period)
  const { data, isPending, isPlaceholderData } = results
  const hasCopies = data?.rows.some(({ events }) => events !== undefined) ?? false
  const isOfCopies = hasCopies && counted === 'copies'
  const set = isOfCopies ? copiesOf(pixel.type, data?.rows ?? []) : VISITS
  return (
    <ChartCard
      id="visits-heading"
      title={isOfCopies ? 'Cada cópia do servidor, contada' : 'Cada visita, contada'}
      text={`${period.step === 'hour' ? 'Por hora' : 'Por dia'}, no horário de Brasília. As parcelas sempre fecham com o total.`}
      periods={PERIODS}
      period={period}
      onPeriod={setPeriod}
      choice={
        hasCopies ? (
          <Segment
            label="O que contar"
            options={COUNTED}
            current={counted}
            labelOf={(each) => COUNTED_LABELS[each]}
            onChange={setCounted}
          />
        ) : null
      }
      isLoading={isPending}
      isOfBefore={isPlaceholderData}
    >
      {({ view, selected, onSelect }) => (
        <QueryView
          query={results}
          failure="Não deu para ler as visitas deste pixel."
          loading={<div className="h-64" />}
        >
          {({ rows, step }) => {
            if (view === 'table') return <VisitResultsTable rows={rows} set={set} step={step} />
            const row = selected === null ? undefined : rows[selected]
            return (
              <div className="@container px-4 pt-4 pb-5 sm:px-5">
                <div className="grid gap-x-10 gap-y-6 @min-[46rem]:grid-cols-[minmax(0,1fr)_18rem]">
                  <VisitResultsChart
                    rows={rows}
                    set={set}
                    step={step}
                    selected={selected}
                    onSelect={onSelect}
                  />
                  <VisitResultsTotal
                    set={set}
                    sum={sumSet(row === undefined ? rows : [row], set)}
                    title={
                      row === undefined
                        ? `Últim${step === 'hour' ? 'as' : 'os'} ${period.label}`
                        : longLabel(row, step)
                    }
                  />
                </div>
                <p className="pt-4 text-sm text-pretty text-text-2">
                  {isOfCopies ? ABOUT_COPIES[pixel.type] : ABOUT_VISITS}
                </p>
              </div>
            )
          }}
        </QueryView>
      )}
    </ChartCard>
  )
}

interface LedgerChartProps {
  rows: readonly LedgerRow[]
  set: ResultSet
  step: LedgerStep
  selected: number | null
  onSelect: (index: number | null) => void
}

/** Visits, or the server's copies, by hour or day. */
function VisitResultsChart({ rows, set, step, selected, onSelect }: LedgerChartProps) {
  return (
    <StackedChart
      columns={rows.map((row) => ({
        key: row.from,
        short: shortLabel(row, step),
        spoken: describeRow(row, set, step),
        values: Object.fromEntries(set.series.map(({ key }) => [key, row[key]])),
      }))}
      series={set.series}
      label={set.chartLabel[step]}
      now={step === 'hour' ? 'agora' : 'hoje'}
      selected={selected}
      onSelect={onSelect}
    />
  )
}

/** One column, for whoever hears it. */
function describeRow(row: LedgerRow, { series, total, totalLabel }: ResultSet, step: LedgerStep): string {
  const parts = series
    .map(({ key, label }) =>
      row[key] === undefined ? `${label}: não medido` : `${label}: ${formatNumber(row[key])}`,
    )
    .reverse()
  const count = row[total]
  const whole = count === undefined ? '' : `${formatNumber(count)} ${totalLabel.toLowerCase()}. `
  return `${longLabel(row, step)}. ${whole}${parts.join(', ')}.`
}

interface LedgerTableProps {
  rows: readonly LedgerRow[]
  set: ResultSet
  step: LedgerStep
}

function VisitResultsTable({ rows, set, step }: LedgerTableProps) {
  const columns = set.series.toReversed()
  const sum = sumSet(rows, set)
  return (
    <NumbersTable
      head={step === 'hour' ? 'Hora' : 'Dia'}
      columns={[...columns.map(({ label }) => label), set.totalLabel]}
      rows={rows.map((row) => ({
        key: row.from,
        name: longLabel(row, step),
        cells: [...columns.map(({ key }) => row[key]), row[set.total]].map(format),
      }))}
      total={[...columns.map(({ key }) => sum.parts[key]), sum.total].map(format)}
    />
  )
}

function format(count: number | null | undefined): string {
  return count === null || count === undefined ? 'não medido' : formatNumber(count)
}

/** The legend, which is the sum: what each part is and what they come to, of the whole period or of one column. */
function VisitResultsTotal({ set, sum, title }: { set: ResultSet; sum: SetSum; title: string }) {
  const { parts, total } = sum
  return (
    <div className="text-[0.9375rem]">
      <p className="pb-2 text-sm text-text-2 first-letter:uppercase">{title}</p>
      <dl>
        {set.series.map(({ key, label, colour }) => (
          <div key={key} className="flex items-baseline gap-2.5 py-1.5">
            <dt className="flex items-baseline gap-2.5 whitespace-nowrap">
              <span aria-hidden="true" className={`h-3 w-2.5 rounded-t-full ${colour}`} />
              {label}
            </dt>
            <span
              aria-hidden="true"
              className="min-w-4 flex-1 -translate-y-1 border-b border-dotted border-line-2"
            />
            <dd className="font-semibold whitespace-nowrap tabular-nums">{format(parts[key])}</dd>
            {total === null ? null : (
              <dd className="w-11 text-right text-sm text-text-2 tabular-nums">{share(parts[key], total)}</dd>
            )}
          </div>
        ))}
        <div className="mt-1 flex items-baseline gap-2.5 border-t-2 border-b-4 border-double border-ink py-2 font-semibold">
          <dt className="whitespace-nowrap">{set.totalLabel}</dt>
          <span aria-hidden="true" className="flex-1" />
          <dd className="whitespace-nowrap tabular-nums">{format(total)}</dd>
          {total === null ? null : <span aria-hidden="true" className="w-11" />}
        </div>
      </dl>
      {total === null && set.needsAll ? (
        <p className="pt-2 text-sm text-text-2">
          Recusas não eram contadas em parte deste período, então não há total.
        </p>
      ) : null}
    </div>
  )
}

/** Of the whole; nothing where there is none. */
function share(count: number | null | undefined, total: number): string {
  return count === null || count === undefined ? '' : formatShare(count, total)
}
