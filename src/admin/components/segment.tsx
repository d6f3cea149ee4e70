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
const VIEW_LABELS = { chart: 'Gráfico', table: 'Tabela' } as const

export type ChartView = (typeof VIEWS)[number]

/** The same numbers as a chart or as a table. */
export function ChartViewSegment(props: Pick<SegmentProps<ChartView>, 'current' | 'onChange'>) {
  return <Segment label="Ver como" options={VIEWS} labelOf={(view) => VIEW_LABELS[view]} {...props} />
}
