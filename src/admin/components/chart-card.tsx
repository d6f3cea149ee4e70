import { type ReactNode, useState } from 'react'
import { cn } from '../lib/cn.ts'
import { useFilter } from '../lib/router.tsx'
import { Card } from './card.tsx'
import { SaibaMais } from './saiba-mais.tsx'

/** The view and the selected column. */
interface ChartLook {
  view: ChartView
  selected: number | null
  onSelect: (index: number | null) => void
}

interface ChartCardProps<Period extends { label: string }> {
  /** Id of the heading, for the region's name. */
  id: string
  title: string
  text: string
  /** The rest of it, behind "Saiba mais". */
  more?: ReactNode
  periods: readonly Period[]
  period: Period
  onPeriod: (period: Period) => void
  /** Chart and table, unless named. */
  views?: readonly ChartView[]
  /** Another control beside period and view. */
  choice?: ReactNode
  /** No data yet. */
  isLoading?: boolean
  /** The figures belong to the previous period; the chosen one is loading. */
  isOfBefore: boolean
  children: (look: ChartLook) => ReactNode
}

/** Figures over time with title, period, and one of several views, such as a chart and a table. */
export function ChartCard<Period extends { label: string }>(props: ChartCardProps<Period>) {
  const {
    id,
    title,
    text,
    more,
    periods,
    period,
    onPeriod,
    views = CHART_AND_TABLE,
    choice,
    isLoading = false,
    isOfBefore,
    children,
  } = props
  const [chosen, setView] = useFilter('ver', VIEW_WORDS, 'chart')
  const view = views.includes(chosen) ? chosen : 'chart'
  const [selected, onSelect] = useState<number | null>(null)
  return (
    <Card role="region" aria-labelledby={id} aria-busy={isLoading || isOfBefore}>
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3 px-4 pt-4 pb-3 sm:px-5">
        <div className="min-w-0 flex-[1_1_16rem]">
          <h3 id={id} className="text-base tracking-tight">
            {title}
          </h3>
          <p className="text-sm text-pretty text-text-2">{text}</p>
          {more ? <SaibaMais about="sobre o gráfico">{more}</SaibaMais> : null}
        </div>
        {choice}
        <Segment
          label="Período"
          options={periods}
          current={period}
          labelOf={(each) => each.label}
          onChange={(each) => {
            onPeriod(each)
            onSelect(null)
          }}
        />
        <Segment
          label="Ver como"
          options={views}
          current={view}
          labelOf={(each) => VIEW_LABELS[each]}
          onChange={setView}
        />
      </header>
      <BusyFigures isOfBefore={isOfBefore} label={period.label}>
        {children({ view, selected, onSelect })}
      </BusyFigures>
    </Card>
  )
}

const VIEW_WORDS = { chart: 'grafico', funnel: 'funil', table: 'tabela' } as const

const VIEW_LABELS = { chart: 'Gráfico', funnel: 'Funil', table: 'Tabela' } as const

type ChartView = keyof typeof VIEW_LABELS

const CHART_AND_TABLE = ['chart', 'table'] as const

const HEAD = 'py-2 pr-3 pl-5 text-left first-letter:uppercase'

const CELL = 'px-3 py-2 text-right last:pr-5'

interface NumbersTableProps {
  /** Heading of the rows and names of the columns; the last is each row's sum, unless `lastIsSum` is false. */
  head: string
  columns: readonly string[]
  rows: readonly { key: string; name: string; cells: readonly string[] }[]
  total: readonly string[]
  /** False if the last column is another number instead. */
  lastIsSum?: boolean
}

/** Every number of a chart, newest first; the sum stays visible. */
export function NumbersTable({ head, columns, rows, total, lastIsSum = true }: NumbersTableProps) {
  return (
    <section
      aria-label="Números do gráfico"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1 asks for scrollable regions to take focus
      tabIndex={0}
      className="max-h-96 overflow-auto print:max-h-none print:overflow-visible border-t border-line focus-visible:outline-offset-[-4px]"
    >
      <table
        className="w-full border-separate border-spacing-0 text-sm tabular-nums"
        style={{ minWidth: `${10 + 5 * columns.length}rem` }}
      >
        <thead className="sticky top-0 bg-surface text-[0.8125rem] text-text-2">
          <tr>
            <th scope="col" className="border-b border-line px-3 py-2.5 pl-5 text-left font-medium">
              {head}
            </th>
            {columns.map((label) => (
              <th
                key={label}
                scope="col"
                className="border-b border-line px-3 py-2.5 text-right font-medium last:pr-5"
              >
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map(({ key, name, cells }) => (
            <tr key={key} className="hover:bg-[#fafaf6]">
              <th scope="row" className={`${HEAD} font-normal`}>
                {name}
              </th>
              <Cells columns={columns} cells={cells} lastIsSum={lastIsSum} />
            </tr>
          ))}
        </tbody>
        <tfoot className="sticky bottom-0 bg-surface font-semibold [&_:is(td,th)]:border-t-2 [&_:is(td,th)]:border-ink">
          <tr>
            <th scope="row" className={HEAD}>
              Total
            </th>
            <Cells columns={columns} cells={total} lastIsSum={lastIsSum} />
          </tr>
        </tfoot>
      </table>
    </section>
  )
}

interface CellsProps {
  columns: readonly string[]
  cells: readonly string[]
  lastIsSum: boolean
}

function Cells({ columns, cells, lastIsSum }: CellsProps) {
  return columns.map((label, at) => (
    <td key={label} className={cn(CELL, lastIsSum && 'last:font-semibold')}>
      {cells[at]}
    </td>
  ))
}

interface SegmentProps<Option> {
  label: string
  options: readonly Option[]
  current: Option
  labelOf: (option: Option) => string
  onChange: (option: Option) => void
}

/** A group of options, one of which is pressed. */
export function Segment<Option>({ label, options, current, labelOf, onChange }: SegmentProps<Option>) {
  return (
    <fieldset aria-label={label} className="segment max-sm:w-full">
      {options.map((option) => (
        <button
          key={labelOf(option)}
          type="button"
          aria-pressed={option === current}
          onClick={() => onChange(option)}
        >
          {labelOf(option)}
        </button>
      ))}
    </fieldset>
  )
}

interface BusyFiguresProps {
  /** The figures belong to the previous period: they keep their place but are hidden under the new label. */
  isOfBefore: boolean
  /** The period that is loading. */
  label: string
  children: ReactNode
}

/** Figures of a period, with an overlay while another period loads. */
function BusyFigures({ isOfBefore, label, children }: BusyFiguresProps) {
  return (
    <div className="relative">
      <p
        role="status"
        className={cn(
          isOfBefore
            ? 'absolute inset-x-0 top-8 z-1 mx-auto w-fit rounded-1 bg-surface px-4 py-2 text-sm font-semibold shadow'
            : 'sr-only',
        )}
      >
        {isOfBefore ? `Carregando ${label}…` : ''}
      </p>
      <div aria-hidden={isOfBefore} inert={isOfBefore} className={cn(isOfBefore && 'invisible')}>
        {children}
      </div>
    </div>
  )
}
