import type { PixelFilter } from '../filter-pixels.ts'
import { HealthDoor } from './health-door.tsx'

interface ProblemCountProps {
  count: number
  filter: PixelFilter
  onFilter: (filter: PixelFilter) => void
}

/** How many pixels need somebody, and the way to them: they come first while it is pressed. */
export function ProblemCount({ count, filter, onFilter }: ProblemCountProps) {
  const isPressed = filter.health === 'problems-first'
  if (count === 0 && !isPressed) return null
  return (
    <button
      type="button"
      aria-pressed={isPressed}
      onClick={() => onFilter({ ...filter, health: isPressed ? 'all' : 'problems-first' })}
      className="inline-flex min-h-11 min-w-11 flex-none justify-center items-center gap-2 rounded-1 border-[1.5px] border-line px-3 font-semibold text-ink hover:border-ink aria-pressed:border-ink aria-pressed:bg-ink aria-pressed:text-on-ink"
    >
      <HealthDoor health="broken" className={isPressed ? 'text-bad-ink' : 'text-bad'} />
      <span>
        {count.toLocaleString('pt-BR')}
        <span className="max-sm:sr-only"> {count === 1 ? 'problema' : 'problemas'} primeiro</span>
      </span>
    </button>
  )
}
