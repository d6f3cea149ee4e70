import { NumbersTable } from '#admin/components/numbers-table.tsx'
import type { LedgerRow, LedgerStep } from '#contract/visit-results.ts'
import { type LedgerSet, longLabel, sumSet } from './ledger-series.ts'

const NUMBER = new Intl.NumberFormat('pt-BR')

interface LedgerTableProps {
  rows: readonly LedgerRow[]
  set: LedgerSet
  step: LedgerStep
}

export function LedgerTable({ rows, set, step }: LedgerTableProps) {
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
  return count === null || count === undefined ? 'não medido' : NUMBER.format(count)
}
