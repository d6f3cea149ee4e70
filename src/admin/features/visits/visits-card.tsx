import { useState } from 'react'
import { QuietButton } from '#admin/components/button.tsx'
import { ChartCard, NumbersTable } from '#admin/components/chart-card.tsx'
import { HelpLink } from '#admin/components/help-link.tsx'
import { HowCounted } from '#admin/components/how-counted.tsx'
import { NoteNumber, StackedChart } from '#admin/components/stacked-chart.tsx'
import { EmailAddress } from '#admin/components/text.tsx'
import { cn } from '#admin/lib/cn.ts'
import {
  formatDate,
  formatDayMonth,
  formatHour,
  formatLongMonth,
  formatMonth,
  formatNumber,
  formatPerHundred,
  formatShortDay,
  formatTime,
  formatWeekday,
} from '#admin/lib/format.ts'
import { Link } from '#admin/lib/router.tsx'
import type { ActivityEvent } from '#contract/activity.ts'
import { HOUR_MS } from '#contract/durations.ts'
import { formatCount } from '#contract/format-count.ts'
import { siteDate } from '#contract/site.ts'
import { type Cell, FEW, type VisitPoint, type VisitReport, type VisitStep } from '#contract/visit-report.ts'
import {
  addDays,
  type DayRange,
  ENOUGH_FOR_RATE,
  formatCell,
  METRICS,
  type Metric,
  PERIODS,
  type Period,
  rangeBefore,
  useMetric,
  useTagChanges,
} from './api.ts'
import { VisitsFunnel } from './visits-funnel.tsx'

interface VisitsCardProps {
  report: VisitReport
  /** The period before; undefined while it is unknown. */
  before: VisitReport | undefined
  period: Period
  range: DayRange
  step: VisitStep
  /** The figures belong to another period or filter; the chosen one is loading. */
  isOfBefore: boolean
  onPeriod: (period: Period) => void
}

/** Four figures, which also choose what the chart shows, and the chart with notes or its numbers. */
export function VisitsCard(props: VisitsCardProps) {
  const { report, before, period, range, step, isOfBefore, onPeriod } = props
  const [metric, setMetric] = useMetric()
  const now = Date.now()
  const points = report.series.filter(({ at }) => Date.parse(at) <= now)
  const comparison = compare({ report, before, period, range, points, step })
  const valuesBefore = comparison.before?.series.slice(0, points.length).map(metric.of) ?? null
  const changes = useChanges(range, points)
  return (
    <ChartCard
      id="visits-heading"
      title={`Visitas ${STEP_WORDS[step]}`}
      text={describePeriod(period, range, comparison.isPossible, now) + describeStart(report.since, range)}
      more={
        <>
          <p>
            Contamos sem cookies e sem guardar quem veio. Com filtro, números de 1 a 4 aparecem como "{FEW}",
            para não descrever uma pessoa. Os dias seguem o horário de Brasília.
          </p>
          <HelpLink topic="visitas" inText />
        </>
      }
      periods={PERIODS}
      period={period}
      onPeriod={onPeriod}
      views={VIEWS}
      isOfBefore={isOfBefore}
    >
      {({ view, selected, onSelect }) => {
        const shown = selected === null ? undefined : points[selected]
        return (
          <>
            <ul className="grid grid-cols-2 border-y border-line lg:grid-cols-4">
              {METRICS.map((each) => (
                <Figure
                  key={each.id}
                  metric={each}
                  isChosen={each === metric}
                  onChoose={() => setMetric(each)}
                  report={report}
                  isOneDay={period.id === 'today'}
                  change={comparison.describe(each)}
                />
              ))}
            </ul>
            {view === 'table' ? (
              <VisitsTable
                points={points}
                report={report}
                step={step}
                metric={metric}
                before={valuesBefore}
              />
            ) : view === 'funnel' ? (
              <VisitsFunnel totals={report.totals} />
            ) : (
              <div className="px-4 pt-4 pb-5 sm:px-5">
                <div className="mb-4 flex min-h-5 flex-wrap gap-x-4 gap-y-1 text-[0.8125rem]/5 text-text-2">
                  <p aria-live="polite" className="mr-auto">
                    {shown === undefined
                      ? `${metric.label}, ${STEP_WORDS[step]}`
                      : describePoint(shown, step, report.since)}
                  </p>
                  {valuesBefore === null ? null : <Legend />}
                </div>
                <StackedChart
                  columns={points.map((point, index) => {
                    const value = metric.of(point)
                    return {
                      key: point.at,
                      short: shortLabel(point.at, step),
                      spoken: describePoint(point, step, report.since),
                      values: { count: value ?? undefined },
                      before: valuesBefore?.[index] ?? undefined,
                      isFew: value === null,
                      isUnknown: isBeforeCounting(point, step, report.since),
                      mark: changes.marks.get(index),
                    }
                  })}
                  series={SERIES}
                  label={`${metric.label}, ${STEP_WORDS[step]}`}
                  now={NOW_WORDS[step]}
                  selected={selected}
                  onSelect={onSelect}
                />
                <Changes {...changes} />
              </div>
            )}
          </>
        )
      }}
    </ChartCard>
  )
}

const VIEWS = ['chart', 'funnel', 'table'] as const

const SERIES = [{ key: 'count', label: 'Este período', colour: 'bar-all' }]

const STEP_WORDS = { hour: 'por hora', day: 'por dia', month: 'por mês' } as const

const NOW_WORDS = { hour: 'agora', day: 'hoje', month: 'este mês' } as const

function Legend() {
  return (
    <>
      {(
        [
          ['este período', 'bar-all'],
          ['período anterior', 'bar-refused'],
        ] as const
      ).map(([label, colour]) => (
        <span key={label} className="flex items-baseline gap-1.5">
          <span aria-hidden="true" className={`h-3 w-2.5 flex-none rounded-t-full ${colour}`} />
          {label}
        </span>
      ))}
    </>
  )
}

interface FigureProps {
  metric: Metric
  isChosen: boolean
  onChoose: () => void
  report: VisitReport
  isOneDay: boolean
  change: string
}

function Figure({ metric, isChosen, onChoose, report, isOneDay, change }: FigureProps) {
  const { totals } = report
  const value = metric.of(totals)
  return (
    <li className="relative border-line even:border-l max-lg:nth-[n+3]:border-t lg:not-first:border-l">
      <button
        type="button"
        aria-pressed={isChosen}
        onClick={onChoose}
        className={cn(
          'relative block h-full w-full px-3 py-3 text-left hover:bg-[#fafaf6] focus-visible:outline-offset-[-4px] sm:px-5',
          isChosen && 'after:absolute after:inset-x-0 after:bottom-0 after:border-b-[3px] after:border-ink',
        )}
      >
        <span className={cn('block pr-8 text-sm', isChosen ? 'font-semibold' : 'text-text-2')}>
          {metric.label}
        </span>
        <span
          className={cn(
            'block font-medium tracking-tight tabular-nums',
            value === null ? 'text-lg/9 sm:text-xl/9' : 'text-2xl/9 sm:text-3xl/9',
          )}
        >
          {formatCell(value)}
        </span>
        <span className="block text-[0.8125rem]/5">{describeUnder(metric, report, isOneDay)}</span>
        <span className="block text-[0.8125rem]/5 text-text-2">{change}</span>
      </button>
      <HowCounted name={metric.label} className="absolute top-0 right-0 sm:top-1.5 sm:right-1.5">
        {EXPLANATIONS[metric.id].map((text) => (
          <p key={text}>{text}</p>
        ))}
      </HowCounted>
    </li>
  )
}

const CLICKS =
  'Contamos o clique de todos, e dois cliques contam como dois. Para a Meta e as outras plataformas vão só os de quem aceitou Marketing.'

const EXPLANATIONS: Record<Metric['id'], readonly string[]> = {
  visits: [
    'Cada vinda ao site, com até 30 minutos de pausa.',
    'Contamos sem cookies e sem guardar quem veio, por isso entram também as pessoas que recusaram. Robôs conhecidos ficam de fora, e quem pede para não ser contado também.',
  ],
  visitors: [
    'A mesma pessoa no mesmo dia. No dia seguinte, ela conta de novo: por isso, em vários dias, os visitantes são somados dia a dia.',
  ],
  lead: [CLICKS],
  contact: [CLICKS, 'O botão abre o WhatsApp. O painel não sabe se a conversa começou.'],
}

function describeUnder({ id, of }: Metric, { totals }: VisitReport, isOneDay: boolean): string {
  const { visits, views } = totals
  if (id === 'visits')
    return views === null ? 'com estes filtros' : formatCount(views, 'página aberta', 'páginas abertas')
  if (id === 'visitors') return isOneDay ? 'pessoas diferentes no dia' : 'somados dia a dia'
  const clicks = of(totals)
  if (visits === null || clicks === null || visits === 0) return 'cliques de todas as visitas'
  return visits < ENOUGH_FOR_RATE
    ? `em ${formatCount(visits, 'visita', 'visitas')}`
    : `${formatPerHundred(clicks, visits)} por 100 visitas`
}

function isBeforeCounting({ at }: VisitPoint, step: VisitStep, since: string | null): boolean {
  if (since === null) return false
  const [point, start] = [siteDate(Date.parse(at)), siteDate(Date.parse(since))]
  if (step === 'month') return point.slice(0, 7) < start.slice(0, 7)
  return step === 'hour' ? Date.parse(at) + HOUR_MS <= Date.parse(since) : point < start
}

function describePoint(point: VisitPoint, step: VisitStep, since: string | null): string {
  const time = Date.parse(point.at)
  const when =
    step === 'month'
      ? formatLongMonth(time)
      : step === 'hour'
        ? `${formatWeekday(time)}, ${formatHour(time)}`
        : formatWeekday(time)
  if (isBeforeCounting(point, step, since)) return `${when}: não contado.`
  const parts = METRICS.map(({ of, one, many }) => {
    const cell = of(point)
    return cell === null ? `${FEW} ${many}` : formatCount(cell, one, many)
  })
  return `${when}: ${parts.join(', ')}.`
}

function shortLabel(at: string, step: VisitStep): string {
  if (step === 'month') return formatMonth(at)
  return step === 'hour' ? formatHour(at) : formatDayMonth(at)
}

/** "21/10 a 19/11, hoje até 14h20. Comparado com 16/09 a 15/10, nos mesmos dias da semana, sem contar hoje." */
function describePeriod(period: Period, range: DayRange, isCompared: boolean, now: number): string {
  const clock = formatTime(now)
  const day = (date: string) => formatShortDay(date)
  if (period.id === 'today')
    return `Hoje até ${clock}.${isCompared ? ' Comparado com ontem, só nas horas inteiras.' : ''}`
  if (period.id === 'year')
    return `De ${formatLongMonth(`${range.from}T12:00:00Z`)} a ${formatLongMonth(now)}, hoje até ${clock}.`
  const before = rangeBefore(range, period)
  return before === null || !isCompared
    ? `${day(range.from)} a ${day(range.to)}, hoje até ${clock}.`
    : `${day(range.from)} a ${day(range.to)}, hoje até ${clock}. Comparado com ${day(before.from)} a ${day(addDays(before.to, -1))}, nos mesmos dias da semana, sem contar hoje.`
}

/** Days before are unknown, not zero. */
function describeStart(since: string | null, { from }: DayRange): string {
  return since !== null && siteDate(Date.parse(since)) > from ? ` Contado desde ${formatSince(since)}.` : ''
}

interface Compared {
  report: VisitReport
  before: VisitReport | undefined
  period: Period
  range: DayRange
  points: readonly VisitPoint[]
  step: VisitStep
}

/** Changes in percent of fewer say nothing. */
const ENOUGH = 30

/** Whole hours or days are compared with the same ones before: the one that is still running is left out. */
function compare({ report, before, period, range, points, step }: Compared) {
  const earlier = rangeBefore(range, period)
  const isCounted =
    report.since !== null && earlier !== null && siteDate(Date.parse(report.since)) <= earlier.from
  const whole = points.length - 1
  const isPossible = isCounted && before !== undefined && whole > 0
  const describe = ({ of, none }: Metric): string => {
    if (!isCounted) return period.shift === null ? '' : 'sem período anterior'
    if (!isPossible) return ''
    const current = sum(points.slice(0, whole).map(of))
    const former = sum(before.series.slice(0, whole).map(of))
    if (current === null || former === null) return ''
    const until = step === 'hour' ? `até ${formatTime(points[whole]?.at ?? '')}` : 'até ontem'
    if (former === 0) return `${until}: antes, ${none}`
    const change = Math.round(((current - former) / former) * 100)
    return current < ENOUGH || former < ENOUGH
      ? `${until}: ${formatNumber(current)}, antes ${formatNumber(former)}`
      : `${until}: ${change > 0 ? '+' : ''}${formatNumber(change)}%, antes ${formatNumber(former)}`
  }
  return { isPossible, describe, before: isPossible ? before : null }
}

function formatTotal(total: number | null): string {
  return total === null ? 'não somado' : formatNumber(total)
}

/** Null if one of them is not known. */
function sum(cells: readonly Cell[]): number | null {
  return cells.reduce<number | null>(
    (total, cell) => (total === null || cell === null ? null : total + cell),
    0,
  )
}

interface VisitsTableProps {
  points: readonly VisitPoint[]
  report: VisitReport
  step: VisitStep
  metric: Metric
  before: readonly Cell[] | null
}

function VisitsTable({ points, report, step, metric, before }: VisitsTableProps) {
  const heads = METRICS.map(({ label }) => label)
  return (
    <NumbersTable
      head={{ hour: 'Hora', day: 'Dia', month: 'Mês' }[step]}
      columns={before === null ? heads : [...heads, `${metric.label} antes`]}
      rows={points.map((point, index) => ({
        key: point.at,
        name: { hour: formatHour, day: formatWeekday, month: formatLongMonth }[step](point.at),
        cells: isBeforeCounting(point, step, report.since)
          ? METRICS.map(() => 'não contado')
          : [
              ...METRICS.map(({ of }) => formatCell(of(point))),
              ...(before === null ? [] : [formatCell(before[index] ?? null)]),
            ],
      }))}
      total={[
        ...METRICS.map(({ of }) => formatCell(of(report.totals))),
        ...(before === null ? [] : [formatTotal(sum(before))]),
      ]}
      lastIsSum={false}
    />
  )
}

interface NumberedChange {
  event: ActivityEvent
  number: number
}

interface ChangesProps {
  /** Newest first. */
  changes: readonly NumberedChange[]
  /** Earlier ones of the period are not loaded. */
  isCut: boolean
}

/** Marks fit side by side on a phone. */
const MAX_MARKS = 12

/** Changes of tags in the period, and the columns that they mark. Those of neighbouring columns share a number. */
function useChanges(
  { from }: DayRange,
  points: readonly VisitPoint[],
): ChangesProps & { marks: ReadonlyMap<number, number> } {
  const { data } = useTagChanges()
  const events = (data?.events ?? []).filter(({ at }) => siteDate(Date.parse(at)) >= from)
  const gap = Math.ceil(points.length / MAX_MARKS)
  const marks = new Map<number, number>()
  let last = Number.NEGATIVE_INFINITY
  const numbered = events.toReversed().map((event): NumberedChange => {
    const index = Math.max(
      0,
      points.findLastIndex(({ at }) => Date.parse(at) <= Date.parse(event.at)),
    )
    if (index - last >= gap) {
      last = index
      marks.set(index, marks.size + 1)
    }
    return { event, number: marks.size }
  })
  const isCut = data !== undefined && data.next !== null && events.length === data.events.length
  return { marks, changes: numbered.toReversed(), isCut }
}

const FIRST_CHANGES = 6

function Changes({ changes, isCut }: ChangesProps) {
  const [isOpen, setOpen] = useState(false)
  if (changes.length === 0) return null
  const shown = isOpen ? changes : changes.slice(0, FIRST_CHANGES)
  const left = changes.length - shown.length
  return (
    <section aria-labelledby="changes-heading" className="mt-4 border-t border-line pt-4">
      <h4 id="changes-heading" className="text-sm font-semibold">
        O que mudou nas tags
      </h4>
      <ul className="mt-2 grid gap-x-6 gap-y-2 lg:grid-cols-2">
        {shown.map(({ event, number }) => (
          <li key={event.id} className="flex gap-2.5 text-sm">
            <NoteNumber number={number} className="flex-none" />
            <p className="min-w-0 wrap-anywhere">
              <time dateTime={event.at} className="text-text-2 tabular-nums">
                {`${formatDayMonth(event.at)}, ${formatTime(event.at)}`}
              </time>{' '}
              <EmailAddress value={event.by} /> {event.text}
            </p>
          </li>
        ))}
      </ul>
      <p className="mt-1 flex flex-wrap gap-x-4">
        {left > 0 ? (
          <QuietButton className="mx-0 px-0" onClick={() => setOpen(true)}>{`Ver mais ${left}`}</QuietButton>
        ) : null}
        {isCut && left === 0 ? (
          <Link href="/admin/atividade?tipo=pixels" className="quiet-link mx-0 px-0">
            Ver as mudanças mais antigas em Atividade
          </Link>
        ) : null}
      </p>
    </section>
  )
}

/** "12/02/2026, depois das 14h10": only the ten minutes are known in which counting began. */
export function formatSince(since: string): string {
  const time = formatTime(since)
  return `${formatDate(since)}, depois ${/^[01]h/.test(time) ? 'da' : 'das'} ${time}`
}
