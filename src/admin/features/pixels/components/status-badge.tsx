interface StatusBadgeProps {
  active: boolean
  /** Whose status it is, for those who do not see the row. */
  name: string
  onToggle: () => void
}

/** A switch that looks like a badge. Its name stays and its state changes; the dot is filled or hollow, so that colour is not alone. */
export function StatusBadge({ active, name, onToggle }: StatusBadgeProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={active}
      aria-label={`Ativo: ${name}`}
      title={active ? 'Clique para desativar' : 'Clique para ativar'}
      onClick={onToggle}
      className="group inline-flex min-h-11 min-w-22 items-center"
    >
      <span
        className={`inline-flex items-center gap-2 rounded-full py-1 pr-3 pl-2.5 text-sm font-semibold transition-shadow group-hover:shadow-[inset_0_0_0_1.5px_currentColor] ${active ? 'bg-ok-bg text-ok' : 'bg-bad-bg text-bad'}`}
      >
        <span
          aria-hidden="true"
          className={`size-2 rounded-full shadow-[inset_0_0_0_2px_currentColor] ${active ? 'bg-current' : ''}`}
        />
        {active ? 'Ativo' : 'Inativo'}
      </span>
    </button>
  )
}
