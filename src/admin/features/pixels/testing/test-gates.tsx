import { Check, Minus, X } from 'lucide-react'
import { cn } from '#admin/lib/cn.ts'
import type { Gate } from './list-gates.ts'

const ARCHES: Record<Gate['state'], string> = {
  done: 'bg-accent text-ink',
  doing: 'bg-ink-2 text-accent shadow-[inset_0_0_0_2px_var(--accent)]',
  stop: 'bg-bad-ink text-ink',
  ahead: 'bg-ink-2 text-on-ink-2 shadow-[inset_0_0_0_1.5px_#ffffff2e]',
}

/** Each state has a sign and a word, so that colour is never alone. */
export function TestGates({ gates }: { gates: readonly Gate[] }) {
  return (
    <ol
      className={cn(
        'mt-6 grid border-t border-[#ffffff2e]',
        gates.length === 4 ? 'grid-cols-4' : 'grid-cols-5',
      )}
      aria-label="Caminho da visita"
    >
      {gates.map(({ name, state, text }) => (
        <li
          key={name}
          className="grid min-w-0 content-start justify-items-center pt-5 sm:px-1 text-center text-xs/[1.35] sm:text-sm/[1.35]"
        >
          <span
            aria-hidden="true"
            className={cn(
              'mb-3 grid h-16 w-11 place-items-center rounded-t-full sm:h-24 sm:w-17 [&_svg]:size-5 forced-colors:border',
              ARCHES[state],
            )}
          >
            {state === 'done' ? <Check /> : state === 'stop' ? <X /> : <Minus />}
          </span>
          <b className="w-full font-semibold wrap-anywhere">{name}</b>
          <span className="w-full text-on-ink-2 wrap-anywhere max-sm:sr-only">{text}</span>
        </li>
      ))}
    </ol>
  )
}
