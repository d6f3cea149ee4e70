interface Figure {
  label: string
  value: string
}

export function Figures({ className, figures }: { className: string; figures: Figure[] }) {
  return (
    <dl className={className}>
      {figures.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="fig">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
