import { type KeyboardEvent, useState } from 'react'
import { cn } from '../lib/cn.ts'
import { formatNumber } from '../lib/format.ts'

const STEPS = [1, 0.75, 0.5, 0.25, 0]

/** Maximum number of labels under the axis. */
const LABELS = 8

interface ChartSeries {
  key: string
  label: string
  colour: string
}

interface ChartColumn {
  key: string
  /** Under the axis. */
  short: string
  /** The column in words, for screen readers. */
  spoken: string
  /** By the key of their series; what was not counted is absent. */
  values: Readonly<Record<string, number | undefined>>
  /** The sum of the period before, drawn behind. */
  before?: number | undefined
  /** No number, but not none: too few to be shown, or from a time that was not counted. */
  isFew?: boolean
  isUnknown?: boolean
  /** Number of a note that explains something from here on. */
  mark?: number | undefined
}

interface StackedChartProps {
  columns: readonly ChartColumn[]
  /** From top to bottom. */
  series: readonly ChartSeries[]
  /** For screen readers. */
  label: string
  /** Label of the last column. */
  now: string
  /** The column shown in the totals; null for all. */
  selected: number | null
  onSelect: (index: number | null) => void
}

/**
 * Columns on an axis from zero. In HTML, so that text keeps its size at every width. For the keyboard it is a slider
 * over the columns; every number is in the table view too.
 */
export function StackedChart({ columns, series, label, now, selected, onSelect }: StackedChartProps) {
  const [hasFocus, setHasFocus] = useState(false)
  const end = roundUp(
    Math.max(0, ...columns.map((column) => Math.max(heightOf(column, series), column.before ?? 0))),
  )
  const hasMarks = columns.some(({ mark }) => mark !== undefined)
  const last = columns.length - 1
  const current = selected ?? last
  const move = (event: KeyboardEvent) => {
    const to = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: last, Escape: null }[
      event.key
    ]
    if (to === undefined) return
    event.preventDefault()
    onSelect(to === null ? null : Math.min(last, Math.max(0, to)))
  }
  const labelled = Math.max(1, Math.ceil(columns.length / LABELS))
  return (
    <div className={cn('flex gap-2 text-xs text-text-2', hasMarks && 'pt-7')}>
      <div aria-hidden="true" className="relative h-48 w-9 flex-none text-right tabular-nums">
        {STEPS.map((part) => (
          <span
            key={part}
            className="absolute right-0 -translate-y-1/2"
            style={{ top: `${(1 - part) * 100}%` }}
          >
            {formatNumber(end * part)}
          </span>
        ))}
      </div>
      <div className="min-w-0 flex-1">
        <div
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, last)}
          aria-valuenow={current}
          aria-valuetext={columns[current]?.spoken ?? 'Sem dados'}
          onKeyDown={move}
          onFocus={() => {
            setHasFocus(true)
            if (selected === null) onSelect(last)
          }}
          onBlur={() => {
            setHasFocus(false)
            onSelect(null)
          }}
          onMouseLeave={() => hasFocus || onSelect(null)}
          className="relative flex h-48 items-end border-b-[1.5px] border-ink focus-visible:outline-offset-4"
        >
          {STEPS.slice(0, -1).map((part) => (
            <span
              key={part}
              aria-hidden="true"
              className="absolute inset-x-0 border-t border-line"
              style={{ top: `${(1 - part) * 100}%` }}
            />
          ))}
          {columns.map((column, index) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: for the mouse; the keyboard moves the slider
            // biome-ignore lint/a11y/useKeyWithClickEvents: the slider has the keys
            <span
              key={column.key}
              onMouseEnter={() => onSelect(index)}
              onClick={() => onSelect(index)}
              className={cn(
                'relative flex h-full min-w-0 flex-1 items-end px-px sm:px-0.5',
                index === selected && 'bg-ink/5',
              )}
            >
              {column.mark === undefined ? null : <Mark number={column.mark} />}
              <Stack column={column} series={series} end={end} />
            </span>
          ))}
        </div>
        <div aria-hidden="true" className="flex pt-1.5">
          {columns.map((column, index) => (
            <span key={column.key} className="relative h-4 flex-1 whitespace-nowrap">
              {index % labelled === 0 && (index === 0 || last - index >= labelled) ? (
                <span
                  className={cn(
                    'absolute',
                    index === 0 ? 'left-0' : 'left-1/2 -translate-x-1/2',
                    // A phone has space for half of them.
                    (index / labelled) % 2 === 1 && 'max-sm:hidden',
                  )}
                >
                  {column.short}
                </span>
              ) : null}
              {index === last ? <span className="absolute right-0 font-semibold text-ink">{now}</span> : null}
            </span>
          ))}
        </div>
      </div>
    </div>
  )
}

interface StackProps {
  column: ChartColumn
  series: readonly ChartSeries[]
  end: number
}

function Stack({ column, series, end }: StackProps) {
  const height = heightOf(column, series)
  const { before } = column
  if (column.isUnknown)
    return <span className="mx-auto w-full max-w-9 border-b-4 border-dotted border-line-2" />
  return (
    <>
      {before === undefined || before === 0 ? null : (
        <span
          className="bar-refused absolute inset-x-0 bottom-0 mx-auto w-full max-w-9 rounded-t-lg"
          style={{ height: `${(before / end) * 100}%` }}
        />
      )}
      {column.isFew ? (
        <span className="relative mx-auto h-1 w-full max-w-9 border-x border-t border-dashed border-ink" />
      ) : null}
      {height === 0 ? null : (
        <span
          className={cn(
            'relative mx-auto flex flex-col gap-[1.5px] overflow-hidden rounded-t-lg',
            before === undefined ? 'w-full max-w-9' : 'w-3/5 max-w-5',
          )}
          style={{ height: `${(height / end) * 100}%` }}
        >
          {series.map(({ key, colour }) =>
            (column.values[key] ?? 0) === 0 ? null : (
              <span
                key={key}
                className={cn('min-h-[2px]', colour)}
                style={{ flexGrow: column.values[key] }}
              />
            ),
          )}
        </span>
      )}
    </>
  )
}

/** Above its column, with a line down to it. */
function Mark({ number }: { number: number }) {
  return (
    <span
      aria-hidden="true"
      className="absolute -top-7 bottom-0 left-1/2 border-l border-dashed border-line-2"
    >
      <NoteNumber number={number} className="absolute top-0 -translate-x-1/2" />
    </span>
  )
}

/** The number of a note, on the chart and in the list of notes. */
export function NoteNumber({ number, className }: { number: number; className?: string }) {
  return (
    <span
      className={cn(
        'grid h-5.5 w-5 place-items-center rounded-[10px_10px_3px_3px] border-[1.5px] border-ink bg-surface text-[0.6875rem] font-semibold text-ink tabular-nums',
        className,
      )}
    >
      {number}
    </span>
  )
}

/** Sum of what was counted. */
function heightOf({ values }: ChartColumn, series: readonly ChartSeries[]): number {
  return series.reduce((sum, { key }) => sum + (values[key] ?? 0), 0)
}

/** The end of an axis: the next round number that divides by four, or into whole visits. */
export function roundUp(most: number): number {
  if (most <= 4) return 4
  const power = 10 ** Math.floor(Math.log10(most))
  for (const factor of [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10]) {
    const end = factor * power
    if (end >= most && end % 4 === 0) return end
  }
  return Math.ceil(most / 4) * 4
}
