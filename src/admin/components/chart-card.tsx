import type { ReactNode } from 'react'
import { cn } from '../lib/cn.ts'
import { useFilter } from '../lib/router.tsx'

interface ChartHeadProps {
  /** Of the heading, for the region's name. */
  id: string
  title: string
  text: string
  /** What can be chosen: period, view. */
  children: ReactNode
}

/** Above a chart: what it counts, and how to look at it. */
export function ChartHead({ id, title, text, children }: ChartHeadProps) {
  return (
    <header className="flex flex-wrap items-start gap-x-4 gap-y-3 px-4 pt-4 pb-3 sm:px-5">
      <div className="min-w-0 flex-[1_1_16rem]">
        <h3 id={id} className="text-base tracking-tight">
          {title}
        </h3>
        <p className="text-sm text-pretty text-text-2">{text}</p>
      </div>
      {children}
    </header>
  )
}

const HEAD = 'py-2 pr-3 pl-5 text-left first-letter:uppercase'

const CELL = 'px-3 py-2 text-right last:pr-5'

interface NumbersTableProps {
  /** Of the rows, and of their columns; the last is each row's sum. */
  head: string
  columns: readonly string[]
  rows: readonly { key: string; name: string; cells: readonly string[] }[]
  total: readonly string[]
}

/** Every number of a chart, the newest first; the sum stays in sight. */
export function NumbersTable({ head, columns, rows, total }: NumbersTableProps) {
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
              <Cells columns={columns} cells={cells} />
            </tr>
          ))}
        </tbody>
        <tfoot className="sticky bottom-0 bg-surface font-semibold [&_:is(td,th)]:border-t-2 [&_:is(td,th)]:border-ink">
          <tr>
            <th scope="row" className={HEAD}>
              Total
            </th>
            <Cells columns={columns} cells={total} />
          </tr>
        </tfoot>
      </table>
    </section>
  )
}

function Cells({ columns, cells }: { columns: readonly string[]; cells: readonly string[] }) {
  return columns.map((label, at) => (
    <td key={label} className={`${CELL} last:font-semibold`}>
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

/** A few ways to look at the same thing, one of which is pressed. */
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

const VIEWS = ['chart', 'table'] as const

const VIEW_WORDS = { chart: 'grafico', table: 'tabela' } as const

const VIEW_LABELS = { chart: 'Gráfico', table: 'Tabela' } as const

type ChartView = (typeof VIEWS)[number]

/** Which of the two the address names. */
export function useChartView(): [ChartView, (view: ChartView) => void] {
  return useFilter('ver', VIEW_WORDS, 'chart')
}

/** The same numbers as a chart or as a table. */
export function ChartViewSegment(props: Pick<SegmentProps<ChartView>, 'current' | 'onChange'>) {
  return <Segment label="Ver como" options={VIEWS} labelOf={(view) => VIEW_LABELS[view]} {...props} />
}

interface BusyFiguresProps {
  /** What is shown is of the period before: it keeps its place, but nobody may read it under the new label. */
  isOfBefore: boolean
  /** The period that is on its way. */
  label: string
  children: ReactNode
}

/** Figures of a period, and what stands over them while another period is loaded. */
export function BusyFigures({ isOfBefore, label, children }: BusyFiguresProps) {
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
