import { cn } from '../lib/cn.ts'

const LOOKS = {
  ok: 'bg-ok-bg text-ok',
  ink: 'bg-ink text-on-ink',
  outline: 'shadow-[inset_0_0_0_1.5px_var(--line-2)]',
} as const

interface ChipProps {
  look: keyof typeof LOOKS
  children: string
}

/** A word about what it stands beside. */
export function Chip({ look, children }: ChipProps) {
  return (
    <span
      className={cn(
        'chip inline-block flex-none rounded-full px-3 py-1 text-sm font-semibold whitespace-nowrap',
        LOOKS[look],
      )}
    >
      {children}
    </span>
  )
}
