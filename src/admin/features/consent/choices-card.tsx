import { useState } from 'react'
import { BusyFigures } from '#admin/components/busy-figures.tsx'
import { Card } from '#admin/components/card.tsx'
import { ChartHead } from '#admin/components/chart-head.tsx'
import { type ChartView, ChartViewSegment, Segment } from '#admin/components/segment.tsx'
import { StackedChart } from '#admin/components/stacked-chart.tsx'
import type { ConsentOverview } from '#contract/consent.ts'
import { formatShare } from '#contract/format-count.ts'
import { ChoicesTable } from './choices-table.tsx'
import { PERIODS, type Period } from './read-consent.ts'
import {
  CHOICE_LABELS,
  CHOICE_STATES,
  type Choices,
  choicesByDay,
  longDay,
  shortDay,
  sumChoices,
  wholeOf,
} from './sum-choices.ts'

const NUMBER = new Intl.NumberFormat('pt-BR')
const COLOURS = { accepted: 'bar-all', partial: 'bar-part', refused: 'bar-refused' } as const
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

/** Accepted, partly, refused, day by day. */
export function ChoicesCard({ overview, period, isOfBefore, onPeriod }: ChoicesCardProps) {
  const [view, setView] = useState<ChartView>('chart')
  const [selected, setSelected] = useState<number | null>(null)
  const days = choicesByDay(overview.counts, overview)
  const one = selected === null ? undefined : days[selected]
  const total = sumChoices(overview.counts)
  return (
    <Card role="region" aria-labelledby="choices-heading" aria-busy={isOfBefore}>
      <ChartHead
        id="choices-heading"
        title="Escolhas por dia"
        text="Contam-se escolhas, não pessoas: quem muda de ideia é contado de novo. Dias são os de Brasília."
      >
        <Segment
          label="Período"
          options={PERIODS}
          current={period}
          labelOf={(each) => each.label}
          onChange={(each) => {
            onPeriod(each)
            setSelected(null)
          }}
        />
        <ChartViewSegment current={view} onChange={setView} />
      </ChartHead>
      <BusyFigures isOfBefore={isOfBefore} label={period.label}>
        {view === 'table' ? (
          <ChoicesTable days={days} total={total} />
        ) : (
          <>
            <Figures
              choices={one?.choices ?? total}
              title={one === undefined ? `Últimos ${period.label}` : longDay(one.day)}
            />
            <div className="px-4 pt-5 pb-5 sm:px-5">
              <StackedChart
                columns={days.map(({ day, choices }) => ({
                  key: day,
                  short: shortDay(day),
                  spoken: `${longDay(day)}. ${describe(choices)}`,
                  values: choices,
                }))}
                series={SERIES}
                label="Escolhas por dia"
                now="hoje"
                selected={selected}
                onSelect={setSelected}
              />
            </div>
          </>
        )}
      </BusyFigures>
    </Card>
  )
}

/** The legend, which is the sum: of the whole period, or of the day that is pointed at. */
function Figures({ choices, title }: { choices: Choices; title: string }) {
  const whole = wholeOf(choices)
  return (
    <div className="border-y border-line">
      <p className="px-4 pt-3 text-sm text-text-2 first-letter:uppercase sm:px-5">
        {`${title}: ${NUMBER.format(whole)} ${whole === 1 ? 'escolha' : 'escolhas'}`}
      </p>
      <dl className="grid grid-cols-3 divide-x divide-line">
        {CHOICE_STATES.map((state) => (
          <div key={state} className="min-w-0 px-2 py-3 first:pl-4 sm:px-5">
            <dt className="flex items-baseline gap-1.5 text-xs text-text-2 sm:gap-2 sm:text-sm">
              <span aria-hidden="true" className={`h-3 w-2.5 flex-none rounded-t-full ${COLOURS[state]}`} />
              {CHOICE_LABELS[state]}
            </dt>
            <dd className="text-xl font-medium tracking-tight tabular-nums sm:text-3xl">
              {NUMBER.format(choices[state])}{' '}
              <span className="text-base text-text-2">{formatShare(choices[state], whole)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function describe(choices: Choices): string {
  const parts = CHOICE_STATES.map((state) => `${CHOICE_LABELS[state]}: ${NUMBER.format(choices[state])}`)
  return `${NUMBER.format(wholeOf(choices))} escolhas. ${parts.join(', ')}.`
}
