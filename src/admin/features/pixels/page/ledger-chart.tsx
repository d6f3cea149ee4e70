import { type KeyboardEvent, useState } from 'react'
import { cn } from '#admin/lib/cn.ts'
import type { LedgerRow, LedgerStep } from '#contract/ledger.ts'
import { heightOf, type LedgerSet, longLabel, roundUp, shortLabel } from './ledger-series.ts'

const NUMBER = new Intl.NumberFormat('pt-BR')
const STEPS = [1, 0.75, 0.5, 0.25, 0]
/** So many labels stand under the axis at most. */
const LABELS = 8

interface LedgerChartProps {
  rows: readonly LedgerRow[]
  set: LedgerSet
  step: LedgerStep
  /** The column whose numbers stand in the sum beside it; null for all of them. */
  selected: number | null
  onSelect: (index: number | null) => void
}

/**
 * Columns on an axis that begins at zero. In HTML: text keeps its size at every width. For the keyboard it is a slider
 * over the columns; every number is in the table view too.
 */
export function LedgerChart({ rows, set, step, selected, onSelect }: LedgerChartProps) {
  const [hasFocus, setHasFocus] = useState(false)
  const end = roundUp(Math.max(0, ...rows.map((row) => heightOf(row, set))))
  const last = rows.length - 1
  const current = selected ?? last
  const move = (event: KeyboardEvent) => {
    const to = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: last, Escape: null }[
      event.key
    ]
    if (to === undefined) return
    event.preventDefault()
    onSelect(to === null ? null : Math.min(last, Math.max(0, to)))
  }
  const labelled = Math.max(1, Math.ceil(rows.length / LABELS))
  const row = rows[current]
  return (
    <div className="flex gap-2 text-xs text-text-2">
      <div aria-hidden="true" className="relative h-48 w-9 flex-none text-right tabular-nums">
        {STEPS.map((part) => (
          <span
            key={part}
            className="absolute right-0 -translate-y-1/2"
            style={{ top: `${(1 - part) * 100}%` }}
          >
            {NUMBER.format(end * part)}
          </span>
        ))}
      </div>
      <div className="min-w-0 flex-1">
        <div
          role="slider"
          tabIndex={0}
          aria-label={set.chartLabel[step]}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, last)}
          aria-valuenow={current}
          aria-valuetext={row === undefined ? 'Sem dados' : describeRow(row, set, step)}
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
          {rows.map((each, index) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: for the mouse; the keyboard moves the slider
            // biome-ignore lint/a11y/useKeyWithClickEvents: the slider has the keys
            <span
              key={each.from}
              onMouseEnter={() => onSelect(index)}
              onClick={() => onSelect(index)}
              className={cn(
                'relative flex h-full min-w-0 flex-1 items-end px-px sm:px-0.5',
                index === selected && 'bg-ink/5',
              )}
            >
              <Column row={each} set={set} end={end} />
            </span>
          ))}
        </div>
        <div aria-hidden="true" className="flex pt-1.5">
          {rows.map((each, index) => (
            <span key={each.from} className="relative h-4 flex-1 whitespace-nowrap">
              {index % labelled === 0 && (index === 0 || last - index >= labelled) ? (
                <span className={cn('absolute', index === 0 ? 'left-0' : 'left-1/2 -translate-x-1/2')}>
                  {shortLabel(each, step)}
                </span>
              ) : null}
              {index === last ? (
                <span className="absolute right-0 font-semibold text-ink">
                  {step === 'hour' ? 'agora' : 'hoje'}
                </span>
              ) : null}
            </span>
          ))}
        </div>
      </div>
    </div>
  )
}

function Column({ row, set, end }: { row: LedgerRow; set: LedgerSet; end: number }) {
  const height = heightOf(row, set)
  if (height === 0) return null
  return (
    <span
      className="mx-auto flex w-full max-w-9 flex-col gap-[1.5px] overflow-hidden rounded-t-lg"
      style={{ height: `${(height / end) * 100}%` }}
    >
      {set.series.map(({ key, colour }) =>
        (row[key] ?? 0) === 0 ? null : (
          <span key={key} className={cn('min-h-[2px]', colour)} style={{ flexGrow: row[key] }} />
        ),
      )}
    </span>
  )
}

/** One column, for whoever hears it. */
function describeRow(row: LedgerRow, { series, total, totalLabel }: LedgerSet, step: LedgerStep): string {
  const parts = series
    .map(({ key, label }) =>
      row[key] === undefined ? `${label}: não medido` : `${label}: ${NUMBER.format(row[key])}`,
    )
    .reverse()
  const count = row[total]
  const whole = count === undefined ? '' : `${NUMBER.format(count)} ${totalLabel.toLowerCase()}. `
  return `${longLabel(row, step)}. ${whole}${parts.join(', ')}.`
}
