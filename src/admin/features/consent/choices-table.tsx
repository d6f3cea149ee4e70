import { NumbersTable } from '#admin/components/numbers-table.tsx'
import {
  CHOICE_LABELS,
  CHOICE_STATES,
  type Choices,
  type DayChoices,
  longDay,
  wholeOf,
} from './sum-choices.ts'

const NUMBER = new Intl.NumberFormat('pt-BR')

export function ChoicesTable({ days, total }: { days: readonly DayChoices[]; total: Choices }) {
  return (
    <NumbersTable
      head="Dia"
      columns={[...CHOICE_STATES.map((state) => CHOICE_LABELS[state]), 'Escolhas']}
      rows={days.map(({ day, choices }) => ({ key: day, name: longDay(day), cells: cellsOf(choices) }))}
      total={cellsOf(total)}
    />
  )
}

function cellsOf(choices: Choices): string[] {
  return [...CHOICE_STATES.map((state) => choices[state]), wholeOf(choices)].map((count) =>
    NUMBER.format(count),
  )
}
