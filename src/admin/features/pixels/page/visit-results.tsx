import { ChartCard, NumbersTable, Segment } from '#admin/components/chart-card.tsx'
import { QueryView } from '#admin/components/query-view.tsx'
import { SaibaMais } from '#admin/components/saiba-mais.tsx'
import { StackedChart } from '#admin/components/stacked-chart.tsx'
import { formatNumber } from '#admin/lib/format.ts'
import { useFilter } from '#admin/lib/router.tsx'
import type { ServedDestination } from '#contract/conversions.ts'
import { formatShares } from '#contract/format-count.ts'
import type { Pixel, PixelType } from '#contract/pixel.ts'
import type { VisitResultRow, VisitResultStep } from '#contract/visit-results.ts'
import { useDestinationOf, vendorOf } from '../destinations.ts'
import { answererOf } from '../sending.ts'
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

const COUNTED_LABELS = { visits: 'Visitas', copies: 'Envios pelo servidor' } as const

/** What the words of the legend mean: in sight, and behind "Saiba mais". */
interface About {
  text: string
  more: string
}

const ABOUT_VISITS: About = {
  text: '"Rodou" significa que a tag executou sem erro. A confirmação da plataforma aparece no topo da página.',
  more: 'Visitas sem resposta ao aviso, ou que recusaram em uma visita anterior, não entram na conta.',
}

const ENDINGS =
  '"Expirado" passou do prazo de envio. "Não enviado" é de quem retirou o consentimento antes do envio, ou de um evento que você desligou.'

/** Whose answers the results are, or that there are none yet; nothing until the destination is known. */
function aboutCopies(type: PixelType, destination: ServedDestination | undefined): About {
  if (destination === undefined) return { text: '', more: ENDINGS }
  const { Who, ofWho } = answererOf(type, vendorOf(type, destination))
  if (destination.confirms_later)
    return { text: `${Who} só confirma depois: "Enviado" conta o que saiu do nosso servidor.`, more: ENDINGS }
  if (type === 'google_analytics')
    return {
      text: `${Who} não confirma o recebimento: "Enviado" conta o que saiu do nosso servidor.`,
      more: ENDINGS,
    }
  return { text: `"Aceito" e "Recusado" são respostas ${ofWho}.`, more: ENDINGS }
}

/** Results of visits, and of events sent by the server: chart with totals, or table. */
export function VisitResultsCard({
  pixel,
}: {
  pixel: Pick<Pixel, 'id' | 'type' | 'delivery' | 'destination'>
}) {
  const [period, setPeriod] = useVisitPeriod()
  const [counted, setCounted] = useFilter(
    'contar',
    COUNTED_WORDS,
    pixel.delivery === 'server' ? 'copies' : 'visits',
  )
  const destination = useDestinationOf(pixel)
  const results = useVisitResults(pixel.id, period)
  const { data, isPending, isPlaceholderData } = results
  const hasCopies = data?.rows.some(({ events }) => events !== undefined) ?? false
  const isOfCopies = hasCopies && counted === 'copies'
  const set = isOfCopies ? copiesOf(pixel.type, data?.rows ?? []) : VISITS
  const about = isOfCopies ? aboutCopies(pixel.type, destination) : ABOUT_VISITS
  return (
    <ChartCard
      id="visits-heading"
      title={isOfCopies ? 'Envios pelo servidor por resultado' : 'Visitas por resultado'}
      text={`${period.step === 'hour' ? 'Por hora' : 'Por dia'}, no horário de Brasília.`}
      periods={PERIODS}
      period={period}
      onPeriod={setPeriod}
      choice={
        hasCopies ? (
          <Segment
            label="O que mostrar"
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
          failure="Não foi possível carregar as visitas deste pixel."
          loading={<div className="h-64" />}
        >
          {({ rows, step }) => {
            if (view === 'table') return <VisitResultsTable rows={rows} set={set} step={step} />
            const row = selected === null ? undefined : rows[selected]
            return (
              <div className="@container px-4 pt-4 pb-5 sm:px-5">
                <div className="grid grid-cols-1 gap-x-10 gap-y-6 @min-[46rem]:grid-cols-[minmax(0,1fr)_18rem]">
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
                <p className="pt-4 text-sm text-pretty text-text-2">{about.text}</p>
                <SaibaMais about="sobre os resultados">
                  <p>{about.more}</p>
                </SaibaMais>
              </div>
            )
          }}
        </QueryView>
      )}
    </ChartCard>
  )
}

interface VisitResultsChartProps {
  rows: readonly VisitResultRow[]
  set: ResultSet
  step: VisitResultStep
  selected: number | null
  onSelect: (index: number | null) => void
}

/** Visits, or events sent by the server, by hour or day. */
function VisitResultsChart({ rows, set, step, selected, onSelect }: VisitResultsChartProps) {
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

/** One column for screen readers. */
function describeRow(
  row: VisitResultRow,
  { series, total, totalLabel }: ResultSet,
  step: VisitResultStep,
): string {
  const parts = series
    .map(({ key, label }) =>
      row[key] === undefined ? `${label}: sem dados` : `${label}: ${formatNumber(row[key])}`,
    )
    .reverse()
  const count = row[total]
  const whole = count === undefined ? '' : `${totalLabel}: ${formatNumber(count)}. `
  return `${longLabel(row, step)}. ${whole}${parts.join(', ')}.`
}

interface VisitResultsTableProps {
  rows: readonly VisitResultRow[]
  set: ResultSet
  step: VisitResultStep
}

function VisitResultsTable({ rows, set, step }: VisitResultsTableProps) {
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
  return count === null || count === undefined ? 'sem dados' : formatNumber(count)
}

/** The legend with totals, of the period or of one column. */
function VisitResultsTotal({ set, sum, title }: { set: ResultSet; sum: SetSum; title: string }) {
  const { parts, total } = sum
  const counted = set.series.filter(({ key }) => typeof parts[key] === 'number')
  const shares =
    total === null
      ? []
      : formatShares(
          counted.map(({ key }) => parts[key] ?? 0),
          total,
        )
  return (
    <div className="text-[0.9375rem]">
      <p className="pb-2 text-sm text-text-2 first-letter:uppercase">{title}</p>
      <dl>
        {set.series.map(({ key, label, colour }) => (
          <div key={key} className="flex items-baseline gap-2.5 py-1.5">
            <dt className="flex min-w-0 items-baseline gap-2.5">
              <span aria-hidden="true" className={`h-3 w-2.5 flex-none rounded-t-full ${colour}`} />
              {label}
            </dt>
            <span
              aria-hidden="true"
              className="min-w-4 flex-1 -translate-y-1 border-b border-dotted border-line-2"
            />
            <dd className="font-semibold whitespace-nowrap tabular-nums">{format(parts[key])}</dd>
            {total === null ? null : (
              <dd className="w-[5.5rem] text-right text-sm text-text-2 tabular-nums">
                {shares[counted.findIndex((each) => each.key === key)]}
              </dd>
            )}
          </div>
        ))}
        <div className="mt-1 flex items-baseline gap-2.5 border-t-2 border-b-4 border-double border-ink py-2 font-semibold">
          <dt className="whitespace-nowrap">{set.totalLabel}</dt>
          <span aria-hidden="true" className="flex-1" />
          <dd className="whitespace-nowrap tabular-nums">{format(total)}</dd>
          {total === null ? null : <span aria-hidden="true" className="w-[5.5rem]" />}
        </div>
      </dl>
      {total === null && set.needsAll ? (
        <p className="pt-2 text-sm text-text-2">
          Sem total: em parte deste período, ainda não contávamos as recusas.
        </p>
      ) : null}
    </div>
  )
}
