import { StackedChart } from '#admin/components/stacked-chart.tsx'
import type { LedgerRow, LedgerStep } from '#contract/visit-results.ts'
import { type LedgerSet, longLabel, shortLabel } from './ledger-series.ts'

const NUMBER = new Intl.NumberFormat('pt-BR')

interface LedgerChartProps {
  rows: readonly LedgerRow[]
  set: LedgerSet
  step: LedgerStep
  selected: number | null
  onSelect: (index: number | null) => void
}

/** Visits, or the server's copies, by hour or day. */
export function LedgerChart({ rows, set, step, selected, onSelect }: LedgerChartProps) {
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
