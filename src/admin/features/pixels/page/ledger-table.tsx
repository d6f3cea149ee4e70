import type { LedgerRow, LedgerStep } from '#contract/ledger.ts'
import { type LedgerSet, longLabel, sumSet } from './ledger-series.ts'

const NUMBER = new Intl.NumberFormat('pt-BR')
const CELL = 'px-3 py-2 text-right last:pr-5'
const HEAD = 'py-2 pr-3 pl-5 text-left first-letter:uppercase'

interface LedgerTableProps {
  rows: readonly LedgerRow[]
  set: LedgerSet
  step: LedgerStep
}

/** Every number of the chart, the newest first; the sum stays in sight. */
export function LedgerTable({ rows, set, step }: LedgerTableProps) {
  const columns = [...set.series].reverse()
  const sum = sumSet(rows, set)
  return (
    <section
      aria-label="Números do gráfico"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1 asks for scrollable regions to take focus
      tabIndex={0}
      className="max-h-96 overflow-auto border-t border-line focus-visible:outline-offset-[-4px]"
    >
      <table className="w-full min-w-[36rem] border-separate border-spacing-0 text-sm tabular-nums">
        <thead className="sticky top-0 bg-surface text-[0.8125rem] text-text-2">
          <tr>
            <th scope="col" className="border-b border-line px-3 py-2.5 pl-5 text-left font-medium">
              {step === 'hour' ? 'Hora' : 'Dia'}
            </th>
            {[...columns.map(({ label }) => label), set.totalLabel].map((label) => (
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
          {[...rows].reverse().map((row) => (
            <tr key={row.from} className="hover:bg-[#fafaf6]">
              <th scope="row" className={`${HEAD} font-normal`}>
                {longLabel(row, step)}
              </th>
              {columns.map(({ key }) => (
                <td key={key} className={CELL}>
                  {format(row[key])}
                </td>
              ))}
              <td className={`${CELL} font-semibold`}>{format(row[set.total])}</td>
            </tr>
          ))}
        </tbody>
        <tfoot className="sticky bottom-0 bg-surface font-semibold">
          <tr>
            <th scope="row" className={`${HEAD} border-t-2 border-ink`}>
              Total
            </th>
            {columns.map(({ key }) => (
              <td key={key} className={`${CELL} border-t-2 border-ink`}>
                {format(sum.parts[key])}
              </td>
            ))}
            <td className={`${CELL} border-t-2 border-ink`}>{format(sum.total)}</td>
          </tr>
        </tfoot>
      </table>
    </section>
  )
}

function format(count: number | null | undefined): string {
  return count === null || count === undefined ? 'não medido' : NUMBER.format(count)
}
