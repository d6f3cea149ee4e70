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
