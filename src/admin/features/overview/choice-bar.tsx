interface ChoiceBarProps {
  choices: number
  accepted: number
  refused: number
  label: string
}

/** All that chose, as accepted, in part and refused. A choice is no fault: none of them is green or red. */
export function ChoiceBar({ choices, accepted, refused, label }: ChoiceBarProps) {
  const parts = [
    ['accepted', accepted, 'bg-accent'],
    ['partial', choices - accepted - refused, 'bg-on-ink-2'],
    ['refused', refused, 'bg-ink-3'],
  ] as const
  return (
    <span
      role="img"
      aria-label={label}
      className="flex h-2 max-w-48 gap-0.5 overflow-hidden rounded-full forced-color-adjust-none"
    >
      {parts.map(([name, part, look]) =>
        part <= 0 ? null : <span key={name} className={look} style={{ flexGrow: part }} />,
      )}
    </span>
  )
}
