import {
  CHOICE_LABELS,
  CHOICE_STATES,
  type Choices,
  type DayChoices,
  longDay,
  wholeOf,
} from './sum-choices.ts'

const NUMBER = new Intl.NumberFormat('pt-BR')
const CELL = 'px-3 py-2 text-right last:pr-5'
const HEAD = 'py-2 pr-3 pl-5 text-left first-letter:uppercase'

/** Every number of the chart, the newest first; the sum stays in sight. */
export function ChoicesTable({ days, total }: { days: readonly DayChoices[]; total: Choices }) {
  return (
    <section
      aria-label="Números do gráfico"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1 asks for scrollable regions to take focus
      tabIndex={0}
      className="max-h-96 overflow-auto border-t border-line focus-visible:outline-offset-[-4px]"
    >
      <table className="w-full min-w-[30rem] border-separate border-spacing-0 text-sm tabular-nums">
        <thead className="sticky top-0 bg-surface text-[0.8125rem] text-text-2">
          <tr>
            <th scope="col" className="border-b border-line px-3 py-2.5 pl-5 text-left font-medium">
              Dia
            </th>
            {[...CHOICE_STATES.map((state) => CHOICE_LABELS[state]), 'Escolhas'].map((label) => (
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
          {days.toReversed().map(({ day, choices }) => (
            <tr key={day} className="hover:bg-[#fafaf6]">
              <th scope="row" className={`${HEAD} font-normal`}>
                {longDay(day)}
              </th>
              <Cells choices={choices} />
            </tr>
          ))}
        </tbody>
        <tfoot className="sticky bottom-0 bg-surface font-semibold [&_:is(td,th)]:border-t-2 [&_:is(td,th)]:border-ink">
          <tr>
            <th scope="row" className={HEAD}>
              Total
            </th>
            <Cells choices={total} />
          </tr>
        </tfoot>
      </table>
    </section>
  )
}

function Cells({ choices }: { choices: Choices }) {
  return (
    <>
      {CHOICE_STATES.map((state) => (
        <td key={state} className={CELL}>
          {NUMBER.format(choices[state])}
        </td>
      ))}
      <td className={`${CELL} font-semibold`}>{NUMBER.format(wholeOf(choices))}</td>
    </>
  )
}
