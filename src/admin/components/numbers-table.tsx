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
