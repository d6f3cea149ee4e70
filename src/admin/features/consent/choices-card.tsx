import { ChartCard, NumbersTable } from '#admin/components/chart-card.tsx'
import { StackedChart } from '#admin/components/stacked-chart.tsx'
import { formatNumber, formatShortDay, formatWeekdayOf } from '#admin/lib/format.ts'
import type { ConsentCount, ConsentOverview, ConsentState } from '#contract/consent.ts'
import { DAY_MS } from '#contract/durations.ts'
import { formatCount, formatShares } from '#contract/format-count.ts'
import { PERIODS, type Period } from './api.ts'

const COLOURS = { accepted: 'bar-all', partial: 'bar-part', refused: 'bar-refused' } as const

/** From bottom to top. */
export const CHOICE_STATES = ['accepted', 'partial', 'refused'] as const satisfies ConsentState[]

export const CHOICE_LABELS: Record<ConsentState, string> = {
  accepted: 'Aceitaram tudo',
  partial: 'Aceitaram em parte',
  refused: 'Recusaram',
}

const SERIES = CHOICE_STATES.toReversed().map((key) => ({
  key,
  label: CHOICE_LABELS[key],
  colour: COLOURS[key],
}))

interface ChoicesCardProps {
  overview: ConsentOverview
  period: Period
  isOfBefore: boolean
  onPeriod: (period: Period) => void
}

/** Accepted, partial and refused choices by day. */
export function ChoicesCard({ overview, period, isOfBefore, onPeriod }: ChoicesCardProps) {
  const days = choicesByDay(overview.counts, overview)
  const total = sumChoices(overview.counts)
  return (
    <ChartCard
      id="choices-heading"
      title="Respostas ao aviso de cookies por dia"
      text="Quem muda a resposta conta de novo."
      more={<p>O gráfico conta respostas, não pessoas. Os dias seguem o horário de Brasília.</p>}
      periods={PERIODS}
      period={period}
      onPeriod={onPeriod}
      isOfBefore={isOfBefore}
    >
      {({ view, selected, onSelect }) => {
        if (view === 'table') return <ChoicesTable days={days} total={total} />
        const one = selected === null ? undefined : days[selected]
        return (
          <>
            <Figures
              choices={one?.choices ?? total}
              title={one === undefined ? `Últimos ${period.label}` : formatWeekdayOf(one.day)}
            />
            <div className="px-4 pt-5 pb-5 sm:px-5">
              <StackedChart
                columns={days.map(({ day, choices }) => ({
                  key: day,
                  short: formatShortDay(day),
                  spoken: `${formatWeekdayOf(day)}. ${describe(choices)}`,
                  values: choices,
                }))}
                series={SERIES}
                label="Respostas por dia"
                now="hoje"
                selected={selected}
                onSelect={onSelect}
              />
            </div>
          </>
        )
      }}
    </ChartCard>
  )
}

/** The legend with the totals: of the period, or of the selected day. */
function Figures({ choices, title }: { choices: Choices; title: string }) {
  const whole = wholeOf(choices)
  const shares = sharesOf(choices)
  return (
    <div className="border-y border-line">
      <p className="px-4 pt-3 text-sm text-text-2 first-letter:uppercase sm:px-5">
        {`${title}: ${formatCount(whole, 'resposta', 'respostas')}`}
      </p>
      <dl className="grid grid-cols-3 divide-x divide-line">
        {CHOICE_STATES.map((state) => (
          <div
            key={state}
            className="flex min-w-0 flex-col justify-between px-2 py-3 first:pl-4 sm:px-5 sm:first:pl-5"
          >
            <dt className="flex items-baseline gap-1.5 text-xs text-text-2 sm:gap-2 sm:text-sm">
              <span aria-hidden="true" className={`h-3 w-2.5 flex-none rounded-t-full ${COLOURS[state]}`} />
              {CHOICE_LABELS[state]}
            </dt>
            <dd className="text-xl font-medium tracking-tight tabular-nums sm:text-3xl">
              {formatNumber(choices[state])} <span className="text-base text-text-2">{shares[state]}</span>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function describe(choices: Choices): string {
  const parts = CHOICE_STATES.map((state) => `${CHOICE_LABELS[state]}: ${formatNumber(choices[state])}`)
  return `${formatCount(wholeOf(choices), 'resposta', 'respostas')}. ${parts.join(', ')}.`
}

function ChoicesTable({ days, total }: { days: readonly DayChoices[]; total: Choices }) {
  return (
    <NumbersTable
      head="Dia"
      columns={[...CHOICE_STATES.map((state) => CHOICE_LABELS[state]), 'Total']}
      rows={days.map(({ day, choices }) => ({
        key: day,
        name: formatWeekdayOf(day),
        cells: cellsOf(choices),
      }))}
      total={cellsOf(total)}
    />
  )
}

function cellsOf(choices: Choices): string[] {
  return [...CHOICE_STATES.map((state) => choices[state]), wholeOf(choices)].map((count) =>
    formatNumber(count),
  )
}

type Choices = Record<ConsentState, number>

export function sumChoices(counts: readonly ConsentCount[]): Choices {
  const sum: Choices = { accepted: 0, partial: 0, refused: 0 }
  for (const { choice, count } of counts) sum[choice] += count
  return sum
}

export function wholeOf({ accepted, partial, refused }: Choices): number {
  return accepted + partial + refused
}

/** Empty texts without a choice. */
export function sharesOf(choices: Choices): Record<ConsentState, string> {
  const [accepted = '', partial = '', refused = ''] = formatShares(
    CHOICE_STATES.map((state) => choices[state]),
  )
  return { accepted, partial, refused }
}

interface DayChoices {
  /** `2026-11-16` */
  day: string
  choices: Choices
}

/** Every day of the range, including days without a choice. */
function choicesByDay(counts: readonly ConsentCount[], range: { from: string; to: string }): DayChoices[] {
  const byDay = Map.groupBy(counts, ({ day }) => day)
  const days: DayChoices[] = []
  for (let time = Date.parse(range.from); time <= Date.parse(range.to); time += DAY_MS) {
    const day = new Date(time).toISOString().slice(0, 10)
    days.push({ day, choices: sumChoices(byDay.get(day) ?? []) })
  }
  return days
}
